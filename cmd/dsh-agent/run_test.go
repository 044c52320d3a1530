//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/session"
)

const noRM = `dsh.on("tools/pre-execute", { action = "shell", rule = "no-rm" }, function(call)
  if call.action.command:find("^rm ") then
    return dsh.deny("move files to trash/ instead")
  elseif call.action.command:find("^touch ") then
    return dsh.ask("this makes a file")
  end
end)
`

// touch asks for approval, rm is denied.
const answers = `{"text": "I begin.", "tools": [{"tool": "bash", "arguments": {"command": "rm notes.txt"}}, {"tool": "bash", "arguments": {"command": "touch made"}}]}
{"tools": [{"tool": "write", "arguments": {"path": "w.txt", "content": "one"}}, {"tool": "read", "arguments": {"path": "w.txt"}}]}
{"text": "I am done."}
`

func project(t *testing.T) workspace {
	t.Helper()
	return newWorkspace(t, map[string]string{".dsh/policies/no-rm.lua": noRM, "answers.jsonl": answers, "notes.txt": "keep"})
}

func TestRunShowsWhatHappens(t *testing.T) {
	w := project(t)
	got := w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--yes", "--ask=policies", "go")
	require.Zero(t, got.status, got.err)
	require.Equal(t, "I begin.\nI am done.\n", got.out)
	for _, line := range []string{
		"> bash {\"command\":\"rm notes.txt\"}\n  deny: move files to trash/ instead  (rule no-rm, .dsh/policies/no-rm.lua:3)\n< bash failed, ",
		"> bash {\"command\":\"touch made\"}\n  ask: this makes a file  (rule no-rm, .dsh/policies/no-rm.lua:5)\n  allowed-once: bash\n< bash done, ",
		"> write {\"path\":\"w.txt\",\"content\":\"one\"}\n< write done, ",
	} {
		require.Contains(t, got.err, line)
	}
	require.NotContains(t, got.err, "\x1b")
	require.True(t, w.has("made"))
	require.True(t, w.has("notes.txt"))
	require.Equal(t, []session.EndKind{session.EndCompleted}, w.ends(t, "log"))
	require.Equal(t, []string{"Error: move files to trash/ instead", "[no output]", "created " + w.dir + "/w.txt", "one"}, w.results(t))
}

func TestRunAsJSON(t *testing.T) {
	w := project(t)
	got := w.run(t, "", "--model", "answers.jsonl", "--no", "--ask=policies", "--json", "go")
	require.Zero(t, got.status, got.err)
	require.Empty(t, got.err)
	list := events(t, got.out)
	require.Equal(t, strings.Fields("session mode turn-start text call decision result call decision approval-asked approval result call result call result text turn-end"), types(list))
	require.Equal(t, w.dir, list[0].Get("project").String())
	require.Equal(t, "no-rm", list[5].Get("rule").String())
	require.Equal(t, ".dsh/policies/no-rm.lua:3", list[5].Get("at").String())
	require.Equal(t, "deny", list[5].Get("answer").Get("kind").String())
	require.Equal(t, "rejected", list[10].Get("outcome").String())
	require.Equal(t, "completed", list[17].Get("end").Get("kind").String())
	require.False(t, w.has("made"))
}

// Where nobody can be asked, nothing is approved, and that is told.
func TestRunWithoutTerminal(t *testing.T) {
	w := project(t)
	got := w.run(t, "", "--model", "answers.jsonl", "go")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "warning: a call needs approval and there is no terminal to ask at")
	require.Equal(t, 1, strings.Count(got.err, "warning: "), got.err)
	require.False(t, w.has("made") || w.has("w.txt"))
}

func TestApprovalAtTheTerminal(t *testing.T) {
	for answer, made := range map[string]bool{"y": true, "YES": true, "n": false, "": false, "what\nhm\nno idea": false, "what\ny": true, "\x04": false} {
		t.Run(answer, func(t *testing.T) {
			w := project(t)
			k := w.talk(t, "--model", "answers.jsonl", "--session", "log", "--ask=policies", "go")
			k.expect("\x1b[33mask\x1b[0m")
			k.expect("bash {\"command\":\"touch made\"}")
			k.expect("this makes a file")
			k.expect("(rule no-rm, .dsh/policies/no-rm.lua:5)")
			for line := range strings.SplitSeq(answer, "\n") {
				k.expect("allow this call? [y/N] ")
				if line != "\x04" {
					line += "\n"
				}
				k.typed(line)
			}
			status, rest := k.end()
			require.Zero(t, status, rest)
			require.Contains(t, rest, "I am done.")
			require.Equal(t, made, w.has("made"))
		})
	}
}

// Nobody can agree to what he has not seen.
func TestWhatWasTypedBeforeIsNoApproval(t *testing.T) {
	w := project(t)
	w.write(t, "answers.jsonl", `{"tools": [{"tool": "bash", "arguments": {"command": "echo ready; while ! test -e go; do read -t 0.05 < /dev/zero; done"}}]}
{"tools": [{"tool": "bash", "arguments": {"command": "touch made"}}]}
{"text": "I am done."}`)
	k := w.talk(t, "--model", "answers.jsonl", "go")
	k.expect("allow this call? [y/N] ")
	k.typed("y\n")
	k.expect("allowed-once")
	k.typed("y\n")
	k.expect("y") // the terminal echoes it: it is in the queue
	w.write(t, "go", "")
	k.expect("allow this call? [y/N] ")
	k.typed("n\n")
	_, rest := k.end()
	require.Contains(t, rest, "rejected")
	require.False(t, w.has("made"))
}

// The example policies guard this agent as they guard others.
func TestExamplePolicies(t *testing.T) {
	examples, err := filepath.Abs("../../extensions/examples")
	require.NoError(t, err)
	w := newWorkspace(t, map[string]string{".git/config": "[core]\n", "answers.jsonl": `[{"tools": [
		{"tool": "bash", "arguments": {"command": "git push --force origin main"}},
		{"tool": "write", "arguments": {"path": ".git/hooks/pre-commit", "content": "x"}},
		{"tool": "edit", "arguments": {"path": ".git/config", "old": "core", "new": "x"}},
		{"tool": "write", "arguments": {"path": "src/main.go", "content": "package main"}},
		{"tool": "bash", "arguments": {"command": "echo fine"}}]},
	{"text": "ok"}]`})
	got := w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--no", "--ask=policies",
		"--policy", filepath.Join(examples, "no-force-push/policy.lua"), "--policy", filepath.Join(examples, "protected-paths/policy.lua"), "go")
	require.Zero(t, got.status, got.err)
	results := w.results(t)
	for i := range 3 {
		require.True(t, strings.HasPrefix(results[i], "Error: "), results[i])
	}
	require.Equal(t, []string{"created " + w.dir + "/src/main.go", "fine"}, results[3:])
	require.False(t, w.has(".git/hooks/pre-commit"))
}

func TestLineMode(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": "{\"text\": \"first\"}\n{\"text\": \"second\"}\n"})
	got := w.run(t, "one\n\n  \ntwo", "--model", "answers.jsonl", "--session", "log")
	require.Zero(t, got.status, got.err)
	require.Equal(t, "first\nsecond\n", got.out)
	require.Equal(t, []session.EndKind{session.EndCompleted, session.EndCompleted}, w.ends(t, "log"))

	k := w.talk(t, "--model", "answers.jsonl")
	k.expect("dsh> ")
	k.typed("one\n")
	k.expect("first")
	k.expect("dsh> ")
	k.typed("\x04")
	status, rest := k.end()
	require.Zero(t, status, rest)
}

func TestCredentialsStayOut(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"tools": [{"tool": "bash", "arguments": {"command": "env"}}]}` + "\n" + `{"text": "ok"}`})
	w.env = append(w.env, "GITHUB_TOKEN=geheim1", "NPM_TOKEN=geheim2", "HARMLESS=here")
	got := w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--yes", "--env", "NPM_TOKEN", "go")
	require.Zero(t, got.status, got.err)
	shown := w.results(t)[0]
	require.Contains(t, shown, "HARMLESS=here")
	require.Contains(t, shown, "geheim2")
	require.NotContains(t, shown, "geheim1")
}

// What a model or a file says cannot steer the terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "\u001b[2Jclean", "tools": [{"tool": "bash\u001b[1A", "arguments": {"x": "\u202e"}}]}` + "\n" + `{"text": "ok"}`})
	got := w.run(t, "", "--model", "answers.jsonl", "go")
	require.Zero(t, got.status, got.err)
	require.NotContains(t, got.out+got.err, "\x1b")
	require.NotContains(t, got.err, "\u202e")
}

func TestMistakes(t *testing.T) {
	w := project(t)
	w.write(t, "there", "")
	w.write(t, "bad.jsonl", "{\"txt\": 1}")
	w.write(t, "bad.lua", "dsh.on(")
	w.write(t, "newer", "{\"dsh_session\":99}\n")
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.dir, "pipe"), 0o600))
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"go", 2, "dsh run: no model: name a script of answers with --model FILE\n"},
		{"--model answers.jsonl --yes --no go", 2, "exclude each other"},
		{"--model answers.jsonl --resume go", 1, "the session cannot be resumed: no session of"},
		{"--model answers.jsonl --session log --forget go", 2, "--forget does not go with"},
		{"--model answers.jsonl --session pipe --resume go", 1, "the session cannot be resumed: pipe is no file"},
		{"--model answers.jsonl --session answers.jsonl --resume go", 1, "answers.jsonl: the first line is no header of a session"},
		{"--model answers.jsonl --session newer --resume go", 1, "newer: the log has version 99; this program reads version 1"},
		{"--model answers.jsonl --session none/log go", 1, "the session cannot begin: open "},
		{"--model answers.jsonl --fork pipe go", 1, "the session cannot be forked: pipe is no file"},
		{"--model answers.jsonl --session log --resume --fork x go", 2, "exclude each other"},
		{"--model answers.jsonl --bogus go", 2, "unknown flag"},
		{"--model answers.jsonl one two", 2, "more than one prompt"},
		{"--model answers.jsonl --session there go", 2, "is there already: --resume goes on with it"},
		{"--model answers.jsonl --ask=all go", 2, "--ask is \"all\"; it can be changes or policies"},
		{"--model answers.jsonl --grant everything go", 2, "no grant \"everything\"; there is preapprove"},
		{"--model answers.jsonl --timeout -1s go", 2, "must not be negative"},
		{"--model none.jsonl go", 1, "the model's answers: open none.jsonl: no such file"},
		{"--model bad.jsonl go", 1, "an answer has no member \"txt\""},
		{"--model answers.jsonl --policy bad.lua go", 1, "the policies cannot be loaded"},
		{"--model answers.jsonl --policy none.lua go", 1, "the policies cannot be loaded"},
		{"--model answers.jsonl --project none go", 1, "the project cannot be found"},
		{"--model answers.jsonl --session none --resume go", 1, "the session cannot be resumed"},
		{"--model answers.jsonl --session there --resume go", 1, "the session cannot be resumed"},
		{"--model answers.jsonl --fork there go", 1, "the session cannot be forked"},
	} {
		t.Run(test.args, func(t *testing.T) {
			got := w.run(t, "", strings.Fields(test.args)...)
			require.Equal(t, test.status, got.status)
			require.Contains(t, got.err, test.want)
			require.Empty(t, got.out)
			require.NotContains(t, got.err, "panic")
		})
	}
}

// The status says what became of the last turn.
func TestStatus(t *testing.T) {
	for _, test := range []struct {
		name, answers, policy, want string
		status                      int
	}{
		{"the script is over", `{"tools": [{"tool": "bash", "arguments": {"command": "true"}}]}`, "", "turn 1 error: the script has no answer number 2 (SCRIPT_ENDED)", 1},
		{"the model fails", `{"failure": {"message": "no such model", "code": "INVALID"}}`, "", "turn 1 error: no such model (INVALID)", 1},
		{"the model goes on after a failure", `{"failure": {"message": "busy", "code": "SERVER"}}` + "\n" + `{"text": "ok"}`, "", "", 0},
		{"cut off", `{"text": "a", "finish": "max-tokens"}`, "", "turn 1 max-tokens", 1},
		{"a step is rejected", `{"text": "a"}`, `dsh.on("agent/pre-step", function() return dsh.reject("not today") end)`, "turn 1 blocked: not today", 1},
		{
			"halted", `{"tools": [{"tool": "bash", "arguments": {"command": "true"}}]}` + "\n" + `{"text": "a"}`,
			`dsh.on("tools/pre-execute", function(call) call.live:halt("stop it") end)`, "turn 1 aborted: cancelled by hook: stop it", 1,
		},
		{"out of time", `{"hang": true}`, "", "turn 1 aborted: cancelled by timeout", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"answers.jsonl": test.answers}
			if test.policy != "" {
				files[".dsh/policies/p.lua"] = test.policy
			}
			w := newWorkspace(t, files)
			limit := "1m"
			if strings.Contains(test.answers, "hang") {
				limit = "300ms"
			}
			got := w.run(t, "", "--yes", "--model", "answers.jsonl", "--timeout", limit, "go")
			require.Equal(t, test.status, got.status, got.err)
			require.Contains(t, got.err, test.want)
		})
	}
}

// The answer is there before it is whole: as it arrives at a terminal, by whole
// lines elsewhere.
func TestAnswersAreStreamed(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "one\nhalf a line", "hang": true}`})
	k := w.talk(t, "--model", "answers.jsonl", "go")
	k.expect("one\r\nhalf a line")
	k.typed("\x03")
	k.expect("aborted: cancelled by user")
	status, rest := k.end()
	require.Equal(t, console.ExitFault, status, rest)
	require.NotContains(t, rest, "half")

	cmd := w.command(t, "--model", "answers.jsonl", "--no", "go")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first := make([]byte, 100)
	n, err := out.Read(first)
	require.NoError(t, err)
	require.Equal(t, "one\n", string(first[:n]))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	more, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Equal(t, "half a line\n", string(more))
	_ = cmd.Wait()
}

// A session that nobody named is kept, and --resume finds the project's last one.
func TestResumeTheLastSession(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "ok"}`, ".dsh/x": "", "sub/.dsh/x": ""})
	state := t.TempDir()
	w.env = append(w.env, "XDG_STATE_HOME="+state)
	session := func(args ...string) (id, file string) {
		got := w.run(t, "", append([]string{"--model", "answers.jsonl", "--no", "--json"}, args...)...)
		require.Zero(t, got.status, got.out+got.err)
		for _, e := range events(t, got.out) {
			if e.Get("type").String() == "session" {
				id, file = e.Get("id").String(), e.Get("file").String()
			}
		}
		return id, file
	}
	_, first := session("go")
	require.True(t, strings.HasPrefix(first, state))
	require.NoError(t, os.Chtimes(first, time.Time{}, time.Now().Add(-time.Hour)))
	second, _ := session("go")
	session("--project", "sub", "elsewhere")
	session("--forget", "secret")
	session("--session", "log", "named")
	again, file := session("--resume", "go on")
	require.Equal(t, second, again)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
	_, forked := session("--fork", file, "go on")
	require.NotEqual(t, file, forked)

	require.NoError(t, os.Chtimes(first, time.Time{}, time.Now().Add(-31*24*time.Hour)))
	session("go")
	require.NoFileExists(t, first)
	require.FileExists(t, file)
}

// Where nothing can be kept the agent works, and says so.
func TestNowhereToKeepASession(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "ok"}`, "file": ""})
	w.env = append(w.env, "XDG_STATE_HOME="+filepath.Join(w.dir, "file"))
	got := w.run(t, "", "--model", "answers.jsonl", "--no", "go")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "warning: the session is not kept: ")
	require.Contains(t, got.err, "in memory")
}

// Without a prompt nothing was done, and whoever waits for an answer is told so.
func TestNoPrompt(t *testing.T) {
	w := project(t)
	for _, test := range []struct {
		name   string
		args   []string
		status int
		err    string
	}{
		{"an empty one", []string{""}, console.ExitUsage, "dsh run: the prompt is empty"},
		{"a blank one", []string{" \n"}, console.ExitUsage, "dsh run: the prompt is empty"},
		{"one that is no text", []string{"a\xff"}, console.ExitUsage, "dsh run: the prompt is no text in UTF-8"},
		{"none", nil, console.ExitFault, "dsh run: no prompt: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.run(t, "\n", append([]string{"--forget", "--model", "answers.jsonl"}, test.args...)...)
			require.Equal(t, test.status, got.status)
			require.Contains(t, got.err, test.err)
		})
	}
	k := w.talk(t, "--model", "answers.jsonl", "--forget")
	k.expect("dsh> ")
	k.typed("\x04")
	status, rest := k.end()
	require.Zero(t, status, rest)
}

// An answer that nobody could read is none.
func TestOutputIsLost(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "ok"}`})
	for _, form := range []string{"--json=false", "--json"} {
		cmd := w.command(t, "--forget", "--model", "answers.jsonl", form, "go")
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		var told bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &told
		_ = cmd.Run()
		require.NoError(t, full.Close())
		require.Equal(t, console.ExitFault, cmd.ProcessState.ExitCode())
		require.Contains(t, told.String(), "could not be written: ")
	}
}

// Whoever only looks in does not get in the way of the session that was at work.
func TestResumeSkipsSessionsWithoutTurns(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "ok"}`})
	w.env = append(w.env, "XDG_STATE_HOME="+filepath.Join(w.dir, "state"))
	first := w.run(t, "", "--model", "answers.jsonl", "--json", "go")
	file := events(t, first.out)[1].Get("file").String()
	w.run(t, "", "--model", "answers.jsonl")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "torn.jsonl"), nil, 0o600))
	again := w.run(t, "", "--model", "answers.jsonl", "--json", "--resume", "go on")
	require.Equal(t, file, events(t, again.out)[1].Get("file").String(), again.err)
}
