//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
)

// looks are calls that look at the workspace, and at nothing else.
const looks = `{"tools": [
	{"tool": "read", "arguments": {"path": "in.txt"}}, {"tool": "glob", "arguments": {"pattern": "*.txt"}},
	{"tool": "grep", "arguments": {"pattern": "in", "path": "in.txt"}}, {"tool": "read", "arguments": {"path": "sub/../in.txt"}}]}
`

// deeds are calls that do more, one of each kind.
const deeds = `{"tools": [
	{"tool": "bash", "arguments": {"command": "echo run > made"}}, {"tool": "write", "arguments": {"path": "written", "content": "x"}},
	{"tool": "edit", "arguments": {"path": "in.txt", "old": "in", "new": "out"}},
	{"tool": "read", "arguments": {"path": "OUT/secret"}}, {"tool": "read", "arguments": {"path": "link"}},
	{"tool": "glob", "arguments": {"pattern": "*", "path": "OUT"}}, {"tool": "glob", "arguments": {"pattern": "*", "path": "folder"}},
	{"tool": "grep", "arguments": {"pattern": "s", "path": ".."}}, {"tool": "grep", "arguments": {"pattern": "s", "path": "link"}},
	{"tool": "read", "arguments": {"path": "~/x"}}, {"tool": "write", "arguments": {"path": "link", "content": "x"}}]}
`

const numberOfDeeds = 11

// guarded is a workspace with links that lead out of it.
func guarded(t *testing.T, files map[string]string) workspace {
	t.Helper()
	w := newWorkspace(t, map[string]string{"in.txt": "in\n", "sub/x": ""})
	out, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(out, "secret"), []byte("secret\n"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(out, "secret"), filepath.Join(w.dir, "link")))
	require.NoError(t, os.Symlink(out, filepath.Join(w.dir, "folder")))
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w.env = append(w.env, "HOME="+home)
	w.write(t, "answers.jsonl", "["+looks+","+strings.ReplaceAll(deeds, "OUT", out)+`,{"text": "ok"}]`)
	for name, content := range files {
		w.write(t, name, content)
	}
	return w
}

func (w workspace) untouched(t *testing.T) {
	t.Helper()
	require.False(t, w.has("made") || w.has("written"))
	require.Equal(t, "in\n", readFile(t, w, "in.txt"))
	require.Equal(t, "secret\n", readFile(t, w, "link"))
}

// Without a grant, what looks at the workspace runs, and nothing else does unless
// somebody says so.
func TestOnlyLooksRunUnasked(t *testing.T) {
	for name, test := range map[string]struct{ args, mode, why string }{
		"nobody to ask": {"", "are denied: there is no terminal to ask at; --yes or --no answers for you", "requires approval, but no approval channel is available"},
		"--no":          {"--no", "--no: calls that change something, run commands or leave", "the user rejected tool"},
		"--ask alone":   {"--no --ask", "--no: calls that change something", "the user rejected tool"},
	} {
		t.Run(name, func(t *testing.T) {
			w := guarded(t, nil)
			got := w.run(t, "", append(strings.Fields(test.args), "--model", "answers.jsonl", "--session", "log", "go")...)
			require.Zero(t, got.status, got.err)
			require.Contains(t, got.err, "mode ")
			require.Contains(t, got.err, test.mode)
			w.untouched(t)
			results := w.results(t)
			require.Len(t, results, 4+numberOfDeeds)
			for i, result := range results {
				require.Equal(t, i >= 4, strings.Contains(result, test.why), "%d: %s", i, result)
			}
			for _, why := range []string{"it runs a command", "it writes a file", "it changes a file", "it looks outside of the workspace, at ", "it writes outside of the workspace, at "} {
				require.Contains(t, got.err, "ask: "+why)
			}
			require.Contains(t, got.err, "(rule --ask=changes)")
		})
	}
}

func TestModesThatRunEverything(t *testing.T) {
	for _, args := range []string{"--yes", "--ask=policies", "--ask=policies --no"} {
		t.Run(args, func(t *testing.T) {
			w := guarded(t, nil)
			got := w.run(t, "", append(strings.Fields(args), "--model", "answers.jsonl", "--session", "log", "go")...)
			require.Zero(t, got.status, got.err)
			require.Contains(t, got.err, "every call runs that no policy denies")
			require.NotContains(t, got.err, "  ask: ")
			require.True(t, w.has("made") && w.has("written"))
		})
	}
}

// A grant is for policies that the command line names.
func TestGrants(t *testing.T) {
	const preapprove = `dsh.on("tools/pre-execute", { action = "shell" }, function() return dsh.allow{preapproved = true} end)`
	const grants = `dsh.on("tools/approve", function() return {kind = "grant"} end)`
	for name, test := range map[string]struct {
		files map[string]string
		args  string
		made  bool
	}{
		"with the grant":               {map[string]string{"p.lua": preapprove}, "--policy p.lua --grant preapprove", true},
		"without":                      {map[string]string{"p.lua": preapprove}, "--policy p.lua", false},
		"the project's":                {map[string]string{".dsh/policies/p.lua": preapprove}, "--grant preapprove", false},
		"the project's answers":        {map[string]string{".dsh/policies/p.lua": grants}, "", false},
		"a named policy answers":       {map[string]string{"p.lua": grants}, "--policy p.lua", true},
		"a project's no has its place": {map[string]string{"p.lua": preapprove, ".dsh/policies/p.lua": `dsh.on("tools/pre-execute", function() return dsh.deny("no") end)`}, "--policy p.lua --grant preapprove", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := guarded(t, test.files)
			got := w.run(t, "", append(strings.Fields(test.args), "--model", "answers.jsonl", "go")...)
			require.Zero(t, got.status, got.err)
			require.Equal(t, test.made, w.has("made"), got.err)
			if !strings.Contains(name, "answers") {
				require.False(t, w.has("written"), got.err)
			}
		})
	}
}

// At a terminal the whole command is shown, and every call is asked about anew.
func TestAskedAtTheTerminal(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"tools": [{"tool": "bash", "arguments": {"command": "touch one #` + strings.Repeat(" ", 900) + `the end"}}]}
{"tools": [{"tool": "bash", "arguments": {"command": "touch two"}}, {"tool": "read", "arguments": {"path": "answers.jsonl"}}]}
{"text": "ok"}`})
	k := w.talk(t, "--model", "answers.jsonl", "go")
	k.expect("are asked about at the terminal")
	k.expect("the end")
	k.expect("it runs a command")
	k.expect("(rule --ask=changes)")
	k.expect("allow this call? [y/N] ")
	k.typed("y\n")
	k.expect("touch two")
	k.expect("allow this call? [y/N] ")
	k.typed("n\n")
	status, rest := k.end()
	require.Zero(t, status, rest)
	require.NotContains(t, rest, "allow this call")
	require.True(t, w.has("one"))
	require.False(t, w.has("two"))
}

// The whole of it: a scripted model, real tools, the example policies, and a human
// at a terminal.
func TestEndToEnd(t *testing.T) {
	examples, err := filepath.Abs("../../extensions/examples")
	require.NoError(t, err)
	w := newWorkspace(t, map[string]string{".git/config": "[core]\n", "main.go": "package main\n", "answers.jsonl": `{"text": "I look around.", "tools": [{"tool": "glob", "arguments": {"pattern": "*.go"}}, {"tool": "read", "arguments": {"path": "main.go"}}]}
{"tools": [{"tool": "edit", "arguments": {"path": "main.go", "old": "main", "new": "tool"}}]}
{"tools": [{"tool": "bash", "arguments": {"command": "git push --force origin main"}}]}
{"tools": [{"tool": "write", "arguments": {"path": ".git/hooks/pre-push", "content": "x"}}]}
{"tools": [{"tool": "bash", "arguments": {"command": "touch refused"}}]}
{"text": "I am done."}
`})
	k := w.talk(t, "--model", "answers.jsonl", "--session", "log",
		"--policy", filepath.Join(examples, "no-force-push/policy.lua"), "--policy", filepath.Join(examples, "protected-paths/policy.lua"), "go")
	k.expect("I look around.")
	k.expect("it changes a file")
	k.expect("allow this call? [y/N] ")
	k.typed("y\n")
	k.expect("touch refused")
	k.expect("allow this call? [y/N] ")
	k.typed("n\n")
	status, rest := k.end()
	require.Zero(t, status, rest)
	require.Contains(t, rest, "I am done.")
	require.Equal(t, "package tool\n", readFile(t, w, "main.go"))
	require.False(t, w.has("refused") || w.has(".git/hooks/pre-push"))
	results := w.results(t)
	require.Len(t, results, 6)
	require.Equal(t, []string{"main.go", "package main\n", "replaced the text once in " + w.dir + "/main.go"}, results[:3])
	for _, result := range results[3:] {
		require.True(t, strings.HasPrefix(result, "Error: "), result)
	}
}

// A session whose approval policy is never is not loosened by going on with it,
// or by forking it, and --no is not loosened by a session that asks.
func TestNeverIsNotLoosened(t *testing.T) {
	for name, test := range map[string]struct {
		policy session.ApprovalPolicy
		args   string
		told   bool
	}{
		"resumed with --yes": {session.PolicyNever, "--yes --session log --resume", true},
		"forked with --yes":  {session.PolicyNever, "--yes --session fork --fork log", true},
		"resumed with --no":  {session.PolicyAsk, "--no --session log --resume", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := guarded(t, nil)
			log, err := session.CreateLog(filepath.Join(w.dir, "log"), session.Header{ID: "s", Cwd: w.dir, Project: w.dir}, session.LogOptions{})
			require.NoError(t, err)
			for _, ev := range []session.Event{session.TurnStarted(1), session.TurnEnded(1, session.End{Kind: session.EndCompleted}), session.PolicyChanged(test.policy)} {
				_, err := log.Append(t.Context(), ev)
				require.NoError(t, err)
			}
			require.NoError(t, log.Close())
			got := w.run(t, "", append(strings.Fields(test.args), "--model", "answers.jsonl", "go")...)
			require.Zero(t, got.status, got.err)
			require.Equal(t, test.told, strings.Contains(got.err, "the approval policy of this session is never"), got.err)
			require.Contains(t, got.err, "the user rejected tool")
			w.untouched(t)
		})
	}
}
