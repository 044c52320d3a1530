package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// both asks two scripts with the given bodies, first a then b.
func both(t *testing.T, a, b string) (tool.PreDecision, error) {
	t.Helper()
	return newDesk(t, load(t, "a.lua", pre(a), offered()), load(t, "b.lua", pre(b), offered())).ask(t, rm())
}

// No policy's yes hides another's no, in whatever order they stand.
func TestStricterAnswerWins(t *testing.T) {
	const allow, ask, deny, nothing = "return dsh.allow{}", "return dsh.ask 'q'", "return dsh.deny 'd'", ""
	for _, test := range []struct {
		a, b string
		want tool.PreDecision
	}{
		{allow, deny, tool.Deny{Reason: "d"}},
		{allow, ask, tool.Ask{Reason: "q"}},
		{ask, deny, tool.Deny{Reason: "d"}},
		{nothing, deny, tool.Deny{Reason: "d"}},
		{nothing, ask, tool.Ask{Reason: "q"}},
		{nothing, allow, tool.Allow{}},
		{nothing, nothing, tool.Allow{}},
		{"return next()", deny, tool.Deny{Reason: "d"}},
	} {
		for _, order := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			got, err := both(t, order[0], order[1])
			require.NoError(t, err)
			require.Equal(t, test.want, got, "%v", order)
		}
	}
}

// A refusal ends the chain; any other answer lets the rest be asked.
func TestWhoIsAsked(t *testing.T) {
	for _, test := range []struct {
		a     string
		count int
	}{{"return dsh.deny 'd'", 1}, {"return dsh.ask 'q'", 2}, {"return dsh.allow{}", 2}, {"", 2}} {
		d := newDesk(t, load(t, "a.lua", pre(test.a), offered()), load(t, "b.lua", pre(""), offered()))
		_, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Len(t, d.handled, test.count, test.a)
	}
}

func TestContextsAreMerged(t *testing.T) {
	got, err := both(t, "return dsh.ask{reason = 'q', contexts = {'a1', 'a2'}}", "return dsh.allow{contexts = 'b'}")
	require.NoError(t, err)
	require.Equal(t, tool.Ask{Reason: "q", Contexts: []session.Context{
		{Text: "a1", Extension: "a.lua"}, {Text: "a2", Extension: "a.lua"}, {Text: "b", Extension: "b.lua"},
	}}, got)
}

// A fault behind an answer is a fault, and so is one in an answer that a stricter
// one would hide.
func TestNoAnswerHidesAFault(t *testing.T) {
	_, err := both(t, "return dsh.allow{}", "error 'boom'")
	require.ErrorContains(t, err, "b.lua:2: boom")
	_, err = both(t, "return dsh.allow{preapproved = true}", "return dsh.deny 'd'")
	require.ErrorContains(t, err, `needs the grant "preapprove"`)
}

// raw gives plain waterfall power: the handlers behind are not asked unless it
// asks them.
func TestRawDecidesAlone(t *testing.T) {
	raw := func(body string) string {
		return "dsh.on('tools/pre-execute', {raw = true}, function(call, next)\n" + body + "\nend)"
	}
	for _, test := range []struct {
		body string
		want tool.PreDecision
		asks int
	}{
		{"return dsh.allow{}", tool.Allow{}, 1},
		{"next() return dsh.allow{}", tool.Allow{}, 2},
		{"local d = next() if d.kind == 'deny' then return dsh.ask(d.reason) end return d", tool.Ask{Reason: "d"}, 2},
		{"", tool.Deny{Reason: "d"}, 2},
	} {
		d := newDesk(t, load(t, "raw.lua", raw(test.body), offered()), load(t, "b.lua", pre("return dsh.deny 'd'"), offered()))
		got, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, test.want, got, test.body)
		require.Len(t, d.handled, test.asks, test.body)
	}
}

// Only whoever was granted it may allow a call in the user's place, and only if
// nobody asks or denies.
func TestPreapproval(t *testing.T) {
	const yes = "return dsh.allow{preapproved = true}"
	load := func(name, body string) *script.Script { return load(t, name, pre(body), offered()) }
	for _, test := range []struct {
		other string
		want  tool.PreDecision
	}{
		{"", tool.Allow{Preapproved: true}},
		{"return dsh.allow{}", tool.Allow{Preapproved: true}},
		{"return next()", tool.Allow{Preapproved: true}},
		{"return dsh.ask 'q'", tool.Ask{Reason: "q"}},
		{"return dsh.deny 'd'", tool.Deny{Reason: "d"}},
	} {
		for _, first := range []bool{true, false} {
			d := &desk{}
			if !first {
				d.install(t, load("other.lua", test.other))
			}
			d.install(t, load("yes.lua", yes), tool.Preapprove)
			if first {
				d.install(t, load("other.lua", test.other))
			}
			got, err := d.ask(t, rm())
			require.NoError(t, err)
			require.Equal(t, test.want, got, "%s, first: %v", test.other, first)
		}
	}
	t.Run("without the grant", func(t *testing.T) {
		for _, body := range []string{yes, "local d = next() return dsh.with(dsh.allow{}, {preapproved = true})", "return {kind = 'allow', preapproved = true}"} {
			_, err := newDesk(t, load("yes.lua", body)).ask(t, rm())
			require.ErrorContains(t, err, `needs the grant "preapprove"`)
		}
	})
}

// A guard has no yes.
func TestGuards(t *testing.T) {
	guard := func(body string) *script.Script {
		return load(t, "guard.lua", "dsh.on('tools/guard', function(call)\n"+body+"\nend)", offered())
	}
	for _, test := range []struct {
		body string
		want tool.GuardDecision
	}{{"", tool.Abstain{}}, {"return dsh.abstain()", tool.Abstain{}}, {"return dsh.forbid 'no'", tool.Forbid{Reason: "no"}}} {
		got, err := tool.OnGuard.Run(t.Context(), newDesk(t, guard(test.body), guard("")).run(), rm())
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	_, err := tool.OnGuard.Run(t.Context(), newDesk(t, guard("return dsh.allow{}")).run(), rm())
	require.ErrorContains(t, err, `decision.kind: "allow" is none of "abstain", "forbid"`)
}

// Two rewrites that differ cannot both stand.
func TestTwoRewrites(t *testing.T) {
	rewrite := func(name, command string) *script.Script {
		return load(t, name, "dsh.on('tools/rewrite', function(p) return dsh.rewrite{arguments = {command = '"+command+"'}} end)", offered())
	}
	p := tool.Proposal{Tool: "Bash", Arguments: doc(`{"command":"ls"}`), Action: tool.Shell{Command: "ls"}}
	_, err := tool.OnRewrite.Run(t.Context(), newDesk(t, rewrite("a.lua", "ls -l"), rewrite("b.lua", "ls -a")).run(), p)
	require.ErrorContains(t, err, "two extensions rewrite this call in different ways")
	got, err := tool.OnRewrite.Run(t.Context(), newDesk(t, rewrite("a.lua", "ls -l"), rewrite("b.lua", "ls -l")).run(), p)
	require.NoError(t, err)
	require.JSONEq(t, `{"command":"ls -l"}`, got.(tool.Rewrite).Arguments.String())
}

// At a point where next may be called again, each call has an answer of its own.
func TestRepeatableNext(t *testing.T) {
	retry := `local r
for i = 1, 3 do
  r = next{timeout_ms = 1000}
  if r.kind == 'success' then return r end
end
return r`
	d, tries := &desk{}, 0
	d.install(t, load(t, "retry.lua", "dsh.on('tools/execute', function(call, next)\n"+retry+"\nend)", offered()))
	d.install(t, bodyFunc(func() tool.Result {
		if tries++; tries < 3 {
			return tool.Failure{Message: "busy"}
		}
		return result()
	}))
	got, err := tool.OnExecute.Run(t.Context(), d.run(), rm())
	require.NoError(t, err)
	require.Equal(t, tool.Result(result()), got)
	require.Equal(t, 3, tries)

	for _, args := range []string{"1", "{}", "{timeout_ms = 0}", "{timeout_ms = -1}", "{timeout_ms = 0/0}", "{timeout_ms = 1e300}", "{timeout_ms = 'x'}", "{5}", "{timeout_ms = 5}, 1", "nil"} {
		_, err := execute(t, "return next("+args+")", result())
		require.ErrorContains(t, err, "next takes nothing here but a table with timeout_ms", args)
	}
	_, err = execute(t, "return next{timeout_ms = 5, timeout_m = 6}", result())
	require.ErrorContains(t, err, `it has no "timeout_m"; did you mean "timeout_ms"?`)
	_, err = execute(t, "for i = 1, 9 do next() end", result())
	require.ErrorContains(t, err, "next called more than 8 times")
}
