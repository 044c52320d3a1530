package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// runCalls runs the calls of an answer. It reports whether one of them asked to
// end the turn. When it returns every call has its result, unless there is an
// error.
func (t *turn) runCalls(calls []session.ToolCall) (concluded bool, err error) {
	a := t.agent
	inputs := make([]tool.Input, len(calls))
	for i, c := range calls {
		inputs[i] = tool.Input{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Agent: t.caller()}
	}
	j := &journal{turn: t}
	err = tool.Batch{Runtime: a.pipeline, Limit: a.options.MaxParallel, Journal: j}.Run(t.ctx, inputs)
	return j.concluded, err
}

// caller returns on whose behalf the calls of the turn are made.
func (t *turn) caller() *tool.Scope {
	if t.scope == nil {
		t.scope = &tool.Scope{Host: t.agent.host, Tools: t.agent.tools, Session: t.ref, Record: t.approval, Never: t.agent.never}
		if t.agent.options.FlushBeforeEffects {
			t.scope.Ready = func(context.Context, tool.Call) error { return t.agent.log.Flush() }
		}
	}
	return t.scope
}

// approval keeps a question for approval in the log, or what came of it.
func (t *turn) approval(ctx context.Context, r tool.ApprovalRecord) error {
	q := session.Question{Call: r.Call, Tool: r.Tool, Reason: clean(r.Reason)}
	if r.Root != r.Call {
		q.Root = r.Root
	}
	ev := session.Asked(t.number, t.step, q)
	if r.Outcome != "" {
		ev = session.Decided(t.number, t.step, q, session.Answer{
			Outcome: string(r.Outcome), By: string(r.By.Kind), Extension: r.By.Extension, Rule: r.By.Rule,
		})
	}
	_, err := t.agent.log.Append(ctx, ev)
	return err
}

// journal keeps a batch in the log.
type journal struct {
	turn      *turn
	begun     []begun
	concluded bool
}

// begun is a call that was logged and has no result.
type begun struct {
	id   string
	seq  int64
	note string // what the model is told with the result
}

// Called implements [tool.Journal].
func (j *journal) Called(call tool.Call, original value.Value, reason string) error {
	b := begun{id: call.ID}
	if original.Equal(call.Arguments) {
		original, reason = value.Value{}, ""
	} else {
		b.note = rewritten(call, reason)
	}
	logged := session.ToolCall{ID: call.ID, Tool: call.Tool, Arguments: call.Arguments}
	e, err := j.turn.agent.log.Append(j.turn.ctx, session.Called(j.turn.number, j.turn.step, logged, original, reason))
	if err != nil {
		return err
	}
	b.seq = e.Seq
	j.begun = append(j.begun, b)
	return nil
}

// rewritten tells the model what ran in place of its own call.
func rewritten(call tool.Call, reason string) string {
	text := fmt.Sprintf("Call %s of %s did not run as you made it. It ran with these arguments: %s", call.ID, call.Tool, call.Arguments)
	if reason != "" {
		text += "\nThe reason: " + reason
	}
	return text
}

// ended takes a call off those without a result. Results come in the order of
// their calls.
func (j *journal) ended(id string) begun {
	i := slices.IndexFunc(j.begun, func(b begun) bool { return b.id == id })
	if i < 0 {
		return begun{seq: -1}
	}
	b := j.begun[i]
	j.begun = slices.Delete(j.begun, i, i+1)
	return b
}

// Returned implements [tool.Journal].
func (j *journal) Returned(call tool.Call, r tool.Result) error {
	a, start := j.turn.agent, j.ended(call.ID)
	var contexts []session.Context
	var ev session.Event
	switch r := r.(type) {
	case tool.Success:
		contexts = r.Contexts
		j.concluded = j.concluded || r.Concludes
		ev = j.event(call, start, r.Content, false, "", "", r.Meta)
	case tool.Failure:
		contexts = r.Contexts
		ev = j.event(call, start, r.Content, true, r.Name, string(r.Code), r.Meta)
	}
	if _, err := a.log.Append(j.turn.ctx, ev); err != nil {
		return err
	}
	if err := a.accept(j.turn, start.note, session.Runtime{Form: session.FormNote}); err != nil {
		return err
	}
	for _, c := range contexts {
		if err := a.accept(j.turn, c.Text, session.Extension{Name: c.Extension}); err != nil {
			return err
		}
	}
	return nil
}

func (j *journal) event(call tool.Call, start begun, content []session.Part, failed bool, name, code string, meta value.Value) session.Event {
	m := session.ResultMessage(call.ID, content, failed)
	return session.Returned(j.turn.number, j.turn.step, m, name, code, meta, start.seq)
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
