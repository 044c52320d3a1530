//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
)

// polite ends commands like Claude Code does, strict like Codex.
var (
	sh     = process.Shell{Paths: []string{"/bin/sh"}, Flags: []string{"-c"}}
	polite = process.Options{
		Shells: map[string]process.Shell{"": sh}, Sockets: true, Polite: 300 * time.Millisecond, Held: 100 * time.Millisecond,
	}
	strict = process.Options{Shells: map[string]process.Shell{"": sh}, Held: -1}
	// ways are these and what systems get that have less.
	ways = map[string]process.Options{
		"polite": polite, "strict": strict,
		"spare": withSpare(polite), "spare pipes": withSpare(strict),
		"without handles": polite.WithoutHandles(), "without poll": strict.WithoutPoll(),
	}
)

func withSpare(o process.Options) process.Options {
	o.Spare = new(process.Spare) // the end of the tests closes it
	return o
}

func command(line string) process.Command {
	return process.Command{Line: line, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		command process.Command
		want    hookproto.Result
	}{
		{"plain", command("echo out; echo err >&2"), hookproto.Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"status", command("exit 2"), hookproto.Result{Exit: 2}},
		{"not there", command("no-such-program-here 2>/dev/null"), hookproto.Result{Exit: 127}},
		{"signal", command("kill -KILL $$"), hookproto.Result{Exit: -1, Signal: "SIGKILL"}},
		{"exact environment", process.Command{Line: "/usr/bin/env", Args: []string{}, Env: []string{"B=2", "A=1", "B=3"}}, hookproto.Result{Stdout: []byte("B=2\nA=1\nB=3\n")}},
		{"arguments are not for a shell", process.Command{Line: "printf", Args: []string{"%s|", "$HOME", "*"}, Env: []string{"PATH=/usr/bin:/bin"}}, hookproto.Result{Stdout: []byte("$HOME|*|")}},
		{"directory", process.Command{Line: "pwd", Dir: "/"}, hookproto.Result{Stdout: []byte("/\n")}},
		{"stdin", process.Command{Line: "cat", Env: command("").Env, Stdin: []byte("{\"a\":1}")}, hookproto.Result{Stdout: []byte("{\"a\":1}")}},
		{"bytes", command(`printf '\000\377'`), hookproto.Result{Stdout: []byte{0, 255}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for way, o := range ways {
				got := o.Run(t.Context(), test.command)
				require.GreaterOrEqual(t, got.Took, time.Duration(0), way)
				got.Took = 0
				for _, stream := range []*[]byte{&got.Stdout, &got.Stderr} {
					if len(*stream) == 0 {
						*stream = nil
					}
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	got := polite.Run(t.Context(), command("set -- $(cat /proc/self/stat); echo $$ $5 $6; test -t 0 || echo none"))
	fields := strings.Fields(string(got.Stdout))
	require.Len(t, fields, 4)
	require.Equal(t, fields[0], fields[1], "it leads its group")
	require.Equal(t, fields[0], fields[2], "it leads its session")
}

func TestSocketsCannotBeOpened(t *testing.T) {
	t.Parallel()
	const line = "{ echo x > /dev/stdout; } 2>/dev/null && echo opened"
	require.NotContains(t, string(polite.Run(t.Context(), command(line)).Stdout), "opened")
	require.Contains(t, string(strict.Run(t.Context(), command(line)).Stdout), "opened")
}

func TestStartErrorsAreResults(t *testing.T) {
	t.Parallel()
	done, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	for _, test := range []struct {
		name    string
		ctx     context.Context
		command process.Command
		want    string
	}{
		{"no program", t.Context(), process.Command{Line: "no-such-program", Args: []string{}}, "no-such-program: no such program in PATH"},
		{"no path", t.Context(), process.Command{Line: "/no/such", Args: []string{}}, "/no/such: no such program"},
		{"empty", t.Context(), process.Command{Args: []string{}}, "the command is empty"},
		{"no shell", t.Context(), process.Command{Line: "x", Shell: "fish"}, `shell "fish" is not known`},
		{"no directory", t.Context(), process.Command{Line: "true", Dir: "/no/such"}, "the working directory: stat /no/such: no such file or directory"},
		{"a folder", t.Context(), process.Command{Line: "/", Args: []string{}}, "/: no such program"},
		{"late", done, process.Command{Line: "true"}, "enough"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := strict.Run(test.ctx, test.command)
			require.ErrorContains(t, got.Err, test.want)
			require.Equal(t, -1, got.Exit)
			require.Equal(t, test.ctx.Err() != nil, got.Canceled)
		})
	}
}

// The shell of a client is the first of its paths that is there.
func TestShells(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "sh")
	require.NoError(t, os.WriteFile(plain, []byte("no program"), 0o600))
	for name, paths := range map[string][]string{
		"the first":                 {"/bin/sh", "/no/such"},
		"behind one that lacks":     {"/no/such", "/bin/sh"},
		"behind what is no program": {plain, "/", "/bin/sh"},
		"by its name":               {"/no/such", "no-such-program", "sh"},
	} {
		for way, o := range ways {
			o.Shells = map[string]process.Shell{"": {Paths: paths, Flags: []string{"-c"}}}
			got := o.Run(t.Context(), command("echo ran"))
			require.NoError(t, got.Err, name+" "+way)
			require.Equal(t, "ran\n", string(got.Stdout), name+" "+way)
		}
	}
	strict := strict
	strict.Shells = map[string]process.Shell{"": {Paths: []string{"/no/such", plain}}}
	require.EqualError(t, strict.Run(t.Context(), command("true")).Err, "none of /no/such, "+plain+" is there to run the command")
}

func TestStdin(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("x"), 4<<20)
	for name, line := range map[string]string{"unread": "exit 2", "closed": "exec <&-; exit 2", "read": "wc -c | tr -d ' '; exit 2"} {
		for way, o := range ways {
			c := command(line)
			c.Stdin = big
			got := o.Run(t.Context(), c)
			require.NoError(t, got.Err, name+" "+way)
			require.Equal(t, 2, got.Exit, name+" "+way)
			if name == "read" {
				require.Equal(t, strconv.Itoa(len(big))+"\n", string(got.Stdout))
			}
		}
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	o := strict
	o.Scrub, o.ScrubKeep = true, []string{"MY_TOKEN"}
	got := o.Run(t.Context(), process.Command{Line: "/usr/bin/env", Args: []string{}, Env: []string{"API_KEY=x", "HOME=/h", "MY_TOKEN=y"}})
	require.Equal(t, "HOME=/h\nMY_TOKEN=y\n", string(got.Stdout))
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	o := polite
	o.Keep = 1000
	got := o.Run(t.Context(), command("head -c 1000 /dev/zero; head -c 1001 /dev/zero >&2"))
	require.Len(t, got.Stdout, 1000)
	require.Len(t, got.Stderr, 1000)
	require.True(t, got.Cut)
	require.False(t, o.Run(t.Context(), command("head -c 1000 /dev/zero")).Cut)
}

// A hook that prints a gibibyte is read to its end, in the memory that is kept.
func TestGibibyte(t *testing.T) {
	o := strict
	o.Keep = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := o.Run(t.Context(), command("head -c 1073741824 /dev/zero"))
	runtime.ReadMemStats(&after)
	require.Zero(t, got.Exit)
	require.Len(t, got.Stdout, 1<<20)
	require.True(t, got.Cut)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

// left counts the processes that hold the marker file open.
func left(t *testing.T, marker string) (list []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/fd/9")
	require.NoError(t, err)
	for _, name := range names {
		if target, err := os.Readlink(name); err == nil && target == marker {
			list = append(list, name)
		}
	}
	return list
}

// Commands whose time is up end with all that they started.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	lines := map[string]string{
		"sleeps":                        "sleep 3600",
		"ignores":                       "trap '' TERM; while :; do sleep 0.01; done",
		"children":                      "trap '' TERM; (trap '' TERM; sleep 3600) & (sleep 3600) & wait",
		"own session":                   "setsid sleep 3600 & wait",
		"own session, closed output":    "setsid sleep 3600 >/dev/null 2>&1 & wait",
		"orphans in their own session":  "(setsid sleep 3600 &) ; sleep 3600",
		"sessions of sessions":          "setsid sh -c 'setsid sleep 3600 & wait' >/dev/null 2>&1 & wait",
		"prints without end":            "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
		"forks without end":             `f() { sleep 3600 & (sleep 3600; :) & sleep 0.01; f & }; f; sleep 3600`,
		"forks sessions":                `while :; do setsid sleep 3600 & sleep 0.005; done`,
		"child with output, closed own": "exec >/dev/null 2>&1; sleep 3600",
	}
	for name, line := range lines {
		for way, o := range ways {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				marker := filepath.Join(t.TempDir(), "marker")
				c := command("exec 9>" + marker + "; " + line)
				c.Timeout = 150 * time.Millisecond
				got := o.Run(t.Context(), c)
				require.True(t, got.TimedOut)
				require.Empty(t, left(t, marker))
			})
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker")
	c := command("exec 9>" + marker + "; (setsid sleep 3600 >/dev/null 2>&1 &); sleep 3600")
	c.Timeout, c.Mark = 150*time.Millisecond, "TEST_MARK="+marker
	require.True(t, strict.Run(t.Context(), c).TimedOut)
	require.Empty(t, left(t, marker))
}

func TestHeldOutput(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker")
	c := command("exec 9>" + marker + "; sleep 3600 & echo verdict; exit 2")
	got := polite.Run(t.Context(), c)
	require.Equal(t, 2, got.Exit)
	require.False(t, got.TimedOut)
	require.Equal(t, "verdict\n", string(got.Stdout))
	require.Empty(t, left(t, marker), "who holds the output is ended")

	c.Timeout = 100 * time.Millisecond
	got = strict.Run(t.Context(), c)
	require.True(t, got.TimedOut)
	require.Empty(t, left(t, marker))

	got = strict.Run(t.Context(), command("(read x; echo late) & exec >/dev/null; exit 0"))
	require.Equal(t, "late\n", string(got.Stdout), "output is waited for")
}

// A child that gave up the output is no business of the hook's.
func TestDaemonsStay(t *testing.T) {
	t.Parallel()
	for _, o := range []process.Options{polite, strict} {
		marker := filepath.Join(t.TempDir(), "marker")
		got := o.Run(t.Context(), command("sleep 3600 9>"+marker+" >/dev/null 2>&1 & echo $!"))
		require.False(t, got.TimedOut)
		pid, err := strconv.Atoi(strings.TrimSpace(string(got.Stdout)))
		require.NoError(t, err)
		p, err := os.FindProcess(pid)
		require.NoError(t, err)
		require.NoError(t, p.Kill(), "it still runs")
	}
}

func TestTermIsFirst(t *testing.T) {
	t.Parallel()
	line := "trap 'echo asked; exit 7' TERM; while :; do sleep 0.01; done"
	for _, test := range []struct {
		o    process.Options
		want hookproto.Result
	}{
		{polite, hookproto.Result{Exit: 7, Stdout: []byte("asked\n")}},
		{strict, hookproto.Result{Exit: -1, Signal: "SIGKILL"}},
	} {
		c := command(line)
		c.Timeout = 200 * time.Millisecond
		got := test.o.Run(t.Context(), c)
		require.True(t, got.TimedOut)
		require.Equal(t, test.want.Exit, got.Exit)
		require.Equal(t, test.want.Signal, got.Signal)
		require.Equal(t, string(test.want.Stdout), string(got.Stdout))
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "marker")
	ctx, cancel := context.WithCancel(t.Context())
	p := strict.Start(ctx, command("exec 9>"+marker+"; echo up; sleep 3600"))
	require.Equal(t, "up", string(<-p.FirstLine()))
	cancel()
	got := p.Wait()
	require.True(t, got.Canceled)
	require.NoError(t, got.Err)
	require.Empty(t, left(t, marker))
}

// frozen is a clock whose waits end when the test says so.
type frozen struct {
	now   time.Time
	waits chan func()
}

func (f *frozen) Now() time.Time { return f.now }

func (f *frozen) AfterFunc(_ time.Duration, call func()) func() {
	f.waits <- call
	return func() {}
}

func TestClock(t *testing.T) {
	t.Parallel()
	f := &frozen{now: time.Unix(1, 0), waits: make(chan func(), 10)}
	o := strict
	o.Clock = f
	c := command("sleep 3600")
	c.Timeout = time.Hour
	p := o.Start(t.Context(), c)
	(<-f.waits)()
	got := p.Wait()
	require.True(t, got.TimedOut)
	require.Zero(t, got.Took)
}
