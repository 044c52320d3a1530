// Command recorder stands for a hook: it keeps what it was given and then does
// as the recording says.
//
//	recorder ID [ARGUMENT...]
//
// The name it is called by must be a path. Beside that it reads replies.json, an
// object of replies by ID, and appends to calls.jsonl one line when it has read
// its input and one when it ends. A reply is an object, a list of them of which
// each call takes one and the last stays, or a string, which is a shell script
// that finds the input in $O/stdin. For each
// call there is a folder below rec.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A reply is what the hook does.
type reply struct {
	Exit       int             `json:"exit"`
	Stdout     text            `json:"stdout"`
	StdoutJSON json.RawMessage `json:"stdout_json"`
	RepeatS    string          `json:"repeat_s"`
	RepeatN    int             `json:"repeat_n"`
	StdoutTail string          `json:"stdout_tail"`
	Stderr     text            `json:"stderr"`
	StderrB64  []byte          `json:"stderr_b64"`
	DelayMS    int             `json:"delay_ms"`
	NoRead     bool            `json:"no_read"`
	CloseStdin bool            `json:"close_stdin"`
	Signal     int             `json:"signal"`
	IgnoreTerm bool            `json:"ignore_term"`
	BgMS       int             `json:"bg_ms"`
	EnvFile    string          `json:"env_file"`
	PreOut     string          `json:"pre_out"`
	After      []string        `json:"after"` // hooks that must have begun before this one answers

	script string
}

// A text is a string, or bytes as {"base64": ...}.
type text []byte

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
		return nil
	}
	var coded struct{ Base64 []byte }
	err := json.Unmarshal(data, &coded)
	*t = coded.Base64
	return err
}

// A line is one entry of calls.jsonl.
type line struct {
	Kind  string            `json:"kind"` // start, end
	ID    string            `json:"id"`
	N     int               `json:"n"` // counts the calls of the ID, from 0
	At    int64             `json:"at"`
	Cwd   string            `json:"cwd,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Args  []string          `json:"args,omitempty"`
	Stdin []byte            `json:"stdin,omitempty"`
	Exit  int               `json:"exit,omitempty"`
}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(70)
	}
	os.Exit(code)
}

func run() (int, error) {
	began := time.Now()
	dir, id := filepath.Dir(os.Args[0]), "?"
	if len(os.Args) > 1 {
		id = os.Args[1]
	}
	n, err := count(dir, id)
	if err != nil {
		return 0, err
	}
	r, err := choose(dir, id, n)
	if err != nil {
		return 0, err
	}
	if r.IgnoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	started := line{Kind: "start", ID: id, N: n, At: began.UnixNano(), Env: environment()}
	started.Cwd, _ = os.Getwd()
	if len(os.Args) > 2 {
		started.Args = os.Args[2:]
	}
	switch {
	case r.CloseStdin:
		_ = os.Stdin.Close()
	case !r.NoRead:
		started.Stdin, _ = io.ReadAll(os.Stdin)
	}
	if err := note(dir, started); err != nil {
		return 0, err
	}
	own := filepath.Join(dir, "rec", fmt.Sprintf("%s-%d", strings.ReplaceAll(id, "/", "_"), n))
	if err := os.MkdirAll(own, 0o700); err != nil {
		return 0, err
	}
	code := r.do(dir, own, started)
	if err := note(dir, line{Kind: "end", ID: id, N: n, At: time.Now().UnixNano(), Exit: code}); err != nil {
		return 0, err
	}
	if r.Signal > 0 {
		if text, ok := faults()[syscall.Signal(r.Signal)]; ok {
			fmt.Fprintln(os.Stderr, text)
			return 2, nil
		}
		signal.Reset()
		die := fmt.Sprintf("kill -%d $$", r.Signal)
		return 0, syscall.Exec("/bin/sh", []string{"sh", "-c", die}, os.Environ())
	}
	return code, nil
}

// faults are the signals that a Go program, as the recorded one was, ends on with
// status 2 and such a text. To send them to oneself can hang its runtime.
func faults() map[syscall.Signal]string {
	return map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV: segmentation violation", syscall.SIGBUS: "SIGBUS: bus error",
		syscall.SIGFPE: "SIGFPE: floating-point exception", syscall.SIGABRT: "SIGABRT: abort",
		syscall.SIGQUIT: "SIGQUIT: quit", syscall.SIGILL: "SIGILL: illegal instruction",
	}
}

// count returns how often the hook with the ID was called before.
func count(dir, id string) (int, error) {
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("count-%s-%d", strings.ReplaceAll(id, "/", "_"), n))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return n, f.Close()
		}
		if !os.IsExist(err) {
			return 0, err
		}
	}
}

// choose returns what the nth call of a hook does.
func choose(dir, id string, n int) (r reply, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "replies.json"))
	if err != nil {
		return r, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return r, err
	}
	one := all[id]
	var list []json.RawMessage
	if json.Unmarshal(one, &list) == nil && len(list) > 0 {
		one = list[min(n, len(list)-1)]
	}
	switch {
	case len(one) == 0:
		return r, nil
	case one[0] == '"':
		return r, json.Unmarshal(one, &r.script)
	}
	return r, json.Unmarshal(one, &r)
}

// do behaves as the reply says, and returns the exit status.
func (r reply) do(dir, own string, started line) int {
	if r.script != "" {
		return script(dir, own, r.script, started)
	}
	if path := os.Getenv("CLAUDE_ENV_FILE"); path != "" && r.EnvFile != "" {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, _ = f.WriteString(r.EnvFile)
			_ = f.Close()
		}
	}
	_, _ = os.Stdout.WriteString(r.PreOut)
	if r.BgMS > 0 {
		child := exec.Command("sleep", fmt.Sprintf("%.3f", float64(r.BgMS)/1000))
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		_ = child.Start()
	}
	for _, id := range r.After {
		awaitStart(dir, id)
	}
	time.Sleep(time.Duration(r.DelayMS) * time.Millisecond)
	_, _ = os.Stderr.Write(append(r.StderrB64, r.Stderr...))
	var out []byte
	if r.StdoutJSON != nil {
		out = append(append(out, r.StdoutJSON...), '\n')
	}
	out = append(out, r.Stdout...)
	out = append(out, strings.Repeat(r.RepeatS, r.RepeatN)...)
	out = append(out, r.StdoutTail...)
	_, _ = os.Stdout.Write(out)
	return r.Exit
}

// awaitStart waits until a hook with the ID has noted that it began.
func awaitStart(dir, id string) {
	begun := fmt.Sprintf(`{"kind":"start","id":%q`, id)
	for {
		calls, err := os.ReadFile(filepath.Join(dir, "calls.jsonl"))
		if err != nil || strings.Contains(string(calls), begun) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// script runs the reply that is a shell script.
func script(dir, own, text string, started line) int {
	_ = os.WriteFile(filepath.Join(own, "stdin"), started.Stdin, 0o600)
	c := exec.Command("/bin/sh", "-c", text)
	c.Env = append(os.Environ(), "O="+own, "L="+started.ID, "CASE="+dir)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	switch state := c.ProcessState; {
	case state == nil:
		fmt.Fprintln(os.Stderr, err)
		return 126
	case state.ExitCode() < 0:
		return 128 + int(state.Sys().(syscall.WaitStatus).Signal())
	default:
		return state.ExitCode()
	}
}

func environment() map[string]string {
	out := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		out[name] = value
	}
	return out
}

// note appends a line at once, so that those of several hooks do not mix.
func note(dir string, l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "calls.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
