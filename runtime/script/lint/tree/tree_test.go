package tree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

func parse(t testing.TB, source string) *tree.File {
	t.Helper()
	f, err := tree.Parse(source)
	require.NoError(t, err)
	return f
}

// TestPlaces reads one source and asks for the places and texts of its nodes.
func TestPlaces(t *testing.T) {
	f := parse(t, "local a = 1 -- one\nif a == 2 then\n  f(a.b[\"c\"], { x = 'y' })\r\nend")
	var texts []string
	tree.Walk(f.Body, func(n tree.Node) bool {
		line, column := f.Position(n.Pos())
		require.Positive(t, line)
		require.Positive(t, column)
		texts = append(texts, f.Text(n))
		return true
	})
	require.Subset(t, texts, []string{"a == 2", `f(a.b["c"], { x = 'y' })`, `a.b["c"]`, "a.b", `"c"`, "{ x = 'y' }", "'y'"})
	line, column := f.Position(strings.Index(f.Source, "f("))
	require.Equal(t, []int{3, 3}, []int{line, column})
	require.Equal(t, "end", f.Line(4))
	require.Equal(t, "-- one", f.Comments[0].Text)
}

func TestNamesKnowTheirLocals(t *testing.T) {
	f := parse(t, "local x = 1\nlocal function g(x) return x + y end\nx = x + 1\nfor x in p do q(x) end")
	require.Len(t, f.Locals, 4)
	outer, param := f.Locals[0], f.Locals[2]
	require.Equal(t, 1, outer.Writes)
	require.Len(t, outer.Uses, 2)
	require.Len(t, param.Uses, 1)
	require.Equal(t, tree.Parameter, param.Kind)
	var globals []string
	for _, n := range f.Globals {
		globals = append(globals, n.Text)
	}
	require.Equal(t, []string{"y", "p", "q"}, globals)
}

func TestStringsAreTheirValues(t *testing.T) {
	for source, want := range map[string]string{
		`"a\tb\\\"\065"`: "a\tb\\\"A", "[[\nx]]": "x", "[==[a]]b]==]": "a]]b", `'\10'`: "\n",
	} {
		f := parse(t, "return "+source)
		s := f.Body.Stmts[0].(*tree.Return).Values[0].(*tree.String)
		require.Equal(t, want, s.Value)
		if s.Plain {
			require.Equal(t, want, f.Source[s.Inner:s.Inner+len(want)])
		}
	}
}

// TestAgreesWithTheCompiler parses every Lua file of the repository.
func TestAgreesWithTheCompiler(t *testing.T) {
	n := 0
	for _, root := range []string{"../../../../spec", "../../../../extensions"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".lua" || strings.HasSuffix(path, ".d.lua") {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			agree(t, string(text))
			n++
			return nil
		}))
	}
	require.Greater(t, n, 100)
	agree(t, "return 'a'"+strings.Repeat(" .. 'a'", 4900))
	agree(t, "\xef\xbb\xbf#!/bin/dsh\nreturn 1")
}

func agree(t testing.TB, source string) {
	t.Helper()
	if _, err := luavm.Compile("x.lua", source, luavm.CompileOptions{Lenient: true}); err != nil {
		return
	}
	f, err := tree.Parse(source)
	require.NoError(t, err, source)
	inside(t, f.Body, tree.Span{From: 0, To: len(source)})
}

// inside checks that every node lies within the one that it is a part of.
func inside(t testing.TB, n tree.Node, outer tree.Node) {
	if n.Pos() < outer.Pos() || n.End() > outer.End() || n.Pos() > n.End() {
		require.Fail(t, "a node leaves its parent", "%T %v in %T %v", n, n, outer, outer)
	}
	for _, child := range tree.Children(n) {
		inside(t, child, n)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"return 1", "local a = 1", "goto x do ::x:: end", "for i in pairs({}) do break end", "local t = {1, [2] = 3, f();}",
		"a.b.c = d:e(f)", "--[==[ ]=]", "\"\\", "x, y = y, x", "function a.b:c(...) return self end", "repeat local x until x",
		"\xff\xfe", "#!\n", "goto = 1", "f'x'{y}[z]", "-- dsh: ignore", "return (f())", "return -2^2 .. 'x'",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) { agree(t, source); _, _ = tree.Parse(source) })
}
