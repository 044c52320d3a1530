package claudecode

import (
	"slices"
	"strconv"
)

// An Environment is what the variables of a hook tell of.
type Environment struct {
	Event   string
	Project string // root folder
	Session string // id of the main agent's
	PID     int    // of the host
	Effort  string // how much the model thinks; "" if nobody can tell
	EnvFile string // where variables for commands are left; "" is nowhere
}

// A Variable is one that the client sets for hooks.
type Variable struct {
	Name string
	// Events lists the events for whose hooks it is set; nil is all.
	Events []string
	// Plugin tells that it is set for hooks of plugins alone.
	Plugin bool

	value func(Environment) string // nil: it speaks of the client itself
}

// Set reports whether a host sets the variable too, as [Environment.Pairs] does;
// the others speak of the client itself.
func (v Variable) Set() bool { return v.Plugin || v.value != nil }

// For reports whether hooks of the event have the variable.
func (v Variable) For(event string) bool { return v.Events == nil || slices.Contains(v.Events, event) }

func always(value string) func(Environment) string {
	return func(Environment) string { return value }
}

// Variables lists all that the client sets beyond its own environment.
func Variables() []Variable {
	having := func(is func(Event) bool) (names []string) {
		for _, e := range events() {
			if is(e) {
				names = append(names, e.Name)
			}
		}
		return names
	}
	return []Variable{
		{Name: "CLAUDECODE", value: always("1")},
		{Name: "CLAUDE_PROJECT_DIR", value: func(e Environment) string { return e.Project }},
		{Name: "CLAUDE_CODE_SESSION_ID", value: func(e Environment) string { return e.Session }},
		{Name: "CLAUDE_CODE_ENTRYPOINT", value: always("dsh")},
		{Name: "CLAUDE_CODE_CHILD_SESSION", value: always("1")},
		{Name: "CLAUDE_PID", value: func(e Environment) string { return strconv.Itoa(e.PID) }},
		{Name: "COREPACK_ENABLE_AUTO_PIN", value: always("0")},
		{Name: "NoDefaultCurrentDirectoryInExePath", value: always("1")},
		{Name: "CLAUDE_EFFORT", Events: having(func(e Event) bool { return e.Effort }), value: func(e Environment) string { return e.Effort }},
		{Name: "CLAUDE_ENV_FILE", Events: having(func(e Event) bool { return e.Env }), value: func(e Environment) string { return e.EnvFile }},
		{Name: "CLAUDE_PLUGIN_ROOT", Plugin: true},
		{Name: "CLAUDE_PLUGIN_DATA", Plugin: true},
		{Name: "AI_AGENT"},
		{Name: "CLAUDE_CODE_SESSION_ATTENDED"},
		{Name: "CLAUDE_CODE_CHILD_NOTES_DIR"},
		{Name: "CLAUDE_CODE_MESSAGING_SOCKET"},
		{Name: "CLAUDE_CODE_MESSAGING_TOKEN"},
		{Name: "CLAUDE_CODE_AGENT"},
	}
}

// Pairs returns the variables as "NAME=value". Those of plugins are with the
// handlers; those without a value are left out.
func (e Environment) Pairs() (pairs []string) {
	for _, v := range Variables() {
		if v.value == nil || !v.For(e.Event) {
			continue
		}
		if value := v.value(e); value != "" {
			pairs = append(pairs, v.Name+"="+value)
		}
	}
	return pairs
}
