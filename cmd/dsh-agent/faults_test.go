//go:build linux

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// alive lists the processes in whose command line text is.
func alive(t *testing.T, text string) []string {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "ps", "-eo", "stat=,pid=,args=").Output()
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(listed)) {
		if strings.Contains(line, text) && !strings.HasPrefix(line, "Z") {
			found = append(found, line)
		}
	}
	return found
}

// unique returns a number of seconds that no other process sleeps for.
func unique(kind string) string { return kind + strconv.Itoa(os.Getpid()) }

// took returns how long a turn was open, by the log.
func (w workspace) took(t *testing.T, name string) time.Duration {
	t.Helper()
	var from, to int64
	for _, e := range w.entries(t, name) {
		switch e.Type {
		case session.EventTurnStart:
			from = e.Time
		case session.EventTurnEnd:
			to = e.Time
		default:
		}
	}
	require.NotZero(t, to)
	return time.Duration(to-from) * time.Millisecond
}

// slack is how much later than its time-out a turn may end.
const slack = time.Second

// A tool that hangs, with children of every kind, ends with its time-out, and the
// turn goes on.
func TestHungTool(t *testing.T) {
	long := unique("96")
	w := newWorkspace(t, map[string]string{"answers.jsonl": `[{"tools": [{"tool": "bash", "arguments": {"timeout_ms": 500,
		"command": "trap '' TERM HUP INT; setsid sleep LONG & sleep LONG & (trap '' TERM; sleep LONG); sleep LONG"}}]}, {"text": "ok"}]`})
	w.write(t, "answers.jsonl", strings.ReplaceAll(readFile(t, w, "answers.jsonl"), "LONG", long))
	got := w.run(t, "", "--yes", "--model", "answers.jsonl", "--session", "log", "go")
	require.Zero(t, got.status, got.err)
	require.Contains(t, w.results(t)[0], "longer than 500 ms")
	require.Less(t, w.took(t, "log"), 500*time.Millisecond+slack)
	require.Empty(t, alive(t, "sleep "+long))
}

func readFile(t *testing.T, w workspace, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	require.NoError(t, err)
	return string(text)
}

// A turn whose time is up ends, whatever it waits for.
func TestHungTurn(t *testing.T) {
	long := unique("95")
	for name, answers := range map[string]string{
		"model": `{"text": "let me think", "hang": true}`,
		"tool":  `{"tools": [{"tool": "bash", "arguments": {"command": "trap '' TERM; sleep ` + long + `; sleep ` + long + `"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, map[string]string{"answers.jsonl": answers})
			got := w.run(t, "", "--yes", "--model", "answers.jsonl", "--session", "log", "--timeout", "500ms", "go")
			require.Equal(t, console.ExitFault, got.status, got.err)
			require.Equal(t, []session.EndKind{session.EndAborted}, w.ends(t, "log"))
			require.Less(t, w.took(t, "log"), 500*time.Millisecond+slack)
			require.Empty(t, alive(t, "sleep "+long))
		})
	}
}

func TestControlCCancelsTheTurn(t *testing.T) {
	long := unique("94")
	w := newWorkspace(t, map[string]string{"answers.jsonl": `{"text": "let me think", "hang": true}
{"tools": [{"tool": "bash", "arguments": {"command": "sleep ` + long + `"}}]}
{"text": "third"}
`})
	k := w.talk(t, "--yes", "--model", "answers.jsonl", "--session", "log")
	k.expect("dsh> ")
	k.typed("one\n")
	k.expect("one")
	waitFor(t, w, "log", session.EventChunk, 1)
	k.typed("\x03")
	k.expect("aborted: cancelled by user")
	k.expect("dsh> ")
	k.typed("two\n")
	k.expect("> ")
	waitForProcess(t, "sleep "+long)
	k.typed("\x03")
	k.expect("aborted: cancelled by user")
	require.Empty(t, alive(t, "sleep "+long))
	k.expect("dsh> ")
	k.typed("three\n")
	k.expect("third")
	k.expect("dsh> ")
	k.typed("\x03") // nothing runs
	status, rest := k.end()
	require.Equal(t, exitLeft, status, rest)
	require.Equal(t, []session.EndKind{session.EndAborted, session.EndAborted, session.EndCompleted}, w.ends(t, "log"))
}

// A turn that does not end when it is cancelled does not keep the human.
func TestControlCTwiceEndsTheProgram(t *testing.T) {
	long := unique("93")
	w := newWorkspace(t, map[string]string{
		"answers.jsonl":         `{"tools": [{"tool": "bash", "arguments": {"command": "trap '' TERM INT; sleep ` + long + `; sleep ` + long + `"}}]}`,
		".dsh/policies/p.lua":   `dsh.on("agent/interrupt", function() end)`,
		".dsh/policies/two.lua": `dsh.on("tools/result", { rule = "slow" }, function() local n = 0 while true do n = n + 1 end end)`,
	})
	k := w.talk(t, "--yes", "--model", "answers.jsonl", "--session", "log", "go")
	waitForProcess(t, "sleep "+long)
	k.typed("\x03")
	k.expect("once more to end the program")
	k.typed("\x03")
	status, rest := k.end()
	require.Equal(t, exitLeft, status, rest)
	require.Empty(t, alive(t, "sleep "+long))
	require.NotEmpty(t, w.entries(t, "log"))
}

// waitFor waits until the log has n events of a type.
func waitFor(t *testing.T, w workspace, name string, kind session.EventType, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		found := 0
		for _, e := range w.entries(t, name) {
			if e.Type == kind {
				found++
			}
		}
		return found >= n
	}, patience, 20*time.Millisecond)
}

func waitForProcess(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(alive(t, text)) > 0 }, patience, 50*time.Millisecond)
}

// A session that was killed in the middle of a call goes on: what was logged is
// there, the model is told what is not known, and nothing of the call is left.
func TestResumeAfterKill(t *testing.T) {
	long := unique("92")
	w := newWorkspace(t, map[string]string{
		"answers.jsonl": `{"text": "first", "tools": [{"tool": "write", "arguments": {"path": "made", "content": "x"}}]}
{"text": "second", "tools": [{"tool": "bash", "arguments": {"command": "exec sleep ` + long + `"}}]}
`,
		"more.jsonl": `{"text": "third"}` + "\n" + `{"text": "fourth"}`,
	})
	cmd := w.command(t, "--ask=policies", "--model", "answers.jsonl", "--session", "log", "--json", "go")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewScanner(out)
	var acknowledged []string
	for said.Scan() {
		v, err := value.ParseString(said.Text())
		require.NoError(t, err)
		acknowledged = append(acknowledged, v.Get("type").String())
		if v.Get("tool").String() == "bash" {
			break
		}
	}
	require.Equal(t, strings.Fields("warning session mode turn-start text call result text call"), acknowledged)
	waitForProcess(t, "sleep "+long)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool { return len(alive(t, "sleep "+long)) == 0 }, patience, 20*time.Millisecond)

	torn, err := os.OpenFile(filepath.Join(w.dir, "log"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = torn.WriteString(`{"seq":`)
	require.NoError(t, err)
	require.NoError(t, torn.Close())

	got := w.run(t, "", "--yes", "--model", "more.jsonl", "--session", "log", "--resume", "go on")
	require.Zero(t, got.status, got.err)
	require.Equal(t, "third\n", got.out)
	require.Contains(t, got.err, "(resume)")
	require.Equal(t, []session.EndKind{session.EndInterrupted, session.EndCompleted}, w.ends(t, "log"))
	results := w.results(t)
	require.Len(t, results, 2)
	require.Contains(t, results[1], "may or may not have taken effect")

	// The repaired session can be opened, and forked, like any other.
	before := readFile(t, w, "log")
	got = w.run(t, "", "--yes", "--model", "more.jsonl", "--session", "fork", "--fork", "log", "another way")
	require.Zero(t, got.status, got.err)
	require.Equal(t, []session.EndKind{session.EndInterrupted, session.EndCompleted, session.EndCompleted}, w.ends(t, "fork"))
	require.Equal(t, before, readFile(t, w, "log"))
	got = w.run(t, "five\nsix\n", "--yes", "--model", "more.jsonl", "--session", "fork", "--resume")
	require.Zero(t, got.status, got.err)
	require.Equal(t, "third\nfourth\n", got.out)
}

// A session has one writer.
func TestSessionInUse(t *testing.T) {
	w := newWorkspace(t, map[string]string{"hang.jsonl": `{"hang": true}`, "more.jsonl": `{"text": "ok"}`})
	first := w.command(t, "--yes", "--model", "hang.jsonl", "--session", "log", "go")
	var told bytes.Buffer
	first.Stderr = &told
	require.NoError(t, first.Start())
	require.Eventually(t, func() bool { return w.has("log") && len(readFile(t, w, "log")) > 500 }, patience, 20*time.Millisecond)
	got := w.run(t, "", "--yes", "--model", "more.jsonl", "--session", "log", "--resume", "go on")
	require.Equal(t, console.ExitFault, got.status)
	require.Contains(t, got.err, "another process writes this log")
	got = w.run(t, "", "--yes", "--model", "more.jsonl", "--fork", "log", "go on")
	require.Zero(t, got.status, got.err)
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	_ = first.Wait()
	require.Equal(t, exitLeft, first.ProcessState.ExitCode())
	require.Equal(t, []session.EndKind{session.EndAborted}, w.ends(t, "log"), told.String())
}
