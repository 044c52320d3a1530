package progress

import (
	"errors"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Decision is what one handler answered.
type Decision struct {
	Point, Extension, Rule string
	// At is "file:line", where that is known.
	At string
	// Answer is the answer with its kind; absent if there was a fault.
	Answer value.Value
	// Fault is why there is no answer; nil if there is one.
	Fault error
}

// decisionOf returns what h decided; false if it has no opinion, or is no
// decision at all.
func decisionOf(h point.Handled) (d Decision, ok bool) {
	d = Decision{Point: h.Point, Extension: h.Extension, Rule: h.Rule, At: h.At, Fault: h.Err}
	if h.Err != nil {
		if e := (*luavm.Error)(nil); errors.As(h.Err, &e) && e.File != "" && e.Line > 0 {
			d.At = fmt.Sprintf("%s:%d", e.File, e.Line)
		}
		return d, true
	}
	p := catalog.Find(h.Point)
	if h.Said == nil || p == nil || p.Decision() == nil {
		return d, false
	}
	var err error
	d.Answer, err = p.Decision().Encode(h.Said)
	return d, err == nil
}

// Kind returns the kind of the answer, or "fault".
func (d Decision) Kind() string {
	if d.Fault != nil {
		return "fault"
	}
	return d.Answer.Get(schema.TagField).String()
}

// Reason returns why, in words.
func (d Decision) Reason() string {
	if d.Fault != nil {
		return d.Fault.Error()
	}
	for _, field := range []string{"reason", "feedback", "message"} {
		if text := texts(d.Answer.Get(field)); text != "" {
			return text
		}
	}
	return ""
}

// texts joins the texts of v, which is one or a list of parts.
func texts(v value.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	text := ""
	for _, item := range v.Items() {
		if s, ok := item.Get("text").Str(); ok {
			text += s + " "
		}
	}
	return text
}

// Place names the rule and where it is.
func (d Decision) Place() string {
	if d.At == "" {
		return "rule " + d.Rule
	}
	return "rule " + d.Rule + ", " + d.At
}

// asked is a decision to ask.
type asked struct {
	reason   string
	decision Decision
}

// maxAsks bounds how many decisions to ask are remembered.
const maxAsks = 64

func (r *Reporter) remember(a asked) {
	if len(r.asks) == maxAsks {
		r.asks = r.asks[1:]
	}
	r.asks = append(r.asks, a)
}

// Asked returns the last decision to ask with the given reason: a question for
// approval does not say who asks it.
func (r *Reporter) Asked(reason string) (Decision, bool) {
	r.screen.mu.Lock()
	defer r.screen.mu.Unlock()
	for i := len(r.asks) - 1; i >= 0; i-- {
		if r.asks[i].reason == reason {
			return r.asks[i].decision, true
		}
	}
	return Decision{}, false
}
