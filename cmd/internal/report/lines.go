package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// ranges lists the lines that never ran. Lines without code between two of them
// count as the same run.
func ranges(f scripttest.Covered) string {
	var out []string
	first, last := 0, 0
	flush := func() {
		switch first {
		case 0:
		case last:
			out = append(out, fmt.Sprint(first))
		default:
			out = append(out, fmt.Sprintf("%d-%d", first, last))
		}
		first = 0
	}
	for _, line := range slices.Sorted(maps.Keys(f.Lines)) {
		if f.Lines[line] > 0 {
			flush()
			continue
		}
		if first == 0 {
			first = line
		}
		last = line
	}
	flush()
	return strings.Join(out, ", ")
}
