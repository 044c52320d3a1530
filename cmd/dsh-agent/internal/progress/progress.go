// Package progress shows what an agent does while it does it: what the model
// says, which calls run, what was decided about them and by which rule.
//
// There are two forms. As text, answers of the model go to one writer and
// everything else, one line each, to another. As JSON, every event is one line
// of one writer; see docs/reference/run.md for its members.
package progress

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Options say where and how to show.
type Options struct {
	// Out is for the answers of the model, and for all of JSON.
	Out io.Writer
	// Err is for everything else.
	Err io.Writer
	// JSON chooses that form.
	JSON bool
	// Color marks what matters on Err.
	Color bool
}

// A Reporter shows events. It is safe for concurrent use.
type Reporter struct {
	mu    sync.Mutex
	form  form
	calls map[string]started // under way, by ID
	asks  []asked            // that were decided lately
}

// form is one of the two forms. Its methods do not overlap.
type form interface {
	session(h session.Header, path, source string)
	turn(e session.Entry)
	text(e session.Entry, text string)
	call(e session.Entry, id, tool string, arguments value.Value)
	result(e session.Entry, r result)
	decision(d Decision)
	approval(r tool.ApprovalRecord)
	note(kind, text string)
}

// New returns a reporter.
func New(o Options) *Reporter {
	r := &Reporter{form: &plain{out: o.Out, err: o.Err, color: o.Color}, calls: map[string]started{}}
	if o.JSON {
		r.form = &lines{out: o.Out}
	}
	return r
}

type started struct {
	tool string
	at   int64
}

// result is how a call ended.
type result struct {
	id, tool string
	failed   bool
	content  []session.Part
	tookMS   int64
}

// Session shows which session begins, and how.
func (r *Reporter) Session(h session.Header, path, source string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.form.session(h, path, source)
}

// Entry shows an event of the session's log, of which it is an observer.
func (r *Reporter) Entry(_ context.Context, e session.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Type { //nolint:exhaustive // the others are not shown
	case session.EventTurnStart, session.EventTurnEnd:
		r.form.turn(e)
	case session.EventAssistant:
		m, err := e.Message()
		if err != nil {
			return err
		}
		if text := m.Text(); text != "" {
			r.form.text(e, text)
		}
	case session.EventCall:
		id, name := e.Data.Get("id").String(), e.Data.Get("tool").String()
		r.calls[id] = started{name, e.Time}
		r.form.call(e, id, name, e.Data.Get("arguments"))
	case session.EventResult:
		return r.result(e)
	case session.EventSteerRefused:
		r.form.note("warning", "the turn ends although an extension wants it to go on")
	}
	return nil
}

func (r *Reporter) result(e session.Entry) error {
	m, err := e.Message()
	if err != nil {
		return err
	}
	for _, part := range m.Content {
		back, ok := part.(session.ToolResult)
		if !ok {
			continue
		}
		call := r.calls[back.Call]
		delete(r.calls, back.Call)
		r.form.result(e, result{back.Call, call.tool, back.Failed, back.Content, e.Time - call.at})
	}
	return nil
}

// Approval shows a question for approval, or its outcome.
func (r *Reporter) Approval(_ context.Context, record tool.ApprovalRecord) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.form.approval(record)
	return nil
}

// Warn shows what went wrong without changing what happens.
func (r *Reporter) Warn(text string) { r.note("warning", text) }

// Tell shows what an extension tells the human.
func (r *Reporter) Tell(text string) { r.note("message", text) }

// Print shows what a policy printed; at is where.
func (r *Reporter) Print(at, text string) { r.note("print", fmt.Sprintf("%s: %s", at, text)) }

func (r *Reporter) note(kind, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.form.note(kind, text)
}

// Handled implements [point.Observer]: it shows what a handler decided. One that
// has no opinion is not shown.
func (r *Reporter) Handled(h point.Handled) {
	d, ok := decisionOf(h)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ask, yes := h.Said.(tool.Ask); yes {
		r.remember(asked{ask.Reason, d})
	}
	r.form.decision(d)
}
