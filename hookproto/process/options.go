package process

import (
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
	// Spare, if not nil, makes the next command of these options start sooner. Whoever
	// sets it closes it.
	Spare *Spare
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

func (o Options) now() time.Time {
	if o.Clock == nil {
		return time.Now()
	}
	return o.Clock.Now()
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
