package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/internal/group"
)

// Options is how a client runs its hooks. The zero value runs nothing: it has
// no shell.
type Options struct {
	// Shells lists what runs a command line, by the hook's field "shell". The
	// entry "" is for hooks that name none.
	Shells map[string]Shell
	// Sockets makes the standard streams socket pairs instead of pipes, where
	// the system has them. A hook can tell: /dev/stdout cannot be opened then.
	Sockets bool
	// Polite is the time between SIGTERM to the group and the end of a command
	// that must stop; 0 is SIGKILL at once.
	Polite time.Duration
	// Held is how long to wait for output that a child holds open after the
	// command itself has ended; negative is until the time-out, which counts as
	// a time-out of the hook.
	Held time.Duration
	// Keep is how many bytes of each stream are kept, from its beginning. What
	// is beyond is read and dropped. 0 means [DefaultKeep].
	Keep int
	// Scrub removes variables that hold credentials from the environment.
	Scrub bool
	// ScrubKeep names variables that stay in spite of Scrub.
	ScrubKeep []string
	// Clock is the time; nil is the real one.
	Clock Clock
	lacks lack // for tests of what other systems get
}

// A lack is what the system is to be taken not to have.
type lack int

const (
	lackOfHandles lack = 1 + iota // of processes
	lackOfPoll
)

// DefaultKeep is how much of each stream of a command is kept.
const DefaultKeep = 4 << 20

// A Shell runs command lines.
type Shell struct {
	Paths []string // the first that is there is taken; a name without a slash is looked up in PATH
	Flags []string // what stands before the line
}

// A Command is one hook to run.
type Command struct {
	// Line is given to the shell; with Args not nil it is the program instead.
	Line  string
	Args  []string
	Shell string // a key of Options.Shells
	Dir   string
	Env   []string // exactly the environment, as "NAME=value"
	Stdin []byte
	// Timeout counts from the start and covers the writing of standard input;
	// 0 or less is none.
	Timeout time.Duration
	// Mark is a further variable, "NAME=value", unique to this run. Processes
	// that left every group and session of the command are found by it.
	Mark string
}

// A Clock is the time as the runner sees it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f when d has passed, not in the goroutine of the caller,
	// and returns a function that gives up waiting for it.
	AfterFunc(d time.Duration, f func()) (stop func())
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

func (o Options) clock() Clock {
	if o.Clock == nil {
		return realClock{}
	}
	return o.Clock
}

func (o Options) keep() int {
	if o.Keep <= 0 {
		return DefaultKeep
	}
	return o.Keep
}

// environment is c.Env by the options.
func (o Options) environment(c Command) []string {
	env := c.Env
	if o.Scrub {
		env = group.Scrub(env, o.ScrubKeep)
	}
	if c.Mark != "" {
		env = append(append(make([]string, 0, len(env)+1), env...), c.Mark)
	}
	if env == nil {
		return []string{} // nil would be the environment of this process
	}
	return env
}

// program returns what is executed for c.
func (o Options) program(c Command, env []string) (path string, argv []string, err error) {
	if c.Args != nil {
		path, err = lookup(c.Line, env)
		return path, append([]string{c.Line}, c.Args...), err
	}
	shell, known := o.Shells[c.Shell]
	if !known {
		return "", nil, fmt.Errorf("shell %q is not known", c.Shell)
	}
	for _, name := range shell.Paths {
		if path, err = lookup(name, env); err == nil {
			return path, append(append([]string{name}, shell.Flags...), c.Line), nil
		}
	}
	return "", nil, fmt.Errorf("none of %s is there to run the command", strings.Join(shell.Paths, ", "))
}

// lookup finds a program by the PATH of env. Names with a slash are as they are:
// relative ones start at the directory of the command.
func lookup(name string, env []string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("the command is empty")
	}
	if filepath.Base(name) != name {
		if filepath.IsAbs(name) && !executable(name) {
			return "", fmt.Errorf("%s: no such program", name)
		}
		return name, nil
	}
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: no such program in PATH", name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0
}

// variable returns the last value that env gives to name.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if rest, is := strings.CutPrefix(env[i], name+"="); is {
			return rest
		}
	}
	return ""
}
