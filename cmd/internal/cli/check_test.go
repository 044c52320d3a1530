package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script/lint"
	"github.com/dsh-lua/dsh/runtime/value"
)

// TestAgentTools holds the list of the agent's tools to its sources, which this
// program must not link.
func TestAgentTools(t *testing.T) {
	files, err := filepath.Glob("../../dsh-agent/internal/tools/*.go")
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isDefinition(lit) {
				return true
			}
			for _, e := range lit.Elts {
				field, ok := e.(*ast.KeyValueExpr)
				if value, text := field.Value.(*ast.BasicLit); ok && text && field.Key.(*ast.Ident).Name == "Name" {
					name, err := strconv.Unquote(value.Value)
					require.NoError(t, err)
					names = append(names, name)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	require.Equal(t, names, agentTools)
}

func isDefinition(lit *ast.CompositeLit) bool {
	sel, ok := lit.Type.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Definition"
}

// A file that cannot be written is left as it is, and nothing beside it.
func TestReplaceFileIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "p.lua")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o640))
	require.NoError(t, os.Symlink(name, filepath.Join(dir, "link.lua")))
	require.NoError(t, replaceFile(filepath.Join(dir, "link.lua"), []byte("new")))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	info, err := os.Lstat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Error(t, replaceFile(filepath.Join(dir, "none.lua"), nil))
}

// TestJSONIsDescribed holds the page of dsh check to the members of the report.
func TestJSONIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/check.md")
	require.NoError(t, err)
	_, described, found := strings.Cut(string(page), "**JSON.**")
	require.True(t, found)
	described, _, _ = strings.Cut(described, "**Fixes.**")
	var describe func(v value.Value)
	describe = func(v value.Value) {
		for _, item := range v.Items() {
			describe(item)
		}
		for key, member := range v.Members() {
			require.Contains(t, described, "`"+key+"`")
			describe(member)
		}
	}
	finding := lint.Finding{Hint: "h", Fix: &lint.Fix{Edits: []lint.Edit{{}}}}
	var out strings.Builder
	report := checkReport{Files: []checkedFile{{findings: []lint.Finding{finding}, mended: []lint.Finding{finding}}}}
	require.NoError(t, report.json(&out))
	doc, err := value.Parse([]byte(out.String()))
	require.NoError(t, err)
	describe(doc)
}

func TestLevels(t *testing.T) {
	for _, k := range lint.Kinds() {
		require.NotEqual(t, "none", level(k.Severity), k.ID)
		require.NotEmpty(t, k.Title)
		require.NotEmpty(t, k.Doc)
	}
}
