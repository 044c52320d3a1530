//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// asAgent makes the test binary be the agent. It contains the very code that is
// tested, so whatever changes that makes the tests run again.
const asAgent = "DSH_AGENT_UNDER_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		os.Exit(run(os.Args[1:], console.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must happen. It bounds hangs only.
const patience = 60 * time.Second

// A workspace is a project with the agent in it.
type workspace struct {
	dir string
	env []string
}

func newWorkspace(t *testing.T, files map[string]string) workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := workspace{dir: dir, env: []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home"), asAgent + "=1", "TERM=xterm"}}
	for name, content := range files {
		w.write(t, name, content)
	}
	return w
}

func (w workspace) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func (w workspace) has(name string) bool {
	_, err := os.Stat(filepath.Join(w.dir, name))
	return err == nil
}

func (w workspace) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, append([]string{"run"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// An ended agent is what is left of a run.
type ended struct {
	status   int
	out, err string
}

// run runs the agent without a terminal.
func (w workspace) run(t *testing.T, stdin string, args ...string) ended {
	t.Helper()
	cmd := w.command(t, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin = strings.NewReader(stdin)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	_ = cmd.Run()
	return ended{cmd.ProcessState.ExitCode(), out.String(), told.String()}
}

// A talk is a run at a terminal.
type talk struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File
	seen string
}

func (w workspace) talk(t *testing.T, args ...string) *talk {
	t.Helper()
	cmd := w.command(t, args...)
	file, err := pty.Start(cmd)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return &talk{t: t, cmd: cmd, file: file}
}

// expect waits until the terminal shows text behind what was expected before.
func (k *talk) expect(text string) {
	k.t.Helper()
	buf := make([]byte, 4096)
	for {
		if _, rest, found := strings.Cut(k.seen, text); found {
			k.seen = rest
			return
		}
		n, err := k.file.Read(buf)
		k.seen += string(buf[:n])
		require.NoError(k.t, err, "the terminal ends without %q; it shows:\n%s", text, k.seen)
	}
}

func (k *talk) typed(text string) {
	k.t.Helper()
	_, err := io.WriteString(k.file, text)
	require.NoError(k.t, err)
}

// end waits for the end of the run, and returns its status and what it still
// showed.
func (k *talk) end() (status int, rest string) {
	k.t.Helper()
	more, _ := io.ReadAll(k.file) // ends with an error when the terminal is gone
	_ = k.cmd.Wait()
	return k.cmd.ProcessState.ExitCode(), k.seen + string(more)
}

// entries reads a session's log.
func (w workspace) entries(t *testing.T, name string) (list []session.Entry) {
	t.Helper()
	require.NoError(t, session.ReadLog(filepath.Join(w.dir, name),
		func(session.Header) error { return nil },
		func(e session.Entry) error { list = append(list, e); return nil }))
	return list
}

// ends lists how the turns of a session ended.
func (w workspace) ends(t *testing.T, name string) (list []session.EndKind) {
	t.Helper()
	for _, e := range w.entries(t, name) {
		if e.Type == session.EventTurnEnd {
			list = append(list, e.End().Kind)
		}
	}
	return list
}

// results lists what the model was shown of its calls, by the session in "log".
func (w workspace) results(t *testing.T) (list []string) {
	t.Helper()
	for _, e := range w.entries(t, "log") {
		if e.Type != session.EventResult {
			continue
		}
		m, err := e.Message()
		require.NoError(t, err)
		for _, p := range m.Content[0].(session.ToolResult).Content {
			list = append(list, p.(session.Text).Text)
		}
	}
	return list
}

// events reads the lines of --json.
func events(t *testing.T, out string) (list []value.Value) {
	t.Helper()
	for line := range strings.Lines(out) {
		v, err := value.ParseString(line)
		require.NoError(t, err, line)
		list = append(list, v)
	}
	return list
}

func types(list []value.Value) (names []string) {
	for _, v := range list {
		names = append(names, v.Get("type").String())
	}
	return names
}
