package spec_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTmpLines(t *testing.T) {
	deny := strings.Fields("no-rm-outside no-force-push no-discard-work no-secret-read no-pipe-to-shell no-sudo no-drop-table no-verify no-protected-write")
	b, _ := os.ReadFile(os.Getenv("TMPLINES"))
	total, good, asks := 0, 0, 0
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.SplitN(l, "\t", 3)
		if len(f) < 3 {
			if strings.TrimSpace(l) != "" { fmt.Println("BAD LINE", l) }
			continue
		}
		policies := strings.Split(f[0], ",")
		if f[0] == "*" {
			policies = deny
		}
		for _, p := range policies {
			c := commandCase{Policy: p, Command: strings.ReplaceAll(f[2], `\n`, "\n"), Cwd: "/home/dev/app", Project: "/home/dev/app"}
			got, err := c.judge(context.Background())
			if err != nil {
				fmt.Println("ERR", p, f[2], err)
			}
			total++
			if slices.Contains(strings.Split(f[1], ","), got) {
				good++
			} else {
				if got == "ask" { asks++ }
				fmt.Printf("%-6s want %-10s %-20s %s\n", got, f[1], p, f[2])
			}
		}
	}
	fmt.Println(good, "of", total, "asks among bad:", asks)
}
