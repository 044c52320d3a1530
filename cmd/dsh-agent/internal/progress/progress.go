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
	// Live shows answers on Out as they arrive, not line by line: for a terminal.
	Live bool
	// Color marks what matters on Err.
	Color bool
}

// A Reporter shows the events of one agent. It is safe for concurrent use.
type Reporter struct {
	screen *screen
	agent  Agent
	calls  map[string]started // under way, by ID
	asks   []asked            // that were decided lately
	answer answer             // of the model, under way
}

// screen is what the reporters of all agents share.
type screen struct {
	mu   sync.Mutex // of the reporters too
	form form
}

// An Agent says whose events are shown; the zero Agent is the one that the human
// talks with.
type Agent struct {
	// ID is the session's.
	ID string
	// Label is what the human sees, such as "reviewer 2".
	Label string
}

// form is one of the two forms. Its methods do not overlap.
type form interface {
	session(a Agent, h session.Header, path, source string)
	mode(m Mode)
	turn(a Agent, e session.Entry)
	piece(a Agent, text string)
	broken(a Agent)
	// text ends an answer: rest is what no piece brought.
	text(a Agent, e session.Entry, text, rest string)
	call(a Agent, e session.Entry, id, tool string, arguments value.Value)
	result(a Agent, e session.Entry, r result)
	decision(a Agent, d Decision)
	approval(a Agent, r tool.ApprovalRecord)
	note(a Agent, kind, text string)
}

// New returns the reporter of the agent that the human talks with.
func New(o Options) *Reporter {
	s := &screen{form: &plain{err: o.Err, color: o.Color, prose: prose{out: o.Out, live: o.Live}}}
	if o.JSON {
		s.form = &lines{out: o.Out}
	}
	return &Reporter{screen: s, calls: map[string]started{}}
}

// Of returns the reporter of a subagent.
func (r *Reporter) Of(a Agent) *Reporter {
	return &Reporter{screen: r.screen, agent: a, calls: map[string]started{}}
}

func (r *Reporter) show(with func(f form)) {
	r.screen.mu.Lock()
	defer r.screen.mu.Unlock()
	with(r.screen.form)
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

// A Mode says what is asked about and who answers.
type Mode struct {
	// Ask is what is asked about, and Answer who answers.
	Ask, Answer string
	// Workspace is the folder that calls may look into.
	Workspace string
	// Text says it in words.
	Text string
}

// Mode shows under which rule the agent works.
func (r *Reporter) Mode(m Mode) { r.show(func(f form) { f.mode(m) }) }

// Session shows which session begins, and how.
func (r *Reporter) Session(h session.Header, path, source string) {
	r.show(func(f form) { f.session(r.agent, h, path, source) })
}

// Entry shows an event of the session's log, of which it is an observer.
func (r *Reporter) Entry(_ context.Context, e session.Entry) (err error) {
	r.show(func(f form) { err = r.entry(f, e) })
	return err
}

func (r *Reporter) entry(f form, e session.Entry) error {
	switch e.Type { //nolint:exhaustive // the others are not shown
	case session.EventTurnStart:
		f.turn(r.agent, e)
	case session.EventTurnEnd:
		r.broken(f)
		f.turn(r.agent, e)
	case session.EventChunk:
		r.chunk(f, e)
	case session.EventAssistant:
		return r.answered(f, e)
	case session.EventCall:
		id, name := e.Data.Get("id").String(), e.Data.Get("tool").String()
		r.calls[id] = started{name, e.Time}
		f.call(r.agent, e, id, name, e.Data.Get("arguments"))
	case session.EventResult:
		return r.result(f, e)
	case session.EventSteerRefused:
		f.note(r.agent, "warning", "the turn ends although an extension wants it to go on")
	}
	return nil
}

// chunk shows more of an answer.
func (r *Reporter) chunk(f form, e session.Entry) {
	text, broke := r.answer.chunk(e)
	if text != "" {
		f.piece(r.agent, text)
	}
	if broke {
		r.broken(f)
	}
}

// broken ends what was shown of an answer that nothing came of.
func (r *Reporter) broken(f form) {
	if !r.answer.empty() {
		f.broken(r.agent)
	}
	r.answer = answer{}
}

func (r *Reporter) answered(f form, e session.Entry) error {
	m, err := e.Message()
	if err != nil {
		return err
	}
	text := m.Text()
	rest, ok := r.answer.rest(text)
	if !ok {
		r.broken(f)
		rest = text
	}
	r.answer = answer{}
	if text != "" {
		f.text(r.agent, e, text, rest)
	}
	return nil
}

func (r *Reporter) result(f form, e session.Entry) error {
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
		f.result(r.agent, e, result{back.Call, call.tool, back.Failed, back.Content, e.Time - call.at})
	}
	return nil
}

// Approval shows a question for approval, or its outcome.
func (r *Reporter) Approval(_ context.Context, record tool.ApprovalRecord) error {
	r.show(func(f form) { f.approval(r.agent, record) })
	return nil
}

// Warn shows what went wrong without changing what happens.
func (r *Reporter) Warn(text string) { r.note("warning", text) }

// Tell shows what an extension tells the human.
func (r *Reporter) Tell(text string) { r.note("message", text) }

// Print shows what a policy printed; at is where.
func (r *Reporter) Print(at, text string) { r.note("print", fmt.Sprintf("%s: %s", at, text)) }

func (r *Reporter) note(kind, text string) { r.show(func(f form) { f.note(r.agent, kind, text) }) }

// Handled implements [point.Observer]: it shows what a handler decided. One that
// has no opinion is not shown.
func (r *Reporter) Handled(h point.Handled) {
	d, ok := decisionOf(h)
	if !ok {
		return
	}
	r.show(func(f form) {
		if ask, yes := h.Said.(tool.Ask); yes {
			r.remember(asked{ask.Reason, d})
		}
		f.decision(r.agent, d)
	})
}
