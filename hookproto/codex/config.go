package codex

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A Source is the kind of configuration that a handler comes from.
type Source string

// The sources, in the order in which the client loads them.
const (
	Requirements Source = "requirements"
	System       Source = "system"
	User         Source = "user"
	Project      Source = "project"
	Session      Source = "session" // flags of one run
	Plugin       Source = "plugin"
)

// managed tells that the machine's administrator wrote it.
func (s Source) managed() bool { return s == Requirements || s == System }

// A Format is how a file is written.
type Format string

// The formats.
const (
	JSON Format = "json"
	TOML Format = "toml"
)

// A File is one configuration file, already read.
type File struct {
	Path   string
	Data   []byte
	Source Source
	Format Format
	// Key stands for the path in state keys, if it is not the path itself.
	Key string
	// Env holds "NAME=value" of a plugin; ${NAME} is also replaced in its
	// commands.
	Env []string
}

// A Hook is one handler that the client would list.
type Hook struct {
	hookproto.Handler
	Source  Source
	Key     string // of its state, see [StateKey]
	Hash    string // its trust hash
	Order   int    // place among all listed, from 0
	Trust   Trust
	Enabled bool

	group, index int
}

// Runs reports whether the client runs the hook; bypass is its flag that skips
// the question of trust.
func (h Hook) Runs(bypass bool) bool {
	return h.Enabled && (bypass || h.Trust == Managed || h.Trust == Trusted)
}

// Options say how configuration is read. The zero value is the client's way,
// with trust required.
type Options struct {
	// Lenient keeps what is good of a file that the client refuses whole.
	Lenient bool
	// TrustAll lets hooks run that the user has not trusted with the client.
	TrustAll bool
	// ProjectRoot is the folder that must be trusted for hooks of [Project]
	// files; "" trusts them.
	ProjectRoot string
}

// A Config is what configuration files register.
type Config struct {
	// Hooks are all that the client would list, in its order.
	Hooks    []Hook
	Problems []hookproto.Problem
	// Disabled tells that a feature flag switches hooks off.
	Disabled bool
	// Refused tells that the client does not start a session with these files.
	Refused bool
}

// Runnable returns the handlers that run, numbered by event in configured order,
// with all problems; a hook that must wait for the user's trust is one.
func (c Config) Runnable(o Options) hookproto.Config {
	out := hookproto.Config{Problems: slices.Clone(c.Problems), Disabled: c.Disabled}
	count := map[string]int{}
	for _, h := range c.Hooks {
		if !h.Runs(o.TrustAll) {
			out.Problems = append(out.Problems, h.waiting())
			continue
		}
		count[h.Event]++
		h.ID = fmt.Sprintf("codex:%s:%d", h.Event, count[h.Event])
		h.Handler.Order = h.Order
		out.Handlers = append(out.Handlers, h.Handler)
	}
	return out
}

func (h Hook) waiting() hookproto.Problem {
	p := hookproto.Problem{
		At: h.At, Severity: hookproto.HandlerNotRun, Kind: "untrusted", Event: h.Event,
		Text: fmt.Sprintf("not trusted: Codex runs it once %q has trusted_hash %q", h.Key, h.Hash),
	}
	switch {
	case !h.Enabled:
		p.Kind, p.Text = "disabled", fmt.Sprintf("switched off by the state of %q", h.Key)
	case h.Trust == Modified:
		p.Text = "changed since it was trusted; its hash is now " + h.Hash
	}
	return p
}

// Load reads files in the order of their layers, as [Discover] gives them.
func Load(files []File, o Options) Config {
	l := loader{options: o, states: map[string]state{}, trusted: o.ProjectRoot == ""}
	l.read(files)
	l.settle()
	for _, f := range l.files {
		l.hooksOf(f)
	}
	return l.finish()
}

// A loader reads the files of one session.
type loader struct {
	options     Options
	files       []parsed
	config      Config
	states      map[string]state
	trusted     bool // the project
	managedOnly bool
}

// A parsed file is one that its format allows.
type parsed struct {
	File
	root *document.Node
	read *reader
}

// read parses all files. A project's configuration is looked at once the user's
// own has said whether the project is trusted, which stands before it.
func (l *loader) read(files []File) {
	for _, f := range files {
		if f.Source == Project && !l.trusted {
			if !mentionsHooks(f) {
				continue
			}
			l.config.Problems = append(l.config.Problems, hookproto.Problem{
				At: hookproto.Place{File: f.Path}, Severity: hookproto.FileDropped, Kind: "untrusted",
				Text: fmt.Sprintf("hooks of a project are read once it is trusted: projects.%q wants trust_level = \"trusted\"", l.options.ProjectRoot),
			})
			continue
		}
		r := &reader{file: f, lenient: l.options.Lenient}
		p := parsed{File: f, root: r.parse(), read: r}
		l.files = append(l.files, p)
		if f.Source == User && p.root != nil && f.Format == TOML {
			l.trusted = l.trusted || p.root.Get("projects").Get(l.options.ProjectRoot).Get("trust_level").Is("trusted")
		}
	}
}

// mentionsHooks tells of a file that would register something, without reading it.
func mentionsHooks(f File) bool { return f.Format == JSON || bytes.Contains(f.Data, []byte("hooks")) }

// settle reads what the files say about hooks as a whole.
func (l *loader) settle() {
	enabled := true
	for _, f := range slices.SortedStableFunc(slices.Values(l.files), requirementsLast) {
		if f.Format != TOML || f.root == nil {
			continue
		}
		f.read.refuse(f.root)
		enabled = f.read.feature(f.root, enabled)
		if f.Source == Requirements {
			f.read.managedDir(f.root)
			l.managedOnly = f.root.Get("allow_managed_hooks_only").Is("true")
		}
		if f.Source == User || f.Source == Session {
			f.read.states(f.root, l.states)
		}
	}
	l.config.Disabled = !enabled
}

// requirementsLast sorts what no layer can overrule behind all layers.
func requirementsLast(a, b parsed) int {
	rank := func(p parsed) int {
		if p.Source == Requirements {
			return 1
		}
		return 0
	}
	return cmp.Compare(rank(a), rank(b))
}

func (l *loader) hooksOf(f parsed) {
	if f.root != nil {
		f.read.hooks(f.root)
	}
	l.config.Problems = append(l.config.Problems, f.read.problems...)
	if f.read.refused && !l.options.Lenient {
		l.config.Refused = l.config.Refused || f.Format == TOML
		return
	}
	if l.managedOnly && !f.Source.managed() {
		if len(f.read.found) == 0 {
			return
		}
		l.config.Problems = append(l.config.Problems, hookproto.Problem{
			At: hookproto.Place{File: f.Path}, Severity: hookproto.FileDropped, Kind: "managed-only",
			Text: "allow_managed_hooks_only leaves out all hooks that are not the administrator's",
		})
		return
	}
	l.twice(f)
	hooks := f.read.found
	slices.SortStableFunc(hooks, listed)
	l.config.Hooks = append(l.config.Hooks, hooks...)
}

// twice tells of a layer that has hooks in both of its files.
func (l *loader) twice(f parsed) {
	at := slices.IndexFunc(l.files, func(p parsed) bool { return p.read == f.read })
	if f.Format != TOML || at == 0 || len(f.read.found) == 0 {
		return
	}
	before := l.files[at-1]
	if before.Format == JSON && before.Source == f.Source && dir(before.Path) == dir(f.Path) && len(before.read.found) > 0 {
		l.config.Problems = append(l.config.Problems, hookproto.Problem{
			At: hookproto.Place{File: f.Path}, Severity: hookproto.LikelyMistaken, Kind: "two-files",
			Text: "hooks of this layer stand here and in " + before.Path + "; both are loaded",
		})
	}
}

func dir(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

// listed is the order within one file: by the client's table of events.
func listed(a, b Hook) int {
	return cmp.Or(cmp.Compare(rank(a.Event), rank(b.Event)), cmp.Compare(a.group, b.group), cmp.Compare(a.index, b.index))
}

func rank(event string) int {
	return slices.IndexFunc(events(), func(e Event) bool { return e.Name == event })
}

func (l *loader) finish() Config {
	c := l.config
	if c.Disabled || c.Refused {
		c.Hooks = nil
	}
	for i := range c.Hooks {
		c.Hooks[i].Order = i
		c.Hooks[i].trust(l.states)
	}
	return c
}
