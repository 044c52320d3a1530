package codex_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

func userFile(path, data string, f codex.Format) codex.File {
	return codex.File{Path: path, Data: []byte(data), Format: f, Source: codex.User}
}

func hooksJSON(data string) codex.File { return userFile("hooks.json", data, codex.JSON) }

func configTOML(data string) codex.File { return userFile("config.toml", data, codex.TOML) }

// The table holds what the client lists of each file, and whether it refuses it.
func TestLoadsAsTheClient(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "loads.json"))
	require.NoError(t, err)
	var table []struct {
		Name    string
		JSON    *string
		TOML    *string
		Listed  []string
		Refused bool
	}
	require.NoError(t, json.Unmarshal(data, &table))
	for _, test := range table {
		t.Run(test.Name, func(t *testing.T) {
			var files []codex.File
			if test.JSON != nil {
				files = append(files, hooksJSON(*test.JSON))
			}
			if test.TOML != nil {
				files = append(files, configTOML(*test.TOML))
			}
			c := codex.Load(files, codex.Options{})
			listed := []string{}
			for _, h := range c.Hooks {
				row := fmt.Sprintf("%s %d", h.Key, h.Timeout/time.Second)
				if !h.Enabled {
					row += " off"
				}
				if h.Trust == codex.Modified {
					row += " modified"
				}
				listed = append(listed, row)
			}
			require.Equal(t, test.Listed, listed, c.Problems)
			require.Equal(t, test.Refused, dropped(c), c.Problems)
		})
	}
}

func dropped(c codex.Config) bool {
	for _, p := range c.Problems {
		if p.Severity == hookproto.FileDropped {
			return true
		}
	}
	return false
}

const guard = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`

// Problems say what and where; a lenient reader keeps what is good.
func TestProblems(t *testing.T) {
	tests := []struct {
		name, data string
		problem    string // the first of a strict reader
		lenient    int    // handlers that a lenient reader keeps
	}{
		{"mark", "\ufeff" + guard, "hooks.json:1: the file begins with a byte order mark, which Codex refuses (file-dropped)", 1},
		{"syntax", "{\n\"hooks\":{},\n}", "hooks.json:3: invalid character '}' looking for beginning of object key string (file-dropped)", 0},
		{"empty", " \n", "hooks.json:1: the file is empty (file-dropped)", 0},
		{"wide", "\xff\xfe{\x00}\x00", "hooks.json:1: not UTF-8; it looks like UTF-16 (file-dropped)", 0},
		{"after", guard + "\n{}", "hooks.json:2: something follows the end of the JSON value (file-dropped)", 0},
		{"version", `{"version":1,` + guard[1:], "hooks.json:1: version: no such key; Codex knows description and hooks here (file-dropped)", 1},
		{"claude", `{"permissions":{},` + guard[1:], "hooks.json:1: permissions: no such key; Codex knows description and hooks here; this looks like a claude-code file (file-dropped)", 1},
		{"unwrapped", `{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}`, `hooks.json:1: Stop: events stand below hooks: {"hooks": {…}} (file-dropped)`, 1},
		{"seconds", `{"hooks":{"Stop":[{"hooks":[
			{"type":"command","command":"x"},
			{"type":"command","command":"y","timeout":"5"}]}]}}`, "hooks.json:3: hooks.Stop[0].hooks[1].timeout: string, expected whole seconds (file-dropped)", 2},
		{"http", `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"u"},{"type":"command","command":"x"}]}]}}`, `hooks.json:1: hooks.Stop[0].hooks[0].type: "http" is no type of handler; Codex knows command, mcp_tool, prompt, agent (file-dropped)`, 1},
		{"no command", `{"hooks":{"Stop":[{"hooks":[{"type":"command"},{"type":"command","command":"x"}]}]}}`, "hooks.json:1: hooks.Stop[0].hooks[0].command: a command handler needs a string (file-dropped)", 1},
		{"object", `{"hooks":{"SessionStart":{},"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`, "hooks.json:1: hooks.SessionStart: object, expected an array of groups (file-dropped)", 1},
		{"twice", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}],"Stop":[{"hooks":[{"type":"command","command":"y"}]}]}}`, "hooks.json:1: hooks.Stop: the name occurs twice (file-dropped)", 2},
		{"unknown event", `{"hooks":{"pre_tool_use":[]}}`, "hooks.json:1: hooks.pre_tool_use: Codex has no such event; did you mean PreToolUse? (ignored)", 0},
		{"unknown field", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeoutSec":5}]}]}}`, "hooks.json:1: hooks.Stop[0].hooks[0].timeoutSec: no field of a command handler; it is called timeout here (ignored)", 1},
		{"flat", `{"hooks":{"Stop":[{"type":"command"}]}}`, "hooks.json:1: hooks.Stop[0].type: no field of a group; handlers stand in its hooks array (ignored)", 0},
		{"blank", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":" "}]}]}}`, "hooks.json:1: hooks.Stop[0].hooks[0]: the command is blank (entry-skipped)", 0},
		{"pattern", `{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[{"type":"command","command":"x"}]}]}}`, `hooks.json:1: hooks.PreToolUse[0].matcher: pattern "[" is no regular expression: a bracket is not closed (PreToolUse) (entry-skipped)`, 0},
		{"matcher", `{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"x"}]}]}}`, "hooks.json:1: hooks.Stop[0].matcher: Stop has nothing to match; the hooks always run (ignored)", 1},
		{"short", `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"x","timeout":9}]}]}}`, "hooks.json:1: hooks.SessionEnd[0].hooks[0].timeout: SessionEnd hooks get at most 3 seconds, which holds (mistaken)", 1},
		{"sync", `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"x","async":true}]}]}}`, "hooks.json:1: hooks.SessionEnd[0].hooks[0].async: SessionEnd hooks always run synchronously (ignored)", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := codex.Load([]codex.File{hooksJSON(test.data)}, codex.Options{})
			require.NotEmpty(t, c.Problems)
			require.Equal(t, test.problem, c.Problems[0].String())
			c = codex.Load([]codex.File{hooksJSON(test.data)}, codex.Options{Lenient: true})
			require.Len(t, c.Hooks, test.lenient)
		})
	}
}

// A mistake in TOML refuses everything; a lenient reader goes on.
func TestTOMLRefusesAll(t *testing.T) {
	files := []codex.File{hooksJSON(guard), configTOML("\n[[hooks.Stop]]\nhooks=[{type=\"command\",\n  command=5}]\n")}
	c := codex.Load(files, codex.Options{})
	require.True(t, c.Refused)
	require.Empty(t, c.Hooks)
	require.Equal(t, "config.toml:4: hooks.Stop[0].hooks[0].command: 5, expected a string (file-dropped)", c.Problems[0].String())
	c = codex.Load(files, codex.Options{Lenient: true})
	require.Len(t, c.Hooks, 1)
	c = codex.Load([]codex.File{configTOML("[[hooks.SessionStart.hooks]]\ntype=\"command\"\n\n[[hooks.SessionStart]]\n")}, codex.Options{})
	require.True(t, c.Refused)
}

func TestFeatures(t *testing.T) {
	stop := hooksJSON(guard)
	file := func(s codex.Source, data string) codex.File {
		return codex.File{Path: string(s) + ".toml", Source: s, Format: codex.TOML, Data: []byte(data)}
	}
	tests := []struct {
		name     string
		files    []codex.File
		disabled bool
	}{
		{"on by default", nil, false},
		{"off", []codex.File{file(codex.User, "features.hooks=false")}, true},
		{"old name", []codex.File{file(codex.User, "features.codex_hooks=false")}, true},
		{"new name holds", []codex.File{file(codex.User, "[features]\nhooks=true\ncodex_hooks=false")}, false},
		{"new name holds", []codex.File{file(codex.User, "[features]\nhooks=false\ncodex_hooks=true")}, true},
		{"last layer holds", []codex.File{file(codex.User, "features.hooks=false"), file(codex.Session, "features.hooks=true")}, false},
		{"requirements hold", []codex.File{file(codex.Requirements, "features.hooks=false"), file(codex.Session, "features.hooks=true")}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := codex.Load(append(test.files, stop), codex.Options{})
			require.Equal(t, test.disabled, c.Disabled)
			require.Equal(t, test.disabled, len(c.Hooks) == 0)
		})
	}
	require.True(t, codex.Load([]codex.File{file(codex.User, "features.hooks=1")}, codex.Options{}).Refused)
}

// Hooks of a project wait for trust in the project, all of them for trust in
// each; state counts from the user's own layers alone.
func TestTrust(t *testing.T) {
	files := map[string]string{
		"/home/.codex/config.toml": "[projects.\"/p\"]\ntrust_level=\"trusted\"\n",
		"/p/.codex/hooks.json":     guard,
		"/p/a/.codex/config.toml":  "[[hooks.Stop]]\nhooks=[{type=\"command\",command=\"y\"}]\n[hooks.state.\"/p/.codex/hooks.json:stop:0:0\"]\nenabled=false\n",
		"/p/a/b/.codex/hooks.json": guard,
		"/p/c/.codex/hooks.json":   guard,
	}
	load := func(o codex.Options) (codex.Config, hookproto.Config) {
		found, _, err := codex.Discover(codex.Places{Home: "/home/.codex", Etc: "/etc/codex", Root: "/p", Dir: "/p/a/b", Read: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}})
		require.NoError(t, err)
		o.ProjectRoot = "/p"
		c := codex.Load(found, o)
		return c, c.Runnable(o)
	}
	c, runs := load(codex.Options{})
	require.Len(t, c.Hooks, 3)
	require.Empty(t, runs.Handlers)
	require.Len(t, runs.Problems, 3)

	first := c.Hooks[0]
	require.Equal(t, "/p/.codex/hooks.json:stop:0:0", first.Key)
	files["/home/.codex/config.toml"] += "[hooks.state.\"" + first.Key + "\"]\ntrusted_hash=\"" + first.Hash + "\"\n"
	_, runs = load(codex.Options{})
	require.Len(t, runs.Handlers, 1)
	require.Equal(t, "codex:Stop:1", runs.Handlers[0].ID)
	_, runs = load(codex.Options{TrustAll: true})
	require.Len(t, runs.Handlers, 3)

	files["/home/.codex/config.toml"] = "[projects.\"/p\"]\ntrust_level=\"untrusted\"\n"
	c, _ = load(codex.Options{TrustAll: true})
	require.Empty(t, c.Hooks)
	require.Len(t, c.Problems, 3)
}
