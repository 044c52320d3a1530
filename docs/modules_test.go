package docs_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

var update = flag.Bool("update", false, "rewrite the derived parts of pages")

// examplesBegin is where the page of a module ends to be derived.
const examplesBegin = "\n## Examples\n"

// Every module has a page: first what its declaration says, then examples.
func TestModulesHavePages(t *testing.T) {
	list, err := os.ReadFile("lua.md")
	require.NoError(t, err)
	for _, m := range stdlib.Modules() {
		t.Run(m.Name, func(t *testing.T) {
			file := "reference/modules/" + m.Name + ".md"
			page, err := os.ReadFile(file)
			require.NoError(t, err)
			var derived bytes.Buffer
			require.NoError(t, stdlib.Reference(&derived, m))
			head, examples, found := strings.Cut(string(page), examplesBegin)
			require.True(t, found, "%s has no examples", file)
			require.Contains(t, examples, "```lua")
			if *update {
				head = derived.String()
				require.NoError(t, os.WriteFile(file, []byte(head+examplesBegin+examples), 0o644))
			}
			require.Equal(t, derived.String(), head, "%s is stale: run go test ./docs -run Modules -update", file)
			require.Contains(t, string(list), "(reference/modules/"+m.Name+".md)")
		})
	}
}

// TestTheLibraryOfTestsHasAPage holds it to the declaration.
func TestTheLibraryOfTestsHasAPage(t *testing.T) {
	const file = "reference/test-library.md"
	var derived bytes.Buffer
	require.NoError(t, stdlib.Reference(&derived, scripttest.Library()))
	want := strings.Replace(derived.String(), "`local test = require \"test\"`, at file level.", "It is there in every file of tests of [dsh test](test.md), as a global.", 1)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(page), "%s is stale: run go test ./docs -run Library -update", file)
}

var (
	requires = regexp.MustCompile(`(?m)^local \w+ = require .*\n`)
	claims   = regexp.MustCompile(`^(\s*)(.+?)\s+--> (.+)$`)
)

// exampleHead makes what examples are checked with.
const exampleHead = `local json_ = require "json"
local function check_(line, got, want)
  if json_.encode({ got }) ~= json_.encode({ want }) then
    error("line " .. line .. ": " .. json_.encode({ got }) .. " is not " .. json_.encode({ want }), 0)
  end
end
`

// runExample runs a block as the body of a handler.
func runExample(t *testing.T, b block) {
	t.Helper()
	source := exampleHead + strings.Join(requires.FindAllString(b.text, -1), "") + "dsh.on(\"tools/pre-execute\", function(call)\n"
	claimed := 0
	for i, line := range strings.Split(requires.ReplaceAllString(b.text, ""), "\n") {
		if found := claims.FindStringSubmatch(line); found != nil {
			claimed++
			line = fmt.Sprintf("%scheck_(%d, (%s), (%s))", found[1], b.line+1+i+len(requires.FindAllString(b.text, -1)), found[2], found[3])
		}
		source += line + "\n"
	}
	require.Positive(t, claimed, "line %d: the example claims nothing", b.line)
	policy, err := script.Load(t.Context(), "example.lua", source+"end)\n", script.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(), Services: exampleServices(),
	})
	require.NoError(t, err, "line %d", b.line)
	var registry point.Registry
	_, err = registry.Install(policy)
	require.NoError(t, err)
	_, err = tool.PreExecute.Run(t.Context(), point.Run{Handlers: &registry}, tool.Call{
		ID: "1", Tool: "Bash", Arguments: value.OfObject(value.Member{Key: "command", Value: value.OfString("make")}),
		Action:  tool.Shell{Command: "make", Cwd: "/home/dev/app"},
		Session: session.Ref{ID: "s1", Cwd: "/home/dev/app", Project: "/home/dev/app"},
	})
	require.NoError(t, err, "line %d", b.line)
}

// exampleServices are the world of the examples: noon of 4 March 2026, the user's
// home /home/dev, and in it a project with a link that leads out of it.
func exampleServices() stdlib.Services {
	return stdlib.Services{
		FS: fstest.MapFS{
			"home/dev/app/.git/HEAD":            {Data: []byte("ref: refs/heads/main\n")},
			"home/dev/app/.git/refs/heads/main": {Data: []byte(strings.Repeat("1a", 20) + "\n")},
			"home/dev/app/.git/config":          {Data: []byte("[remote \"origin\"]\n\turl = https://example.com/app.git\n")},
			"home/dev/app/out":                  {Data: []byte("/srv/out"), Mode: os.ModeSymlink},
		},
		Home: "/home/dev", State: new(stdlib.Memory),
		Clock: func(context.Context) time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) },
	}
}
