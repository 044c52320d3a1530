package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
)

func everyEffect() *session.Effects {
	return session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
}

// What a run says to others than its point is bounded in number and in bytes, and
// no script can catch that.
func TestEffectsAndLogsAreBounded(t *testing.T) {
	const effects = "too many effects on the session: a run may have 64, with 262144 bytes of text"
	const log = "too much for the log: a run may write 1000 lines, of 262144 bytes together"
	for _, test := range []struct {
		name, body string
		want       error
		text       string
	}{
		{"many texts", "while true do pcall(call.live.tell, call.live, 'x') end", script.ErrEffects, effects},
		{"large texts", "local s = ('x'):rep(4e6) while true do call.live:tell(s) end", script.ErrEffects, effects},
		{"injected", "local s = ('x'):rep(1e5) while true do call.live:inject(s) end", script.ErrEffects, effects},
		{"injected tables", "local s = ('x'):rep(1e5) while true do call.live:inject{text = s} end", script.ErrEffects, effects},
		{"steered", "local s = ('x'):rep(1e5) while true do call.live:steer(s) end", script.ErrEffects, effects},
		{"halted", "local s = ('x'):rep(1e5) while true do call.live:halt(s) end", script.ErrEffects, effects},
		{"all together", "local l = call.live while true do l:tell 'a' l:inject 'b' l:steer 'c' l:halt 'd' end", script.ErrEffects, effects},
		{"many lines", "while true do pcall(dsh.log, 'x') end", script.ErrLog, log},
		{"large lines", "local s = ('x'):rep(4e6) while true do dsh.log(s) end", script.ErrLog, log},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := offered()
			opts.Limits.Instructions = 2_000_000
			lines, bytes := 0, 0
			opts.Log = func(_, text string) { lines++; bytes += len(text) }
			d, live, c := newDesk(t, load(t, "policy.lua", pre(test.body), opts)), everyEffect(), rm()
			c.Live = live
			_, err := d.ask(t, c)
			require.ErrorIs(t, err, test.want)
			require.ErrorAs(t, err, new(luavm.Limit))
			require.ErrorContains(t, err, "policy.lua:2: "+test.text)
			told := strings.Join(live.Told(), "")
			require.LessOrEqual(t, len(told), 256<<10)
			require.LessOrEqual(t, len(live.Told())+len(live.Injected())+len(live.Steered()), 64)
			require.LessOrEqual(t, lines, 1000)
			require.LessOrEqual(t, bytes, 256<<10)
		})
	}
}

// What a script is told of its mistakes is work too, which the budget counts: the
// time limit, which is none here, would stop it at another place on every machine.
func TestMistakesAreCounted(t *testing.T) {
	const name, list = "local s = ('x'):rep(2e5) ", "local s = {} for i = 1, 1e5 do s[i] = i end "
	for _, body := range []string{
		name + "while true do pcall(function() return call.live[s] end) end",
		name + "while true do pcall(function() return call.action[s] end) end",
		name + "while true do pcall(error, s) end",
		list + "while true do pcall(call.live.inject, call.live, s) end",
		list + "while true do pcall(dsh.deny, s) end",
		list + "while true do pcall(dsh.with, dsh.allow(), s) end",
	} {
		opts := offered()
		opts.Limits.Wall = time.Hour
		d, c := newDesk(t, load(t, "policy.lua", pre(body), opts)), rm()
		c.Live = everyEffect()
		steps := map[string]bool{}
		for range 2 {
			_, err := d.ask(t, c)
			steps[err.Error()] = true
			require.ErrorAs(t, err, new(luavm.Limit))
		}
		require.Len(t, steps, 1)
	}
}

// The bounds are those of one run.
func TestEachRunHasItsOwnBounds(t *testing.T) {
	opts := offered()
	lines := 0
	opts.Log = func(string, string) { lines++ }
	d := newDesk(t, load(t, "policy.lua", pre("for i = 1, 64 do call.live:tell 'x' end for i = 1, 1000 do dsh.log 'x' end"), opts))
	for range 3 {
		c := rm()
		c.Live = everyEffect()
		_, err := d.ask(t, c)
		require.NoError(t, err)
	}
	require.Equal(t, 3000, lines)
}

// What the main chunk says counts for itself: neither the handler before it nor
// the one after it has less for that.
func TestMainChunkHasItsOwnBounds(t *testing.T) {
	opts := offered()
	lines := 0
	opts.Log = func(string, string) { lines++ }
	const thousand = "for i = 1, 1000 do dsh.log 'x' end\n"
	d := newDesk(t, load(t, "policy.lua", "count = 0 "+thousand+pre("count = 1 "+thousand), opts))
	for range 2 {
		_, err := d.ask(t, rm())
		require.NoError(t, err)
	}
	require.Equal(t, 5000, lines, "once when it is read, then twice for each of two runs")
}

// A text that leaves the state costs in proportion, before anything happens.
func TestEffectsCostByTheirLength(t *testing.T) {
	for _, act := range []string{"call.live:tell(s)", "call.live:halt(s)", "call.live:inject(s)", "call.live:steer{text = s}", "dsh.log(s)"} {
		steps := func(n string) int64 {
			d, c := desked(t, pre("local s = ('x'):rep("+n+") "+act)), rm()
			c.Live = everyEffect()
			_, err := d.ask(t, c)
			require.NoError(t, err)
			return d.last(t).Steps
		}
		require.GreaterOrEqual(t, steps("160000")-steps("1"), int64(10_000), act)
	}
}

// What the library copies costs by the item.
func TestCopiesCostByTheItem(t *testing.T) {
	const list = "local t = {} for i = 1, 5000 do t[i] = 'x' end "
	const fields = "local t = {kind = 'allow'} for i = 1, 5000 do t['k' .. i] = i end "
	for _, test := range []struct{ name, make, copy string }{
		{"json.array", list, "json.array(t)"},
		{"dsh.with", fields, "dsh.with(t, {})"},
		{"dsh.with changes", fields, "dsh.with({kind = 'allow'}, t)"},
		{"a constructor", fields, "pcall(dsh.allow, t)"},
		{"a message", fields, "pcall(call.live.inject, call.live, t)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			steps := func(body string) int64 {
				d, c := desked(t, "local json = require 'json'\n"+pre(body)), rm()
				c.Live = everyEffect()
				_, err := d.ask(t, c)
				require.NoError(t, err)
				return d.last(t).Steps
			}
			require.GreaterOrEqual(t, steps(test.make+test.copy)-steps(test.make), int64(4*5000))
		})
	}
}

// The texts of an answer are bounded together; JSON of any shape is not.
func TestTextsOfAnAnswerAreBounded(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"one", "return dsh.deny(('x'):rep(262145))", "policy.lua:2: decision.reason: the text of the answer is longer than 262144 bytes"},
		{"together", "local s = ('x'):rep(100000) return dsh.deny{reason = s, contexts = {s, s}}", "policy.lua:2: decision.contexts[2]: the text of the answer is longer than 262144 bytes"},
		{"a kind", "return {kind = ('x'):rep(300000)}", "policy.lua:2: decision.kind: the text of the answer is longer than 262144 bytes"},
		{"just fits", "return dsh.deny(('x'):rep(262100))", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := desked(t, pre(test.body)).ask(t, rm())
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
	d := desked(t, pre("return dsh.deny(('x'):rep(200000))"))
	for range 3 { // each answer counts for itself
		_, err := d.ask(t, rm())
		require.NoError(t, err)
	}
	got, err := rewrite(t, "return dsh.rewrite{arguments = {content = ('x'):rep(300000)}}", "{}")
	require.NoError(t, err)
	require.Len(t, got.Get("content").String(), 300000)
}

// Numbers that JSON does not have are named.
func TestNumbersThatAreNone(t *testing.T) {
	for expression, want := range map[string]string{"0/0": "nan", "1/0": "inf", "-1/0": "-inf", "1.5": "1.5"} {
		_, err := desked(t, pre("return dsh.deny{reason = "+expression+"}")).ask(t, rm())
		require.ErrorContains(t, err, "decision.reason: want a string, got "+want)
	}
}

// Faults that the point finds after the run name their place as well.
func TestFaultsOfThePointHaveAPlace(t *testing.T) {
	_, err := desked(t, pre("\nreturn dsh.allow{preapproved = true}")).ask(t, rm())
	require.EqualError(t, err, `tools/pre-execute: extension policy.lua: rule policy: policy.lua:3: decision: needs the grant "preapprove", which this extension does not have`)
	_, err = desked(t, pre("next()\nreturn dsh.allow{preapproved = true}")).ask(t, rm())
	require.ErrorContains(t, err, `policy.lua:3: decision: needs the grant`)
	_, err = rewrite(t, "return dsh.rewrite{arguments = {1}}", "{}")
	require.EqualError(t, err, "tools/rewrite: extension policy.lua: rule policy: policy.lua:3: decision: rewrite.arguments: want an object, got list")
}

// An answer of its own counts as the handler's, even if it says what next said.
func TestOwnAnswersAreSaid(t *testing.T) {
	for _, test := range []struct {
		name, body string
		said       bool
	}{
		{"no opinion", "next()", false},
		{"passed on", "return next()", false},
		{"built", "next() return dsh.allow()", true},
		{"changed into the same", "return dsh.with(next(), {})", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := desked(t, pre(test.body))
			_, err := d.ask(t, rm())
			require.NoError(t, err)
			require.Equal(t, test.said, d.last(t).Said != nil)
			require.Equal(t, test.said, d.last(t).Own)
		})
	}
}

// Who ended the turn is kept where the host keeps it.
func TestHaltsHaveAnOrigin(t *testing.T) {
	d := newDesk(t, load(t, "policy.lua", `dsh.on("tools/pre-execute", {rule = "stop"}, function(call)
  call.live:halt("enough")
end)
dsh.on("tools/pre-execute", {rule = "late"}, function(call) call.live:halt("more") end)`, offered()))
	live, c := everyEffect(), rm()
	c.Live = live
	_, err := d.ask(t, c)
	require.NoError(t, err)
	require.Equal(t, session.Origin{Extension: "policy.lua", Rule: "stop", At: "policy.lua:2"}, live.HaltedBy())
}
