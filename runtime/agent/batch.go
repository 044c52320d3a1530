package agent

import (
	"fmt"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// runCalls runs the calls of an answer. It reports whether one of them asked to
// end the turn. When it returns every call has its result, unless there is an
// error.
func (t *turn) runCalls(calls []session.ToolCall) (concluded bool, err error) {
	a := t.agent
	scope := &tool.Scope{Host: a.host, Tools: a.tools, Session: t.ref}
	inputs := make([]tool.Input, len(calls))
	for i, c := range calls {
		inputs[i] = tool.Input{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Agent: scope}
	}
	j := &journal{turn: t, begun: map[string]int64{}, notes: map[string]string{}}
	err = tool.Batch{Runtime: a.pipeline, Limit: a.options.MaxParallel, Journal: j}.Run(t.ctx, inputs)
	return j.concluded, err
}

// journal keeps a batch in the log.
type journal struct {
	turn      *turn
	begun     map[string]int64 // where calls were logged, by ID
	notes     map[string]string
	concluded bool
}

// Called implements [tool.Journal].
func (j *journal) Called(call tool.Call, original value.Value) error {
	a := j.turn.agent
	if original.Equal(call.Arguments) {
		original = value.Value{}
	} else {
		j.notes[call.ID] = fmt.Sprintf("The arguments of call %s of %s were changed before it ran. They were: %s", call.ID, call.Tool, call.Arguments)
	}
	logged := session.ToolCall{ID: call.ID, Tool: call.Tool, Arguments: call.Arguments}
	e, err := a.log.Append(j.turn.ctx, session.Called(j.turn.number, j.turn.step, logged, original))
	if err != nil {
		return err
	}
	j.begun[call.ID] = e.Seq
	if a.options.FlushBeforeEffects && j.turn.ctx.Err() == nil {
		return a.log.Flush()
	}
	return nil
}

// Returned implements [tool.Journal].
func (j *journal) Returned(call tool.Call, r tool.Result) error {
	a := j.turn.agent
	var contexts []session.Context
	var ev session.Event
	switch r := r.(type) {
	case tool.Success:
		contexts = r.Contexts
		j.concluded = j.concluded || r.Concludes
		ev = j.event(call, r.Content, false, "", "", r.Meta)
	case tool.Failure:
		contexts = r.Contexts
		ev = j.event(call, r.Content, true, r.Name, string(r.Code), r.Meta)
	}
	if _, err := a.log.Append(j.turn.ctx, ev); err != nil {
		return err
	}
	if note := j.notes[call.ID]; note != "" {
		if err := a.accept(j.turn, note, session.Runtime{Form: session.FormNote}); err != nil {
			return err
		}
	}
	for _, c := range contexts {
		if err := a.accept(j.turn, c.Text, session.Extension{Name: c.Extension}); err != nil {
			return err
		}
	}
	return nil
}

func (j *journal) event(call tool.Call, content []session.Part, failed bool, name, code string, meta value.Value) session.Event {
	m := session.ResultMessage(call.ID, content, failed)
	return session.Returned(j.turn.number, j.turn.step, m, name, code, meta, j.begun[call.ID])
}

// accept queues what came with a result for the next step. It is one message of
// its own, behind what is queued already.
func (a *Agent) accept(t *turn, text string, source session.Source) error {
	if text == "" {
		return nil
	}
	m := session.Message{Content: []session.Part{session.Text{Text: clean(text)}}, Source: source}
	return a.send(t.ctx, m, session.NextStep, false)
}
