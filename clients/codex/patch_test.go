package codex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

func patchAction(t testing.TB, text string) tool.Action {
	t.Helper()
	a, known := codex.Action("apply_patch", object("command", text), codex.Place{Cwd: app, Home: "/home/dev", Resolve: same})
	require.True(t, known)
	return a
}

// touches lists "change path" of each argument, below the working directory.
func touches(list ...string) (files []tool.File) {
	for _, s := range list {
		change, path, _ := strings.Cut(s, " ")
		if !strings.HasPrefix(path, "/") {
			path = app + "/" + path
		}
		files = append(files, tool.File{Path: path, Real: path, Change: tool.Change(change)})
	}
	return files
}

func patchOf(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func TestPatch(t *testing.T) {
	for name, test := range map[string]struct {
		patch string
		want  tool.Action
	}{
		"add":            {patchOf("*** Add File: a", "+x", "+"), tool.Write{Files: touches("create a")}},
		"add empty":      {patchOf("*** Add File: a"), tool.Write{Files: touches("create a")}},
		"add two":        {patchOf("*** Add File: a", "+x", "*** Add File: d/b", "+y"), tool.Write{Files: touches("create a", "create d/b")}},
		"delete":         {patchOf("*** Delete File: a"), tool.Delete{Files: touches("delete a")}},
		"delete two":     {patchOf("*** Delete File: a", "*** Delete File: b"), tool.Delete{Files: touches("delete a", "delete b")}},
		"update":         {patchOf("*** Update File: a", "@@ f()", " x", "-y", "+z", "", "@@", "+w", "*** End of File"), tool.Edit{Files: touches("edit a")}},
		"no hunk header": {patchOf("*** Update File: a", "-y", "+z"), tool.Edit{Files: touches("edit a")}},
		"move":           {patchOf("*** Update File: a", "*** Move to: b/c", "@@", "-y", "+z"), tool.Edit{Files: touches("delete a", "create b/c")}},
		"move alone":     {patchOf("*** Update File: a", "*** Move to: b"), tool.Edit{Files: touches("delete a", "create b")}},
		"all kinds": {
			patchOf("*** Add File: a", "+x", "*** Update File: b", "@@", "-y", "*** Delete File: c", "*** Update File: d", "*** Move to: e", "@@", "+z"),
			tool.Edit{Files: touches("create a", "edit b", "delete c", "delete d", "create e")},
		},
		"add and delete": {patchOf("*** Add File: a", "+x", "*** Delete File: b"), tool.Edit{Files: touches("create a", "delete b")}},
		"absolute":       {patchOf("*** Add File: /etc/passwd", "+x"), tool.Write{Files: touches("create /etc/passwd")}},
		"out of the folder": {
			patchOf("*** Delete File: ../../x", "*** Delete File: d/../.env"),
			tool.Delete{Files: touches("delete /home/x", "delete .env")},
		},
		"spaces in names":   {patchOf("*** Add File: a b/c d ", "+x"), tool.Write{Files: touches("create a b/c d")}},
		"a space in front":  {patchOf("*** Add File:  a", "+x"), tool.Write{Files: touches("create  a")}},
		"padded markers":    {"\n *** Begin Patch \n  *** Add File: a\t\n+x\n\t*** End Patch  \n\n", tool.Write{Files: touches("create a")}},
		"carriage returns":  {strings.ReplaceAll(patchOf("*** Update File: a", "@@", "-x", "+y"), "\n", "\r\n"), tool.Edit{Files: touches("edit a")}},
		"here-document":     {"<<'EOF'\n" + patchOf("*** Add File: a", "+x") + "EOF\n", tool.Write{Files: touches("create a")}},
		"here-document, \"": {"<<\"EOF\"\n" + patchOf("*** Add File: a", "+x") + "EOF", tool.Write{Files: touches("create a")}},
		"here-document, 0":  {"<<EOF\n" + patchOf("*** Add File: a", "+x") + "EOF\n", tool.Write{Files: touches("create a")}},
		"header as content": {patchOf("*** Add File: a", "+*** Delete File: b"), tool.Write{Files: touches("create a")}},
		"header removed":    {patchOf("*** Update File: a", "@@", "-*** Delete File: b", "+*** End Patch"), tool.Edit{Files: touches("edit a")}},
		"padded header": {
			patchOf("*** Add File: a", "+x", "  *** Delete File: b", " *** Update File: c", "*** Move to: d", "+x"),
			tool.Edit{Files: touches("create a", "delete b", "delete c", "create d")},
		},
		// The client does not expand it; other releases may.
		"tilde":         {patchOf("*** Add File: ~/y", "+x"), tool.Write{Files: touches("create ~/y", "create /home/dev/y")}},
		"out by tilde":  {patchOf("*** Add File: ~/../../y", "+x"), tool.Write{Files: touches("create /home/dev/y", "create /y")}},
		"tilde in name": {patchOf("*** Add File: ~y", "+x"), tool.Write{Files: touches("create ~y")}},
		// Some releases take this line for content, some for a header.
		"header in context": {patchOf("*** Update File: a", "@@", " *** Delete File: b", "-x", "*** Delete File: c"), tool.Edit{Files: touches("edit a", "delete b", "delete c")}},
		"environment": {
			patchOf("*** Environment ID: remote", "*** Add File: a", "+x"),
			tool.Write{Files: []tool.File{{Path: app + "/a", Change: tool.ChangeCreate}}},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, patchAction(t, test.patch)) })
	}
}

// What cannot be read makes a patch partial and hides none of its files. It may do
// anything to a file, so the patch is an edit whatever else it does.
func TestDoubtfulPatch(t *testing.T) {
	for name, test := range map[string]struct {
		patch string
		want  tool.Action
	}{
		"empty":                   {"", tool.Edit{Files: touches(), Partial: true}},
		"nothing in it":           {patchOf(), tool.Edit{Files: touches(), Partial: true}},
		"beginning and end":       {"*** Begin Patch\n*** End Patch", tool.Edit{Files: touches(), Partial: true}},
		"no beginning":            {"*** Add File: a\n+x\n*** End Patch", tool.Edit{Files: touches("create a"), Partial: true}},
		"no end":                  {"*** Begin Patch\n*** Add File: a\n+x", tool.Edit{Files: touches("create a"), Partial: true}},
		"a unified diff":          {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", tool.Edit{Files: touches(), Partial: true}},
		"unknown header":          {patchOf("*** Add File: a", "+x", "*** Copy File: b"), tool.Edit{Files: touches("create a"), Partial: true}},
		"header without a blank":  {patchOf("*** Add File:a", "+x"), tool.Edit{Files: touches(), Partial: true}},
		"header without a name":   {patchOf("*** Update File: ", "*** Move to: b"), tool.Edit{Files: touches("create b"), Partial: true}},
		"lower case":              {patchOf("*** add file: a", "+x"), tool.Edit{Files: touches(), Partial: true}},
		"line of no file":         {patchOf("+x", "*** Add File: a"), tool.Edit{Files: touches("create a"), Partial: true}},
		"line without a plus":     {patchOf("*** Add File: a", "x"), tool.Edit{Files: touches("create a"), Partial: true}},
		"content of a deletion":   {patchOf("*** Delete File: a", "-x"), tool.Edit{Files: touches("delete a"), Partial: true}},
		"change without a sign":   {patchOf("*** Update File: a", "@@", "x"), tool.Edit{Files: touches("edit a"), Partial: true}},
		"more behind the end":     {patchOf("*** Add File: a") + "*** Delete File: b\n", tool.Edit{Files: touches("create a", "delete b"), Partial: true}},
		"text behind the end":     {patchOf("*** Add File: a") + "x\n", tool.Edit{Files: touches("create a"), Partial: true}},
		"second patch":            {patchOf("*** Add File: a") + patchOf("*** Delete File: b"), tool.Edit{Files: touches("create a", "delete b"), Partial: true}},
		"move of a new file":      {patchOf("*** Add File: a", "*** Move to: b"), tool.Edit{Files: touches("create a", "create b"), Partial: true}},
		"late move":               {patchOf("*** Update File: a", "@@", "+x", "*** Move to: b"), tool.Edit{Files: touches("edit a", "create b"), Partial: true}},
		"second move":             {patchOf("*** Update File: a", "*** Move to: b", "*** Move to: c"), tool.Edit{Files: touches("delete a", "create b", "create c"), Partial: true}},
		"late environment":        {patchOf("*** Add File: a", "*** Environment ID: x"), tool.Edit{Files: touches("create a"), Partial: true}},
		"environment without one": {patchOf("*** Environment ID: ", "*** Add File: a"), tool.Edit{Files: touches("create a"), Partial: true}},
		"with a command":          {"apply_patch <<'EOF'\n" + patchOf("*** Add File: a") + "EOF", tool.Edit{Files: touches("create a"), Partial: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := patchAction(t, test.patch)
			if want, ok := test.want.(tool.Edit); ok && len(want.Files) == 0 {
				require.Equal(t, tool.Edit{Files: []tool.File{}, Partial: true}, got)
				return
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestPatchArguments(t *testing.T) {
	at := codex.Place{Cwd: app, Resolve: same}
	for _, arguments := range []value.Value{value.OfObject(), value.NullValue(), object("patch", patchOf("*** Add File: a"))} {
		got, _ := codex.Action("apply_patch", arguments, at)
		require.Equal(t, tool.Edit{Files: []tool.File{}, Partial: true}, got)
	}
	got, _ := codex.Action("apply_patch", object("command", patchOf("*** Add File: ~/a")), at)
	require.Equal(t, tool.Write{Files: touches("create ~/a"), Partial: true}, got, "there is no home")
}

// Whatever the text, a line that every release takes for a header names a file
// of the action.
func FuzzPatch(f *testing.F) {
	f.Add(patchOf("*** Update File: a", "*** Move to: b", "@@ x", "-y", " z", "*** End of File"))
	f.Add("<<'EOF'\n" + patchOf("*** Environment ID: e", "*** Add File: a", "+x", "*** Delete File: b") + "EOF")
	f.Add("*** Update File: \r\n*** Move to: \x00\n*** End Patch\n*** Delete File: //..")
	f.Fuzz(func(t *testing.T, text string) {
		want := 0
		for line := range strings.SplitSeq(text, "\n") {
			for _, header := range []string{"*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "} {
				if path, ok := strings.CutPrefix(strings.TrimSpace(line), header); ok && path != "" {
					want++
				}
			}
		}
		files, partial := filesOf(t, patchAction(t, text))
		require.True(t, partial || len(files) > 0)
		require.GreaterOrEqual(t, len(files), want)
		for _, f := range files {
			require.True(t, strings.HasPrefix(f.Path, "/"))
		}
	})
}

func filesOf(t *testing.T, a tool.Action) (files []tool.File, partial bool) {
	t.Helper()
	switch a := a.(type) {
	case tool.Write:
		return a.Files, a.Partial
	case tool.Delete:
		return a.Files, a.Partial
	case tool.Edit:
		return a.Files, a.Partial
	case tool.Shell, tool.Read, tool.Search, tool.Fetch, tool.MCP, tool.Agent, tool.Other:
	}
	t.Fatalf("%T is no action of a patch", a)
	return nil, false
}
