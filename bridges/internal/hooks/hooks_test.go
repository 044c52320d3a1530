package hooks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A desk is the live handle of a session, with what came to it.
type desk struct {
	*session.Effects
	events []session.Event
}

func sitting() *desk { return &desk{Effects: session.NewEffects(session.EffectTell)} }

// Record implements [session.Recorder].
func (d *desk) Record(e session.Event) error {
	d.events = append(d.events, e)
	return nil
}

// plain is a client that shows calls as they are, in the protocol of one that is.
func plain() Client {
	return Client{
		Extension: "hooks-test", Dialect: protocol.Dialect{}, Process: protocol.Process(), Events: []string{PreToolUse, PostToolUse, Stop},
		Guards: map[string]hookproto.Decision{PreToolUse: hookproto.Deny},
		Select: func(all []hookproto.Handler, f *Firing) ([]hookproto.Handler, []error) {
			return protocol.Select(all, protocol.Firing{Event: f.Event, Subject: f.Subject})
		},
		Payload: func(f *Firing) ([]byte, error) { return []byte(f.Event), nil },
		Show:    func(c Seen) Shown { return Shown{Name: c.Tool, Input: c.Arguments} },
		After:   func(tool.Done) string { return PostToolUse },
	}
}

// bridged returns a bridge with commands for an event, each at its line of a file.
func bridged(c Client, o Options, event string, commands ...string) *Bridge {
	for i, line := range commands {
		o.Config.Handlers = append(o.Config.Handlers, hookproto.Handler{
			ID: fmt.Sprintf("test:%s:%d", event, i+1), Event: event, Kind: hookproto.CommandHandler, Command: line,
			At: hookproto.Place{File: "f.json", Line: i + 1},
		})
	}
	return New(c, o)
}

// inTurn is a firing of a turn under way.
func inTurn(event string, live session.Live) *Firing {
	return &Firing{Event: event, Session: session.Ref{ID: "s", Turn: "3", Cwd: "/"}, Live: live}
}

// What hooks did joins what others decided: the stricter holds, and the texts of
// hooks stand in front.
func TestJoined(t *testing.T) {
	own, theirs := []session.Context{{Text: "hook"}}, []session.Context{{Text: "other"}}
	both := []session.Context{{Text: "hook"}, {Text: "other"}}
	outcome := func(d hookproto.Decision, reason string) judged {
		o := hookproto.Outcome{Decision: d, Reason: reason}
		return judged{fired: fired{Outcome: o, kind: Client{}.kind(PreToolUse, o)}}
	}
	for name, test := range map[string]struct {
		hooks      judged
		rest, want tool.PreDecision
	}{
		"nothing and allow":      {outcome("", ""), tool.Allow{Contexts: theirs}, tool.Allow{Contexts: both}},
		"nothing and ask":        {outcome("", ""), tool.Ask{Reason: "b", Contexts: theirs}, tool.Ask{Reason: "b", Contexts: both}},
		"nothing and deny":       {outcome("", ""), tool.Deny{Reason: "b", Contexts: theirs}, tool.Deny{Reason: "b", Contexts: both}},
		"allow spares the human": {outcome(hookproto.Allow, ""), tool.Allow{}, tool.Allow{Preapproved: true, Contexts: own}},
		"allow spares no ask":    {outcome(hookproto.Allow, ""), tool.Ask{Reason: "b"}, tool.Ask{Reason: "b", Contexts: own}},
		"allow lifts no denial":  {outcome(hookproto.Allow, ""), tool.Deny{Reason: "b"}, tool.Deny{Reason: "b", Contexts: own}},
		"ask and allow":          {outcome(hookproto.Ask, "a"), tool.Allow{Contexts: theirs}, tool.Ask{Reason: "a", Contexts: both}},
		"ask takes consent away": {outcome(hookproto.Ask, "a"), tool.Allow{Preapproved: true}, tool.Ask{Reason: "a", Contexts: own}},
		"ask and ask":            {outcome(hookproto.Ask, "a"), tool.Ask{Reason: "b"}, tool.Ask{Reason: "a", Contexts: own}},
		"ask without a reason":   {outcome(hookproto.Ask, ""), tool.Ask{Reason: "b"}, tool.Ask{Reason: "b", Contexts: own}},
		"defer is to ask":        {outcome(hookproto.Defer, "a"), tool.Allow{}, tool.Ask{Reason: "a", Contexts: own}},
		"ask and deny":           {outcome(hookproto.Ask, "a"), tool.Deny{Reason: "b"}, tool.Deny{Reason: "b", Contexts: own}},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(plain(), Options{Preapprove: true})
			require.Equal(t, test.want, b.joined(test.hooks, own, test.rest))
		})
	}
	c := plain()
	c.AsksAnyway = true
	for _, b := range []*Bridge{New(plain(), Options{}), New(c, Options{Preapprove: true})} {
		require.Equal(t, tool.Allow{}, b.joined(outcome(hookproto.Allow, ""), nil, tool.Allow{}))
	}
}

// A hook that fails decides nothing, and the human is told where it stands; what it
// guards is denied in strict mode.
func TestFaults(t *testing.T) {
	for name, test := range map[string]struct{ command, told string }{
		"a status":  {"echo broken >&2; exit 3", "f.json:1: the PreToolUse hook failed: it ended with exit status 3: broken"},
		"no answer": {`echo '{"decision": 1}'`, "f.json:1: the PreToolUse hook failed: "},
		"a signal":  {"kill -9 $$", "f.json:1: the PreToolUse hook failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			for strict, want := range map[bool]kind{false: allow, true: deny} {
				live := sitting()
				out, err := bridged(plain(), Options{Strict: strict}, PreToolUse, test.command).fire(t.Context(), inTurn(PreToolUse, live))
				require.NoError(t, err)
				require.Equal(t, want, out.kind)
				if strict {
					require.Contains(t, out.Reason, "the PreToolUse hook in f.json:1 failed: ")
				} else {
					require.Contains(t, strings.Join(live.Told(), "\n"), test.told)
				}
			}
		})
	}
	live := sitting()
	out, err := bridged(plain(), Options{Strict: true}, Stop, "exit 3").fire(t.Context(), inTurn(Stop, live))
	require.NoError(t, err)
	require.Equal(t, hookproto.NoDecision, out.Decision, "nothing is guarded there")

	c := plain()
	c.Payload = func(*Firing) ([]byte, error) { return nil, errors.New("no payload") }
	_, err = bridged(c, Options{}, PreToolUse, "true").fire(t.Context(), inTurn(PreToolUse, live))
	require.ErrorContains(t, err, "the payload of PreToolUse: no payload")
}

// Every hook that is waited for has a record before it runs and one behind it, in
// configured order whichever ended first; outside of a turn there is no log.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	slow := fmt.Sprintf("until test -e %s/go; do sleep 0.01; done; printf '%%0900d' 0 >&2; exit 2", dir)
	quick := fmt.Sprintf("touch %s/go", dir)
	live := sitting()
	var seen []string
	o := Options{Stderr: 10, Observe: func(_ string, done []hookproto.Completed) {
		for _, c := range done {
			seen = append(seen, c.Handler.ID)
		}
	}}
	_, err := bridged(plain(), o, PreToolUse, slow, quick).fire(t.Context(), inTurn(PreToolUse, live))
	require.NoError(t, err)
	var got []string
	for _, e := range live.events {
		got = append(got, fmt.Sprintf("%s %s %s turn %s", e.Type, e.Data.Get("handlerId"), e.Data.Get("decision"), e.Data.Get("turn")))
	}
	require.Equal(t, []string{
		"hook/invoked test:PreToolUse:1  turn 3", "hook/invoked test:PreToolUse:2  turn 3",
		"hook/result test:PreToolUse:1 block turn 3", "hook/result test:PreToolUse:2 pass turn 3",
	}, got)
	require.Equal(t, []string{"test:PreToolUse:1", "test:PreToolUse:2"}, seen)
	require.Less(t, len(live.events[2].Data.Get("stderrSummary").String()), 30)

	live = sitting()
	f := inTurn(PreToolUse, live)
	f.Session.Turn = ""
	_, err = bridged(plain(), Options{}, PreToolUse, "true").fire(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, live.events)
}

// What is told once is told once, and not without end.
func TestOnce(t *testing.T) {
	var told []string
	b := New(plain(), Options{Warn: func(text string) { told = append(told, text) }})
	for range 3 {
		b.once("a")
		b.once("b")
	}
	require.Equal(t, []string{"a", "b"}, told)
	for i := range 2 * maxSaid {
		b.once(fmt.Sprint(i))
	}
	require.Len(t, told, maxSaid)
}

// What hooks said about a call is kept for this call of this turn, and taken once.
func TestState(t *testing.T) {
	b := New(plain(), Options{})
	s := session.Ref{ID: "s", Turn: "1"}
	b.state(s).keep("c", judged{arguments: value.OfInt(1)})
	_, known := b.state(s).take("c")
	require.True(t, known)
	_, known = b.state(s).take("c")
	require.False(t, known)

	b.state(s).keep("c", judged{})
	b.state(s).stop("first")
	b.state(s).stop("second")
	why, halted := b.state(s).stopped()
	require.True(t, halted)
	require.Equal(t, "first", why)
	b.state(s).spare([]session.Context{{Text: "kept"}})
	s.Turn = "2"
	_, known = b.state(s).take("c")
	require.False(t, known)
	_, halted = b.state(s).stopped()
	require.False(t, halted)
	require.Len(t, b.state(s).takeSpared(), 1, "for the next prompt")
	require.Empty(t, b.state(s).takeSpared())
}

// The hooks of an event that a call does not concern do not run, and hooks that
// cannot run are no reason for a payload.
func TestWhatDoesNotRun(t *testing.T) {
	c := plain()
	c.Payload = func(*Firing) ([]byte, error) { return nil, errors.New("asked for") }
	o := Options{Config: hookproto.Config{Handlers: []hookproto.Handler{
		{ID: "1", Event: PreToolUse, Kind: hookproto.HTTPHandler, NotRun: "no http"},
		{ID: "2", Event: PreToolUse, Kind: hookproto.MCPToolHandler, Server: "s", Tool: "t"},
	}}}
	b := New(c, o)
	out, err := b.fire(t.Context(), inTurn(PreToolUse, nil))
	require.NoError(t, err)
	require.Equal(t, allow, out.kind)
	require.Len(t, b.Problems(), 1)
	require.Contains(t, b.Problems()[0].String(), `the MCP server "s" is not there to run its tool "t"`)
}

// What the client shows while hooks run is told to be shown nowhere, once.
func TestUnshown(t *testing.T) {
	h := hookproto.Handler{ID: "1", Event: PreToolUse, Kind: hookproto.CommandHandler, Command: "true", StatusMessage: "checking"}
	b := New(plain(), Options{Config: hookproto.Config{Handlers: []hookproto.Handler{h, h}}})
	require.Len(t, b.Problems(), 1)
	require.Equal(t, hookproto.FieldIgnored, b.Problems()[0].Severity)
	require.Contains(t, b.Problems()[0].Text, "statusMessage")
}
