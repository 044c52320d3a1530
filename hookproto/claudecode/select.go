package claudecode

import (
	"encoding/json"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode/rule"
)

// A Firing is one event that happens.
type Firing struct {
	Event   string
	Subject string // what matchers are held against
	// Tool calls also have what "if" is held against.
	Input json.RawMessage
	Cwd   string
	Home  string
}

// Select returns the handlers that the event concerns, in configured order:
// those whose matcher and rule fit, identical ones once. Handlers with NotRun
// are among them. The errors tell of matchers that could not be honoured.
func Select(handlers []hookproto.Handler, f Firing) ([]hookproto.Handler, []error) {
	event, _ := Lookup(f.Event)
	var (
		out  []hookproto.Handler
		errs []error
	)
	places := map[string]int{}
	for _, h := range handlers {
		if h.Event != f.Event {
			continue
		}
		fits, err := matches(h, f.Subject)
		if err != nil {
			errs = append(errs, err)
		}
		if !fits || !f.allows(event, h) {
			continue
		}
		if at, twice := places[key(h)]; twice {
			first := out[at]
			out[at] = h // the last one's fields count
			out[at].ID, out[at].Matcher, out[at].At = first.ID, first.Matcher, first.At
			continue
		}
		places[key(h)] = len(out)
		out = append(out, h)
	}
	return out, errs
}

// allows reports whether the handler's rule fits the call.
func (f Firing) allows(e Event, h hookproto.Handler) bool {
	if !h.HasIf || h.If == "" {
		return true
	}
	r, err := rule.Parse(h.If)
	return err == nil && e.Tool && r.Fits(rule.Call{Tool: f.Subject, Aliases: aliases[f.Subject], Input: f.Input, Cwd: f.Cwd, Home: f.Home})
}

// key is what makes two handlers of an event the same.
func key(h hookproto.Handler) string {
	text, _ := json.Marshal([]any{h.Kind, h.Command, h.Args, h.HasIf, h.If, h.Server, h.Tool, string(h.Input), h.Env})
	return string(text)
}

// Expand replaces ${NAME} in what is executed, as the client does it: of a
// plugin's variables everywhere, of CLAUDE_PROJECT_DIR in the arguments of a
// program that runs without a shell. All else is the shell's business.
func Expand(h hookproto.Handler, projectDir string) hookproto.Handler {
	var plugin []string
	for _, pair := range h.Env {
		name, value, _ := strings.Cut(pair, "=")
		plugin = append(plugin, "${"+name+"}", value)
	}
	h.Command = strings.NewReplacer(plugin...).Replace(h.Command)
	if h.Args == nil {
		return h
	}
	all := strings.NewReplacer(append(plugin, "${CLAUDE_PROJECT_DIR}", projectDir)...)
	h.Command = all.Replace(h.Command)
	args := make([]string, len(h.Args))
	for i, arg := range h.Args {
		args[i] = all.Replace(arg)
	}
	h.Args = args
	return h
}
