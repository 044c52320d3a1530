package script_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Every bad answer is one error: path, what was expected, what was there, the
// nearest name, and the line.
func TestBadAnswers(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"unknown field", "return dsh.with(next(), {raeson = 'x'})", `policy.lua:2: decision.raeson: no such field in tool.Allow`},
		{"unknown field, near", "return {kind = 'deny', raeson = 'x'}", `policy.lua:2: decision.raeson: no such field in tool.Deny; did you mean "reason"?`},
		{"unknown kind", "return {kind = 'denny'}", `policy.lua:2: decision.kind: "denny" is none of "allow", "deny", "ask"; did you mean "deny"?`},
		{"unlike kind", "return {kind = 'zzzzz'}", `policy.lua:2: decision.kind: "zzzzz" is none of "allow", "deny", "ask"`},
		{"kind that is no text", "return {kind = 1}", `decision.kind: want one of "allow", "deny", "ask", got 1`},
		{"no kind", "return {reason = 'x'}", `decision.kind: missing, want one of "allow", "deny", "ask"`},
		{"empty table", "return {}", "decision.kind: missing"},
		{"missing field", "return {kind = 'deny'}", "policy.lua:2: decision.reason: missing, want a string"},
		{"number for a text", "return {kind = 'deny', reason = 1}", "decision.reason: want a string, got 1"},
		{"table for a text", "return {kind = 'deny', reason = {}}", "decision.reason: want a string, got an empty table"},
		{"text for a boolean", "return {kind = 'allow', preapproved = 'yes'}", `decision.preapproved: want a boolean, got "yes"`},
		{"number for a list", "return {kind = 'allow', contexts = 1}", "decision.contexts: want a list of object (session.Context), got 1"},
		{"boolean in a list", "return {kind = 'allow', contexts = {true}}", "decision.contexts[1]: want an object (session.Context), got true"},
		{"unknown field in a list", "return {kind = 'allow', contexts = {{text = 'x'}, {txt = 'x'}}}", `decision.contexts[2].txt: no such field in session.Context; did you mean "text"?`},
		{"a hole in a list", "return {kind = 'allow', contexts = {'a', nil, 'b'}}", "decision.contexts"},
		{"NaN", "return {kind = 'deny', reason = 0/0}", "decision.reason: want a string, got "},
		{"a cycle", "local t = {kind = 'allow'} t.contexts = {t} return t", "policy.lua:2: decision.contexts[1]: the table contains itself"},
		{"a list that is too long", "local t = {} for i = 1, 10001 do t[i] = 'x' end return {kind = 'allow', contexts = t}", "policy.lua:2: decision.contexts: more than 10000 values"},
		{"a function", "return function() end", `decision: want a table with kind = "allow", "deny", "ask", got function`},
		{"a function as a field", "return {kind = 'deny', reason = print or next}", "unknown"},
		{"a function within", "return {kind = 'deny', reason = next}", "decision.reason: want a string, got function"},
		{"userdata", "return call.live", "decision: want a table with kind"},
		{"mixed keys", "return {'deny', kind = 'deny', reason = 'x'}", "decision"},
		{"a list", "return {'deny', 'x'}", "decision: want a table with kind"},
		{"false", "return false", "policy.lua:1: decision: want a table with kind = \"allow\", \"deny\", \"ask\", got false"},
		{"true", "return true", "decision: want a table with kind"},
		{"a text", "return 'deny'", `decision: want a table with kind = "allow", "deny", "ask", got "deny"`},
		{"a number", "return 1", "decision: want a table with kind"},
		{"several", "return dsh.allow{}, 'x'", "policy.lua:2: the handler returns several values; an answer is one table"},
		{"nil and more", "return nil, 'x'", "policy.lua:1: the handler returns nil and 1 more values; an answer is one table"},
		{"two nils", "return nil, nil", "the handler returns nil and 1 more values"},
		{"the payload", "return call", "decision.kind: missing"},
		{"a part of the payload", "return call.action", `decision.kind: "shell" is none of "allow", "deny", "ask"`},
		{"the answer of another point", "return dsh.forbid 'x'", `policy.lua:2: decision.kind: "forbid" is none of "allow", "deny", "ask"`},
		{"the right kind with another point's fields", "return dsh.block{feedback = 'x'}", `decision.kind: "block" is none of`},
		{"a long value", "return {kind = 'deny', reason = {('x'):rep(1000)}}", "decision.reason: want a string, got "},
		{"a metatable does not help", "return setmetatable({}, {__index = {kind = 'deny', reason = 'x'}})", `want a table with kind = "allow", "deny", "ask", got table with a metatable`},
		{"a missing grant", "return dsh.allow{preapproved = true}", `needs the grant "preapprove", which this extension does not have`},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := pre(test.body)
			if test.want == "unknown" { // an unknown name is found before any answer
				_, err := script.Load(t.Context(), "policy.lua", source, offered())
				require.ErrorContains(t, err, "'print' is not available in scripts")
				return
			}
			d, c := desked(t, source), rm()
			c.Live = anyLive()
			_, err := d.ask(t, c)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "\n", "one line")
			require.Less(t, len(err.Error()), 400)
			require.NotRegexp(t, `0x[0-9a-f]{6}`, err.Error(), "no address of memory")
			require.Error(t, d.last(t).Err)
			_, again := d.ask(t, c)
			require.EqualError(t, again, err.Error(), "the same in every run")
		})
	}
}

// At points whose answers hold any JSON, the JSON is checked too.
func TestBadJSONInAnswers(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"NaN", "0/0", "decision.arguments.x: expected a finite number"},
		{"infinity", "1/0", "decision.arguments.x: expected a finite number"},
		{"minus infinity", "-1/0", "decision.arguments.x: expected a finite number"},
		{"a function", "next", "decision.arguments.x: expected JSON, got a function"},
		{"userdata", "p.live", "decision.arguments.x: expected JSON, got a"},
		{"mixed keys", "{1, a = 2}", "decision.arguments.x: expected a list or named fields"},
		{"a hole", "{1, nil, 3}", "decision.arguments.x: expected a list or named fields"},
		{"a boolean key", "{[true] = 1}", "decision.arguments.x: expected a list or named fields"},
		{"a fraction as key", "{[1.5] = 1}", "decision.arguments.x: expected a list or named fields"},
		{"a metatable", "{y = setmetatable({a = 1}, {__index = {b = 2}})}", "decision.arguments.x.y: expected JSON, got a table with a metatable"},
		{"a metatable of a list", "setmetatable({1}, {})", "decision.arguments.x: expected JSON, got a table with a metatable"},
		{"a cycle", "(function() local t = {} t.t = t return t end)()", "decision.arguments.x.t: the table contains itself"},
		{"too deep", "(function() local t = {} for i = 1, 40 do t = {t = t} end return t end)()", "nested deeper than 32"},
		{"too large", "(function() local t = {} for i = 1, 10001 do t[i] = i end return t end)()", "decision.arguments.x: more than 10000 values"},
		{"too large in sum", "(function() local t = {} for i = 1, 200 do local u = {} for j = 1, 60 do u[j] = j end t[i] = u end return t end)()", "more than 10000 values"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := load(t, "policy.lua", "dsh.on('tools/rewrite', function(p, next)\nreturn {kind = 'rewrite', arguments = {x = "+test.value+"}}\nend)", offered())
			var r point.Registry
			_, err := r.Install(s)
			require.NoError(t, err)
			_, err = tool.OnRewrite.RunValue(t.Context(), point.Run{Handlers: &r}, sample("tools/rewrite"), anyLive())
			require.ErrorContains(t, err, "policy.lua:2: ")
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A path leads to what is wrong, for programs too.
func TestAnswerErrorsHavePaths(t *testing.T) {
	_, err := desked(t, pre("return {kind = 'allow', contexts = {{txt = 'x'}}}")).ask(t, rm())
	var bad *schema.Error
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "decision.contexts[1].txt", bad.Path)
	require.Equal(t, "policy.lua:2", at(err))
}

// Nobody would see what a handler of a notification returns.
func TestAnswerAtANotification(t *testing.T) {
	var r point.Registry
	_, err := r.Install(load(t, "policy.lua", "dsh.on('tools/result', function(done)\nreturn dsh.accept{}\nend)", offered()))
	require.NoError(t, err)
	err = tool.OnResult.Run(t.Context(), point.Run{Handlers: &r}, tool.Done{Call: rm(), Result: tool.Success{Value: doc(`1`)}})
	require.ErrorContains(t, err, "policy.lua:2: a handler of a notification returns nothing, got table")
}

// Where there is no next, a handler is not given one.
func TestNextIsOnlyWhereItMeansSomething(t *testing.T) {
	for _, name := range catalog.Names() {
		p := catalog.Find(name)
		s := load(t, "policy.lua", "dsh.on('"+name+"', function(p, next) assert((next ~= nil) == "+strconv.FormatBool(p.MaxNext() > 0)+") end)", offered())
		var r point.Registry
		_, err := r.Install(s)
		require.NoError(t, err)
		_, err = p.RunValue(t.Context(), point.Run{Handlers: &r}, sample(name), anyLive())
		require.NoError(t, err, name)
	}
}

func TestNextTakesNoPayload(t *testing.T) {
	for _, args := range []string{"call", "{}", "1", "nil", "{timeout_ms = 5}"} {
		_, err := desked(t, pre("return next("+args+")")).ask(t, rm())
		require.ErrorContains(t, err, "next takes no arguments here: a payload cannot be changed on its way", args)
	}
}

// A handler learns which grants the script has where it is installed.
func TestGranted(t *testing.T) {
	const source = `return dsh.allow{preapproved = dsh.granted "preapprove" and not dsh.granted "other"}`
	s := load(t, "policy.lua", pre(source), offered())
	for _, test := range []struct {
		grants []point.Grant
		want   bool
	}{{nil, false}, {[]point.Grant{tool.Preapprove}, true}, {[]point.Grant{"other", tool.Preapprove}, false}, {nil, false}} {
		d := newDesk(t)
		d.install(t, s, test.grants...)
		got, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, tool.Allow{Preapproved: test.want}, got)
	}
	known := offered()
	known.Grants = tool.Grants()
	for name, want := range map[string]string{"preapprove": "", "preaprove": `no grant "preaprove"; did you mean "preapprove"?`, "x": `dsh.granted: there is no grant "x"`} {
		d := newDesk(t)
		d.install(t, load(t, "policy.lua", pre(`dsh.granted "`+name+`"`), known))
		_, err := d.ask(t, rm())
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
	_, err := script.Load(t.Context(), "policy.lua", "local yes = dsh.granted 'preapprove'", offered())
	require.ErrorContains(t, err, "policy.lua:1: dsh.granted is for handlers")
	_, err = desked(t, pre("return dsh.granted(1)")).ask(t, rm())
	require.ErrorContains(t, err, "dsh.granted takes the name of one grant, got number")
}
