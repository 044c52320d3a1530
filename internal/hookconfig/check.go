package hookconfig

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A Level says how much a finding weighs.
type Level string

// The levels. A note is no mistake: it says what somebody should know.
const (
	Error   Level = "error"   // the client does not register it, or it never runs
	Warning Level = "warning" // it runs, and hardly does what was meant
	Note    Level = "note"
)

// A Finding is something about a configuration that its author should know.
type Finding struct {
	ID    string          `json:"id"`
	Level Level           `json:"level"`
	At    hookproto.Place `json:"at"`
	Event string          `json:"event,omitempty"`
	Path  string          `json:"path,omitempty"` // within the file
	Text  string          `json:"text"`
	Hint  string          `json:"hint,omitempty"` // what to write instead
}

func (f Finding) String() string {
	text := f.At.String() + ": " + string(f.Level) + ": "
	if f.Path != "" {
		text += f.Path + ": "
	}
	text += f.Text + " [" + f.ID + "]"
	if f.Hint != "" {
		text += "\n    " + f.Hint
	}
	return text
}

// Problems reports whether any of the findings is more than a note.
func Problems(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Level != Note })
}

// A subject is one handler as the rules see it.
type subject struct {
	set     Set
	system  System
	handler hookproto.Handler
	blocks  bool  // the event's hooks can hold something up
	guard   bool  // they are asked before it happens
	line    *line // nil in exec form
	words   []word
}

// A scope says for which events a rule holds.
type scope string

const (
	anyEvent scope = "any"
	guards   scope = "guards"   // events that ask before something happens
	powless  scope = "no block" // events whose hooks cannot hold anything up
	stops    scope = "stops"
)

func (s scope) holds(x subject) bool {
	switch s {
	case guards:
		return x.guard
	case powless:
		return !x.blocks
	case stops:
		return x.handler.Event == "Stop" || x.handler.Event == "SubagentStop"
	case anyEvent:
	}
	return true
}

// A rule finds one kind of mistake in a handler. It returns what is wrong, in a
// sentence for each time.
type rule struct {
	id    string
	scope scope
	only  string // the dialect; "" is both
	level Level  // "" is a warning
	hint  string
	find  func(subject) []string
}

// guarding lists the events that ask before something happens.
func guarding() []string {
	return []string{
		"PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "PreSkillShellCommand", "PreCompact", "PreModelSwitch", "ConfigChange",
	}
}

// Check finds what is wrong with a set, and what hardly was meant as it is.
func Check(s Set, system System) []Finding {
	var all []Finding
	for _, p := range s.Problems() {
		all = append(all, ofProblem(p))
	}
	for _, h := range s.Config.Handlers {
		if h.Kind == hookproto.CommandHandler && h.NotRun == "" && strings.TrimSpace(h.Command) != "" {
			all = append(all, s.check(h, system)...)
		}
	}
	all = append(all, s.mistaken()...)
	all = append(all, s.unread()...)
	order := map[string]int{}
	for i, f := range s.Files {
		order[f.Path] = i
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(order[a.At.File], order[b.At.File]), cmp.Compare(a.At.Line, b.At.Line))
	})
	return slices.CompactFunc(all, func(a, b Finding) bool { return a == b })
}

// noteKinds are those of problems that are no mistake: what does not run here, and
// what is not shown.
var noteKinds = []string{"unsupported-type", "unsupported-event", "untrusted", "disabled", "unshown"}

func ofProblem(p hookproto.Problem) Finding {
	f := Finding{ID: cmp.Or(p.Kind, string(p.Severity)), Level: Warning, At: p.At, Event: p.Event, Path: p.Path, Text: p.Text, Hint: hints()[p.Kind]}
	loaded := p.Severity == hookproto.HandlerNotRun || p.Severity == hookproto.FieldIgnored
	switch {
	case loaded && slices.Contains(noteKinds, p.Kind), p.Severity == hookproto.FileDropped && p.Kind == "untrusted":
		f.Level = Note
	case p.Kind == "unknown-key" && isComment(p.Path):
		f.Level = Note
	case p.Severity == hookproto.FileDropped, p.Severity == hookproto.EntrySkipped, p.Severity == hookproto.HandlerNotRun, p.Kind == "matcher-never-matches":
		f.Level = Error
	}
	return f
}

// isComment tells of a key by which JSON gets comments.
func isComment(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "$") || strings.HasPrefix(name, "//") || name == "description" || name == "comment"
}

func (s Set) check(h hookproto.Handler, system System) (all []Finding) {
	x := subject{set: s, system: system, handler: h, guard: slices.Contains(guarding(), h.Event)}
	x.blocks = blocks(s.Dialect, h.Event)
	if s.Dialect == ClaudeCode {
		h = claudecode.Expand(h, s.Root)
	}
	if h.Args == nil {
		x.line = parseLine(h.Command)
	} else {
		for _, text := range append([]string{h.Command}, h.Args...) {
			x.words = append(x.words, word{text: text, known: true})
		}
	}
	for _, r := range rules() {
		if r.only != "" && r.only != s.Dialect || !r.scope.holds(x) {
			continue
		}
		for _, text := range r.find(x) {
			all = append(all, Finding{ID: r.id, Level: cmp.Or(r.level, Warning), At: h.At, Event: h.Event, Text: text, Hint: r.hint})
		}
	}
	return all
}

// blocks reports whether hooks of an event can hold something up.
func blocks(dialect, event string) bool {
	if dialect == Codex {
		e, _ := codex.Lookup(event)
		return e.Blocks
	}
	e, _ := claudecode.Lookup(event)
	return e.Effects.Block || e.Effects.Decide || e.Effects.Answer
}

// mistaken tells of named files that look like the other client's.
func (s Set) mistaken() (all []Finding) {
	if !s.Named {
		return nil
	}
	for _, f := range s.Files {
		data, err := readFile(f.Path)
		if err != nil {
			continue
		}
		if dialect, why := Detect(f.Path, data); dialect != s.Dialect && why != undecided {
			all = append(all, Finding{
				ID: "dialect", Level: Warning, At: hookproto.Place{File: f.Path},
				Text: "looks like a " + dialect + " file: " + why, Hint: "read it with --dialect " + dialect,
			})
		}
	}
	return all
}

// nobodyReads lists places in a project where hooks are looked for by no client.
var nobodyReads = []string{".claude/hooks.json", ".claude/hooks/hooks.json", "hooks.json", "hooks/hooks.json"}

// unread tells of files that no client reads.
func (s Set) unread() (all []Finding) {
	if s.Named || s.Dialect != ClaudeCode || s.Root == "" {
		return nil
	}
	for _, name := range nobodyReads {
		path := filepath.Join(s.Root, filepath.FromSlash(name))
		_, plugin := os.Stat(filepath.Join(s.Root, ".claude-plugin"))
		if _, err := os.Stat(path); err == nil && (plugin != nil || name != "hooks/hooks.json") {
			all = append(all, Finding{
				ID: "unread-file", Level: Warning, At: hookproto.Place{File: path}, Text: "no client looks for hooks here", Hint: hints()["unread-file"],
			})
		}
	}
	return all
}
