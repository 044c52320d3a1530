package script_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// result is an outcome with parts that Lua cannot hold as they are.
func result() tool.Success {
	return tool.Success{
		Value: doc(`{"n": 9007199254740993, "empty": [], "none": null}`),
		Content: []session.Part{
			session.Text{Text: "a"},
			session.Image{MediaType: "image/png", Data: "AA=="},
			session.ToolResult{Call: "1", Content: []session.Part{}},
		},
		Meta:     doc(`{"token": [1, 2, {}]}`),
		Contexts: []session.Context{{Text: "c", Extension: "someone"}},
	}
}

// execute runs tools/execute with a script in front of a body that returns r.
func execute(t *testing.T, body string, r tool.Result) (tool.Result, error) {
	t.Helper()
	d := newDesk(t, load(t, "wrap.lua", "dsh.on('tools/execute', function(call, next)\n"+body+"\nend)", offered()), bodyFunc(func() tool.Result { return r }))
	return tool.OnExecute.Run(t.Context(), d.run(), rm())
}

// A bodyFunc is the innermost handler of tools/execute.
type bodyFunc func() tool.Result

func (bodyFunc) Name() string { return "body" }

func (f bodyFunc) Install(in *point.Installer) error {
	tool.OnExecute.Handle(in, func(context.Context, tool.Call, point.Next[tool.Result]) (tool.Result, error) { return f(), nil })
	return nil
}

// What next gave comes back as the very Go value it was.
func TestNextsAnswerIsPassedOnAsItIs(t *testing.T) {
	for _, body := range []string{
		"return next()", "local r = next() return r", "next()", "local r = next() if r.kind == 'success' then return r end",
		"local r = next() local n = 0 for k, v in pairs(r.value) do n = n + 1 end return r",
		"local t = {next()} return t[1]", "return (next())", "return select(1, next())",
	} {
		t.Run(body, func(t *testing.T) {
			want := result()
			got, err := execute(t, body, want)
			require.NoError(t, err)
			require.Equal(t, tool.Result(want), got)
			require.Same(t, &want.Content[0], &got.(tool.Success).Content[0], "not a copy")
			require.Same(t, &want.Contexts[0], &got.(tool.Success).Contexts[0])
		})
	}
}

// A part of it is no answer, and neither is a copy that lost what Lua cannot hold.
func TestPartsOfNextsAnswer(t *testing.T) {
	_, err := execute(t, "return next().value", result())
	require.ErrorContains(t, err, "decision.kind: missing")
	_, err = execute(t, "return {kind = 'success', value = next().value}", result())
	require.NoError(t, err)
}

// dsh.with changes what it is told to change and nothing else.
func TestWith(t *testing.T) {
	want := result()
	want.Content = []session.Part{session.Text{Text: "replaced"}}
	for _, body := range []string{
		"return dsh.with(next(), {content = {'replaced'}})",
		"return dsh.with(next(), {content = {{kind = 'text', text = 'replaced'}}})",
		"local r = next() local s = dsh.with(r, {}) return dsh.with(s, {content = 'replaced'})",
	} {
		got, err := execute(t, body, result())
		require.NoError(t, err)
		require.Equal(t, tool.Result(want), got, body)
	}

	got, err := execute(t, "return dsh.with(next(), {value = {n = next.x}})", result())
	require.Error(t, err)
	require.Nil(t, got)

	failure := tool.Failure{Message: "no", Code: "X", Meta: doc(`{"a": 1}`)}
	got, err = execute(t, "return dsh.with(next(), {message = 'yes'})", failure)
	require.NoError(t, err)
	require.Equal(t, tool.Result(tool.Failure{Message: "yes", Code: "X", Meta: doc(`{"a": 1}`)}), got)
}

// A plain table is an answer to dsh.with, and stays as it was.
func TestWithOfTables(t *testing.T) {
	got, err := desked(t, pre(`local a = {kind = 'deny', reason = 'x'}
local b = dsh.with(a, {reason = 'y', contexts = {'c'}})
assert(a.reason == 'x' and a.contexts == nil and b.kind == 'deny')
return b`)).ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Deny{Reason: "y", Contexts: []session.Context{{Text: "c", Extension: "policy.lua"}}}, got)
}

func TestWithMistakes(t *testing.T) {
	for _, args := range []string{"", "next()", "nil, {}", "next(), nil", "next(), 'x'", "'x', {}", "next(), {'x'}", "next(), {}, 1", "{'a'}, {}"} {
		_, err := desked(t, pre("return dsh.with("+args+")")).ask(t, rm())
		require.ErrorContains(t, err, "policy.lua:2: dsh.with takes an answer and a table of the fields to change", args)
	}
}

// What is added in front keeps what others added, and who added it.
// A member that is null reads as nil, and is null in the copy.
func TestWithKeepsNulls(t *testing.T) {
	failure := tool.Failure{Message: "no", Code: "X", Meta: value.NullValue()}
	got, err := execute(t, "local r = next() assert(r.meta == nil) return dsh.with(r, {message = 'yes'})", failure)
	require.NoError(t, err)
	require.Equal(t, tool.Result(tool.Failure{Message: "yes", Code: "X", Meta: value.NullValue()}), got)
}

func TestWithKeepsContexts(t *testing.T) {
	d := newDesk(t, load(t, "policy.lua", pre(`local d = next()
local list = {}
for i, c in ipairs(d.contexts) do list[i] = c end
list[#list + 1] = 'mine'
return dsh.with(d, {contexts = list})`), offered()),
		says(tool.Ask{Reason: "r", Contexts: []session.Context{{Text: "theirs", Extension: "other"}}}))
	got, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Ask{Reason: "r", Contexts: []session.Context{{Text: "theirs", Extension: "other"}, {Text: "mine", Extension: "policy.lua"}}}, got)
}

// rewrite runs tools/rewrite with a script on the given arguments.
func rewrite(t *testing.T, body, arguments string) (value.Value, error) {
	t.Helper()
	s := load(t, "policy.lua", "local json = require 'json'\ndsh.on('tools/rewrite', function(p)\n"+body+"\nend)", offered())
	d := newDesk(t, s)
	got, err := tool.OnRewrite.Run(t.Context(), d.run(), tool.Proposal{ID: "1", Tool: "T", Arguments: doc(arguments), Action: tool.Other{}})
	if err != nil {
		return value.Value{}, err
	}
	r, ok := got.(tool.Rewrite)
	require.True(t, ok, "%#v", got)
	return r.Arguments, nil
}

// JSON goes into Lua and comes out the same: integers that no float holds, the
// empty list of a payload, null where it is meant.
func TestJSONComesBack(t *testing.T) {
	const big = `{"n":9007199254740993,"m":-9223372036854775808,"s":"9007199254740993x","l":[],"o":{},"x":null,"f":1.5}`
	for _, test := range []struct{ name, body, in, want string }{
		{"as a whole", "return dsh.rewrite{arguments = p.arguments}", big, big},
		{"member by member", "return dsh.rewrite{arguments = {n = p.arguments.n, l = p.arguments.l}}", big, `{"l":[],"n":9007199254740993}`},
		{
			"a copy", "local t = {} for k, v in pairs(p.arguments) do t[k] = v end return dsh.rewrite{arguments = t}", big,
			`{"f":1.5,"l":[],"m":-9223372036854775808,"n":9007199254740993,"o":{},"s":"9007199254740993x"}`,
		},
		{"a text that looks like one", "return dsh.rewrite{arguments = {n = p.arguments.n}}", `{"n":"9007199254740993"}`, `{"n":"9007199254740993"}`},
		{"a text beside one", "return dsh.rewrite{arguments = {s = '12345678901234567890'}}", `{"n":9007199254740993}`, `{"s":"12345678901234567890"}`},
		{"empty", "return dsh.rewrite{arguments = {}}", `{}`, `{}`},
		{"an empty object within", "return dsh.rewrite{arguments = {a = {}}}", `{}`, `{"a":{}}`},
		{"an empty list", "return dsh.rewrite{arguments = {a = json.array{}}}", `{}`, `{"a":[]}`},
		{"null", "return dsh.rewrite{arguments = {a = json.null}}", `{}`, `{"a":null}`},
		{"minus zero", "return dsh.rewrite{arguments = {a = -0}}", `{}`, `{"a":0}`},
		{"numbers", "return dsh.rewrite{arguments = {a = {1, 2.5, 1e3, 2^53}}}", `{}`, `{"a":[1,2.5,1000,9007199254740992]}`},
		{"not UTF-8", `return dsh.rewrite{arguments = {a = "\255"}}`, `{}`, "{\"a\":\"\uFFFD\"}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := rewrite(t, test.body, test.in)
			require.NoError(t, err)
			require.Equal(t, test.want, got.String())
		})
	}
}

// {} is what the point expects there: a list or an object.
func TestEmptyTableIsWhatIsExpected(t *testing.T) {
	got, err := desked(t, pre("return {kind = 'allow', contexts = {}}")).ask(t, rm())
	require.NoError(t, err)
	require.Empty(t, got.(tool.Allow).Contexts)

	s := load(t, "policy.lua", "dsh.on('agent/request', function(r) return dsh.send{config = {options = {}}} end)", offered())
	send, err := agent.OnRequest.Run(t.Context(), newDesk(t, s).run(), agent.Request{})
	require.NoError(t, err)
	require.Equal(t, `{}`, send.(agent.Send).Config.Options.String())
}

// The messages of a step that a script lets enter keep their identity.
func TestMessagesKeepTheirIdentity(t *testing.T) {
	step := agent.Step{Turn: 1, Step: 1, Messages: []session.Message{{
		ID: "m1", Role: session.RoleUser, Content: []session.Part{session.Text{Text: "hello"}}, Source: session.User{},
	}}}
	s := load(t, "policy.lua", `dsh.on('agent/pre-step', function(step, next)
local d = next()
local list = {}
for i, m in ipairs(d.messages) do list[i] = m end
list[#list + 1] = {role = 'user', content = 'more'}
return dsh.with(d, {messages = list})
end)`, offered())
	got, err := agent.PreStep.Run(t.Context(), newDesk(t, s).run(), step)
	require.NoError(t, err)
	require.Equal(t, agent.Enter{Messages: []session.Message{
		step.Messages[0],
		{Role: session.RoleUser, Content: []session.Part{session.Text{Text: "more"}}, Source: session.Extension{Name: "policy.lua"}},
	}}, got)
}
