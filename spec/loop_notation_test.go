package spec_test

import (
	"fmt"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// foreignEntry reads an entry of a recorded log, which has other names for the
// same things.
func foreignEntry(v value.Value) (session.Entry, error) {
	ev, err := foreignEvent(v.Get("type").String(), v.Get("data"))
	e := session.Entry{Event: ev, Seq: int64(intOf(v.Get("seq"))), Time: int64(intOf(v.Get("time")))}
	e.Surface = foreignSurface(v.Get("surfaceOp"))
	e.Sources = foreignSources(v.Get("sourceEventSeqs"))
	e.Ignorable, _ = v.Get("ignorable").Bool()
	return e, err
}

func foreignSurface(v value.Value) session.Surface {
	if op, ok := v.Str(); ok {
		return session.Surface{Op: session.SurfaceOp(op)}
	}
	return session.Surface{Op: session.SurfaceOp(v.Get("op").String()), Start: int64(intOf(v.Get("start"))), End: int64(intOf(v.Get("end")))}
}

func foreignSources(v value.Value) []int64 {
	if v.IsAbsent() {
		return nil
	}
	out := []int64{}
	for _, item := range v.Items() {
		out = append(out, int64(intOf(item)))
	}
	return out
}

// foreignEvent reads the data of a recorded event.
func foreignEvent(kind string, data value.Value) (session.Event, error) {
	turn, step := intOf(data.Get("turn")), intOf(data.Get("step"))
	switch session.EventType(kind) {
	case session.EventTurnStart:
		return session.TurnStarted(turn), nil
	case session.EventTurnEnd:
		return session.TurnEnded(turn, foreignEnd(data.Get("reason"))), nil
	case session.EventStepStart:
		return session.StepStarted(turn, step), nil
	case session.EventStepEnd:
		return session.StepEnded(turn, step), nil
	case session.EventUser:
		return session.Said(foreignMessage(data)), nil
	case session.EventAssistant:
		return session.Answered(turn, step, foreignMessage(data.Get("message")), value.Value{}, false, nil), nil
	case session.EventInbox:
		var list []session.Message
		for _, m := range data.Get("inserted").Items() {
			list = append(list, foreignMessage(m))
		}
		return session.Spliced(session.Target(data.Get("target").String()), intOf(data.Get("start")), intOf(data.Get("removedCount")), list, !data.Get("outcome").IsAbsent()), nil
	case session.EventHeader:
		h := data.Get("header")
		header := value.OfObject(value.Member{Key: "config", Value: value.OfObject(value.Member{Key: "model", Value: value.OfString(route(h.Get("config")))})})
		return session.HeaderChanged(turn, header, data.Get("reason").String()), nil
	default:
		return session.Event{Type: session.EventType(kind), Data: data}, nil
	}
}

func foreignEnd(v value.Value) session.End {
	if v.IsAbsent() {
		return session.End{Kind: session.EndCompleted}
	}
	end := session.End{Kind: session.EndKind(v.Get("kind").String())}
	if c := v.Get("reason"); !c.IsAbsent() {
		end.Cause = &session.Cause{Kind: session.CauseKind(c.Get("kind").String()), Reason: c.Get("reason").String()}
	}
	if f := v.Get("error"); !f.IsAbsent() {
		failure := loopFailure(f)
		end.Failure = &failure
	}
	return end
}

func foreignMessage(v value.Value) session.Message {
	m := session.Message{ID: v.Get("id").String(), Role: session.Role(v.Get("role").String()), Content: []session.Part{}}
	for _, p := range v.Get("content").Items() {
		m.Content = append(m.Content, foreignPart(p))
	}
	switch s := v.Get("source"); s.Get("kind").String() {
	case "plugin":
		m.Source = session.Extension{Name: s.Get("plugin").String()}
	case "model":
		m.Source = session.Model{Name: route(s)}
	default:
		m.Source = session.User{}
	}
	return m
}

func foreignPart(p value.Value) session.Part {
	switch p.Get("type").String() {
	case "tool-call":
		return session.ToolCall{ID: p.Get("id").String(), Tool: p.Get("name").String(), Arguments: model.Arguments(p.Get("arguments").String())}
	case "reasoning":
		return session.Reasoning{Text: p.Get("text").String()}
	default:
		return session.Text{Text: p.Get("text").String()}
	}
}

// noted reads an entry of the short notation: a list whose first item is the
// type.
func noted(v value.Value, seq int64) (session.Event, error) {
	kind, turn, step := v.At(0).String(), intOf(v.At(1)), intOf(v.At(2))
	switch kind {
	case "turn/start":
		return session.TurnStarted(turn), nil
	case "turn/end":
		return session.TurnEnded(turn, foreignEnd(v.At(2))), nil
	case "step/start":
		return session.StepStarted(turn, step), nil
	case "step/end":
		return session.StepEnded(turn, step), nil
	case "user":
		m := session.Message{ID: fmt.Sprintf("u%d", seq), Role: session.RoleUser, Content: []session.Part{session.Text{Text: v.At(1).String()}}, Source: session.User{}}
		return session.Said(m), nil
	case "assistant":
		m := session.Message{ID: fmt.Sprintf("a%d", seq), Role: session.RoleAssistant, Content: []session.Part{}, Source: session.Model{Name: "mock/mock"}}
		for _, p := range v.At(3).Items() {
			if call := p.Get("call"); !call.IsAbsent() {
				m.Content = append(m.Content, session.ToolCall{ID: call.String(), Tool: "bash", Arguments: value.OfObject()})
			} else {
				m.Content = append(m.Content, session.Text{Text: p.Get("text").String()})
			}
		}
		return session.Answered(turn, step, m, value.Value{}, false, nil), nil
	case "call":
		return session.Called(turn, step, session.ToolCall{ID: v.At(3).String(), Tool: "bash", Arguments: value.OfObject()}, value.Value{}, ""), nil
	case "result":
		return session.Returned(turn, step, session.ResultMessage(v.At(3).String(), []session.Part{session.Text{Text: "r"}}, false), "", "", value.Value{}, -1), nil
	case "chunk":
		return session.Chunk(turn, step, model.Encode(model.TextDelta{Text: v.At(3).String()})), nil
	case "splice":
		var list []session.Message
		for _, m := range v.At(2).Get("inserted").Items() {
			list = append(list, session.Message{ID: m.String(), Role: session.RoleUser, Content: []session.Part{session.Text{Text: "x"}}, Source: session.User{}})
		}
		return session.Spliced(session.Target(v.At(1).String()), 0, intOf(v.At(2).Get("removedCount")), list, !v.At(2).Get("outcome").IsAbsent()), nil
	default:
		return foreignEvent(kind, v.At(1))
	}
}
