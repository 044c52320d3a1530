package lint_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script/lint"
)

// BenchmarkCheck checks a policy of the repository, and a file as long as files may
// be.
func BenchmarkCheck(b *testing.B) {
	text, err := os.ReadFile("../../../extensions/examples/protected-paths/policy.lua")
	require.NoError(b, err)
	for name, source := range map[string]string{"policy": string(text), "longest": longest()} {
		b.Run(name, func(b *testing.B) {
			opts := options()
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				lint.Check(b.Context(), "p.lua", source, opts)
			}
		})
	}
}

// longest is a file of many rules, with a mistake in each.
func longest() string {
	var b strings.Builder
	for i := 0; b.Len() < 240_000; i++ {
		fmt.Fprintf(&b, `
dsh.on("tools/pre-execute", { action = "edit", rule = "r%d" }, function(call)
  if call.tool == "Bash" and #call.tool > %d then return dsh.deny("no " .. call.tool) end
  if not call.tool == "Edit" then dsh.deny "x" end
end)
`, i, i)
	}
	return b.String()
}
