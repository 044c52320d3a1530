package hookconfig

import (
	"fmt"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
)

// Summary tells in lines for a human what a set loaded and what it left out.
// problems are those of the set, or of the bridge that runs it.
func (s Set) Summary(problems []hookproto.Problem) (lines []string) {
	total := len(s.Registered())
	lines = append(lines, fmt.Sprintf("hooks of %s: %s from %s, read in %s",
		client(s.Dialect), Count(total, "hook"), Count(len(s.Files), "file"), s.Took.Round(10*time.Microsecond)))
	for i, f := range s.Files {
		line := fmt.Sprintf("  %s (%s): %s", f.Path, f.Layer, Count(f.Hooks, "hook"))
		if i < len(s.Why) && s.Why[i] != "" {
			line += "; taken for " + client(s.Dialect) + "'s: " + s.Why[i]
		}
		lines = append(lines, line)
	}
	for _, p := range problems {
		lines = append(lines, "  "+p.String())
	}
	return lines
}

// Count writes a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
