package docs_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/script/lint"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// TestFindingsHavePages holds the list of findings to their declarations; with
// DSH_UPDATE_DOCS set it is written anew.
func TestFindingsHavePages(t *testing.T) {
	const page, mark = "reference/check.md", "<!-- The rest is derived from the declarations of the findings. -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, derived, found := strings.Cut(string(text), mark)
	require.True(t, found)
	var want bytes.Buffer
	require.NoError(t, lint.Reference(&want))
	if os.Getenv("DSH_UPDATE_DOCS") != "" {
		require.NoError(t, os.WriteFile(page, []byte(head+mark+"\n"+want.String()+"\n"), 0o644))
		return
	}
	require.Equal(t, want.String(), strings.TrimSpace(derived), "run it with DSH_UPDATE_DOCS=1")
}

// checkWrong holds an example of a mistake to being one.
func checkWrong(t *testing.T, b block) {
	t.Helper()
	found := lint.Check(t.Context(), "policy.lua", b.text, lint.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(),
		Hosts: []lint.Host{{Name: "none", Fires: []string{}, Tools: []string{"Bash"}}},
	})
	require.NotEmpty(t, found, "line %d", b.line)
}

// checkRight holds a policy to having no mistakes.
func checkRight(t *testing.T, b block) {
	t.Helper()
	for _, f := range lint.Check(t.Context(), "policy.lua", b.text, lint.Options{Points: catalog.Points(), Actions: tool.ActionKinds()}) {
		require.Equal(t, lint.Hint, f.Severity, "line %d: %s", b.line, f)
	}
}
