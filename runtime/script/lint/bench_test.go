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
	for name, source := range map[string]string{"policy": string(text), "longest": longest(), "long": rules(46_000)} {
		b.Run(name, func(b *testing.B) {
			opts := options()
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				lint.Check(b.Context(), "p.lua", source, opts)
			}
		})
	}
}

// longest is a file of many rules, as long as files may be.
func longest() string { return rules(240_000) }

func rules(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `dsh.on("tools/pre-execute", { action = { "write", "edit" }, rule = "rule-%d" }, function(call)
  for _, file in ipairs(call.action.files) do
    if file.path:find("/generated-%d/", 1, true) then return dsh.deny(file.path .. " is generated") end
  end
end)
`, i, i)
	}
	return b.String()
}
