package progress_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A screen is what a reporter wrote.
type screen struct{ out, err bytes.Buffer }

func newScreen(o progress.Options) (*screen, *progress.Reporter) {
	s := new(screen)
	o.Out, o.Err = &s.out, &s.err
	return s, progress.New(o)
}

// tell gives a reporter events as a log would.
func tell(t *testing.T, r *progress.Reporter, list ...session.Event) {
	t.Helper()
	for i, e := range list {
		require.NoError(t, r.Entry(context.Background(), session.Entry{Event: e, Seq: int64(i), Time: int64(1000 + 10*i)}))
	}
}

func chunk(c model.Chunk) session.Event { return session.Chunk(1, 1, model.Encode(c)) }

func said(texts ...string) session.Event {
	m := session.Message{ID: "m", Role: session.RoleAssistant, Source: session.Model{Name: "m"}}
	for _, text := range texts {
		m.Content = append(m.Content, session.Text{Text: text})
	}
	return session.Answered(1, 1, m, value.Value{}, false, nil)
}

func delta(block int, text string) session.Event {
	return chunk(model.TextDelta{Index: block, Text: text})
}

func failed() session.Event {
	return chunk(model.Finish{Reason: model.Failed, Failure: &session.Failure{Message: "x", Code: "SERVER"}})
}

// An answer is shown as it arrives at a terminal, by whole lines elsewhere, and
// either way every part of it once.
func TestAnswersArrive(t *testing.T) {
	for _, test := range []struct {
		name        string
		events      []session.Event
		live, lines string // so far
		whole       []string
		end         string
	}{
		{"a piece of a line", []session.Event{delta(0, "he"), delta(0, "ll")}, "hell", "", []string{"hello"}, "hello\n"},
		{"lines", []session.Event{delta(0, "one\ntw"), delta(0, "o\nth")}, "one\ntwo\nth", "one\ntwo\n", []string{"one\ntwo\nthree"}, "one\ntwo\nthree\n"},
		{"no more than one line end", []session.Event{delta(0, "one\n"), delta(0, "\n\n")}, "one\n", "one\n", []string{"one\n\n\n"}, "one\n"},
		{"empty lines between", []session.Event{delta(0, "one\n\n"), delta(0, "\ntwo")}, "one\n\n\ntwo", "one\n", []string{"one\n\n\ntwo"}, "one\n\n\ntwo\n"},
		{"two blocks", []session.Event{delta(0, "one"), delta(2, "two")}, "one\ntwo", "one\n", []string{"one", "two"}, "one\ntwo\n"},
		{"blocks that take turns", []session.Event{delta(0, "o"), delta(1, "t"), delta(0, "ne")}, "o\nt", "o\n", []string{"o", "t"}, "o\nt\n"},
		{"nothing but a whole block", []session.Event{chunk(model.BlockEnd{Index: 0, Block: session.Text{Text: "one"}})}, "one", "", []string{"one"}, "one\n"},
		{"a block's end repeats it", []session.Event{delta(0, "one"), chunk(model.BlockEnd{Index: 0, Block: session.Text{Text: "one"}})}, "one", "", []string{"one"}, "one\n"},
		{"reasoning is not shown", []session.Event{chunk(model.ReasoningDelta{Index: 0, Text: "hm"}), delta(1, "one")}, "one", "", []string{"one"}, "one\n"},
		{"no pieces", nil, "", "", []string{"one\n"}, "one\n"},
		{"what steers a terminal", []session.Event{delta(0, "\x1b[2J")}, `\x1b[2J`, "", []string{"\x1b[2Jx"}, `\x1b[2Jx` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, live := range []bool{true, false} {
				s, r := newScreen(progress.Options{Live: live})
				tell(t, r, test.events...)
				require.Equal(t, map[bool]string{true: test.live, false: test.lines}[live], s.out.String())
				tell(t, r, said(test.whole...))
				require.Equal(t, test.end, s.out.String())
				require.Empty(t, s.err.String())
				tell(t, r, said("next"))
				require.Equal(t, test.end+"next\n", s.out.String())
			}
		})
	}
}

// An answer that nothing came of is told apart from the next one.
func TestBrokenAnswers(t *testing.T) {
	for name, end := range map[string]session.Event{"failed": failed(), "the turn ended": session.TurnEnded(1, session.End{Kind: session.EndCompleted}), "other text": said("other")} {
		t.Run(name, func(t *testing.T) {
			s, r := newScreen(progress.Options{Live: true})
			tell(t, r, delta(0, "ha"), end, delta(0, "one"), said("one"))
			require.Equal(t, "ha\n"+map[bool]string{true: "other\n"}[name == "other text"]+"one\n", s.out.String())
			require.Equal(t, "broken: the answer ends here, and does not count\n", s.err.String())
		})
	}
	s, r := newScreen(progress.Options{})
	tell(t, r, failed(), said("one"))
	require.Equal(t, "one\n", s.out.String())
	require.Empty(t, s.err.String())
}

// Both writers may be one terminal: no line lands in the middle of another.
func TestLinesDoNotMix(t *testing.T) {
	var both bytes.Buffer
	r := progress.New(progress.Options{Out: &both, Err: &both, Live: true})
	tell(t, r, delta(0, "half a"))
	r.Warn("careful")
	tell(t, r, delta(0, " line"), said("half a line"))
	require.Equal(t, "half a\nwarning: careful\n line\n", both.String())
}

func calls() []session.Event {
	back := session.Message{ID: "r", Role: session.RoleUser, Source: session.Call{ID: "c"}, Content: []session.Part{
		session.ToolResult{Call: "c", Failed: true, Content: []session.Part{session.Text{Text: "Error: no\nsuch file"}}},
	}}
	return []session.Event{
		session.TurnStarted(1),
		session.Called(1, 1, session.ToolCall{ID: "c", Tool: "bash", Arguments: value.OfObject(value.Member{Key: "command", Value: value.OfString("ls\x1b")})}, value.Value{}, ""),
		session.Returned(1, 1, back, "", "", value.Value{}, 1),
		session.TurnEnded(1, session.End{Kind: session.EndError, Failure: &session.Failure{Message: "gone", Code: "X"}}),
	}
}

func decided(r *progress.Reporter) {
	r.Handled(point.Handled{Point: "tools/pre-execute", Extension: "p.lua", Rule: "no-rm", At: "p.lua:3", Said: tool.Deny{Reason: "not\nhere"}})
	r.Handled(point.Handled{Point: "tools/pre-execute", Extension: "p.lua", Rule: "no-rm", Said: nil})
	r.Handled(point.Handled{Point: "tools/result", Extension: "p.lua", Rule: "p", Err: errors.New("broken")})
}

// Who shows what: one line for each event, marked with whose it is.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		name, prefix string
		agent        progress.Agent
	}{{"the agent", "", progress.Agent{}}, {"a subagent", "[reviewer 2 x] ", progress.Agent{ID: "s", Label: "reviewer 2\nx"}}} {
		t.Run(test.name, func(t *testing.T) {
			s, r := newScreen(progress.Options{})
			if test.agent.ID != "" {
				r = r.Of(test.agent)
			}
			r.Session(session.Header{ID: "s"}, "", "startup")
			tell(t, r, calls()...)
			decided(r)
			require.NoError(t, r.Approval(t.Context(), tool.ApprovalRecord{Tool: "bash"}))
			require.NoError(t, r.Approval(t.Context(), tool.ApprovalRecord{Tool: "bash", Outcome: tool.ApprovalRejected}))
			r.Print("p.lua:1", "hm")
			want := []string{
				"session s (startup): in memory", `> bash {"command":"ls\u001b"}`, "< bash failed, 10 ms: no such file", "turn 1 error: gone (X)",
				"  deny: not here  (rule no-rm, p.lua:3)", "  fault: broken  (rule p)", "  rejected: bash", "print: p.lua:1: hm", "",
			}
			require.Equal(t, strings.TrimSuffix(test.prefix+strings.Join(want, "\n"+test.prefix), test.prefix), s.err.String())
			require.Empty(t, s.out.String())
		})
	}
}

// The answers of a subagent are no answers of the agent.
func TestSubagentsAnswerAside(t *testing.T) {
	s, r := newScreen(progress.Options{Live: true})
	tell(t, r.Of(progress.Agent{ID: "s", Label: "a 1"}), delta(0, "one\n"), said("one\ntwo\n"))
	require.Empty(t, s.out.String())
	require.Equal(t, "[a 1] one\n[a 1] two\n", s.err.String())
}

func TestLines(t *testing.T) {
	s, r := newScreen(progress.Options{JSON: true, Live: true})
	r.Mode(progress.Mode{Ask: "changes", Answer: "no", Workspace: "/w", Text: "text"})
	child := r.Of(progress.Agent{ID: "s", Label: "a 1"})
	tell(t, child, calls()...)
	tell(t, r, delta(0, "o"), said("one"))
	decided(child)
	require.NoError(t, r.Approval(t.Context(), tool.ApprovalRecord{Call: "c", Tool: "bash", Outcome: tool.ApprovalGranted}))
	require.Equal(t, strings.Join([]string{
		`{"type":"mode","ask":"changes","answer":"no","workspace":"/w","text":"text"}`,
		`{"type":"turn-start","agent":"s","turn":1}`,
		`{"type":"call","agent":"s","turn":1,"id":"c","tool":"bash","arguments":{"command":"ls\u001b"}}`,
		`{"type":"result","agent":"s","turn":1,"id":"c","tool":"bash","failed":true,"content":[{"kind":"text","text":"Error: no\nsuch file"}],"took_ms":10}`,
		`{"type":"turn-end","agent":"s","turn":1,"end":{"kind":"error","failure":{"message":"gone","code":"X"}}}`,
		`{"type":"text","turn":1,"text":"one"}`,
		`{"type":"decision","agent":"s","point":"tools/pre-execute","extension":"p.lua","rule":"no-rm","at":"p.lua:3","answer":{"kind":"deny","reason":"not\nhere"}}`,
		`{"type":"decision","agent":"s","point":"tools/result","extension":"p.lua","rule":"p","fault":"broken"}`,
		`{"type":"approval","id":"c","tool":"bash","outcome":"allowed-once"}`, "",
	}, "\n"), s.out.String())
	require.Empty(t, s.err.String())
}

// A question for approval finds the decision that asks it, of its own agent.
func TestAsked(t *testing.T) {
	_, r := newScreen(progress.Options{})
	r.Handled(point.Handled{Point: "tools/pre-execute", Rule: "first", At: "p.lua:1", Said: tool.Ask{Reason: "why"}})
	r.Of(progress.Agent{ID: "s"}).Handled(point.Handled{Point: "tools/pre-execute", Rule: "of the child", Said: tool.Ask{Reason: "why"}})
	d, ok := r.Asked("why")
	require.True(t, ok)
	require.Equal(t, "rule first, p.lua:1", d.Place())
	_, ok = r.Asked("why not")
	require.False(t, ok)
	for range 100 {
		r.Handled(point.Handled{Point: "tools/pre-execute", Rule: "later", Said: tool.Ask{Reason: "later"}})
	}
	_, ok = r.Asked("why")
	require.False(t, ok)
}

// The line of a fault is where the script broke.
func TestFaultsHaveAPlace(t *testing.T) {
	s, r := newScreen(progress.Options{Color: true})
	r.Handled(point.Handled{Point: "tools/pre-execute", Rule: "r", Err: &luavm.Error{File: "p.lua", Line: 7, Msg: "boom"}})
	require.Contains(t, s.err.String(), "\x1b[31mfault\x1b[0m")
	require.Contains(t, s.err.String(), "(rule r, p.lua:7)")
}
