package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// expr evaluates an expression on a call, as text.
func expr(t *testing.T, e string) (string, error) {
	t.Helper()
	got, err := desked(t, pre("return dsh.deny(tostring("+e+"))")).ask(t, rm())
	if err != nil {
		return "", err
	}
	return got.(tool.Deny).Reason, nil
}

func TestReadingPayloads(t *testing.T) {
	for _, test := range []struct{ expr, want string }{
		{"call.tool", "Bash"},
		{"call.action.kind", "shell"},
		{"call.action.command", "rm -rf /"},
		{"call.arguments.command", "rm -rf /"},
		{"call.arguments.nothing", "nil"},
		{"call.arguments.none", "nil"},
		{"call.parent", "nil"},
		{"call.fault", "nil"},
		{"call.session.model", "nil"},
		{"call.session.agent", "nil"},
		{"call.action.partial", "nil"},
		{"call.arguments.n", "9007199254740993"},
		{"type(call.arguments.n)", "string"},
		{"type(call)", "table"},
		{"call.session == call.session", "true"},
		{"call.action == call.arguments", "false"},
		{"(function() local t = {} for k in pairs(call.arguments) do t[#t + 1] = k end return table.concat(t, ' ') end)()", "command n"},
		{"#call.arguments", "0"},
		{"call.arguments[1]", "nil"},
	} {
		t.Run(test.expr, func(t *testing.T) {
			got, err := expr(t, test.expr)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// A guard that looks at a field that is not there would pass everything.
func TestUnknownFieldsRaise(t *testing.T) {
	for _, test := range []struct{ expr, want string }{
		{"call.tol", `policy.lua:2: no field "tol" in tool.Call; did you mean "tool"?`},
		{"call.input", `no field "input" in tool.Call`},
		{"call.command", `no field "command" in tool.Call; did you mean action.command?`},
		{"call.path", `no field "path" in tool.Call`},
		{"call.cwd", `no field "cwd" in tool.Call; did you mean action.cwd?`},
		{"call.action.comand", `no field "comand" in tool.Action; did you mean "command"?`},
		{"call.session.idd", `no field "idd" in session.Ref; did you mean "id"?`},
		{"call[1]", "no field"},
		{"call[true]", "no field"},
		{"call[call]", "no field"},
		{"call.kind", `no field "kind" in tool.Call`},
		{"call.Live", `no field "Live" in tool.Call`},
		{"call.live", "this host has no live handle for the session"},
	} {
		t.Run(test.expr, func(t *testing.T) {
			_, err := expr(t, test.expr)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Every point's payload reads as its reference says: each field is there or nil.
func TestEveryFieldCanBeRead(t *testing.T) {
	for _, p := range catalog.Points() {
		source := "dsh.on('" + p.Name() + "', function(p)\nlocal x\n"
		for _, f := range p.Payload().Fields() {
			source += "x = p." + f.Name() + "\n"
		}
		d := newDesk(t, load(t, "policy.lua", source+"end)", offered()))
		_, err := p.RunValue(t.Context(), d.run(), sample(p.Name()), anyLive())
		require.NoError(t, err, p.Name())
	}
}

func TestPayloadsCannotBeChanged(t *testing.T) {
	for _, body := range []string{
		"call.tool = 'x'", "call.arguments.command = 'x'", "call.new = 1", "call.arguments.new = 1", "rawset(call, 'tool', 'x')",
		"table.insert(call.arguments, 1)", "setmetatable(call, {})", "call.session.id = nil", "table.sort(call.arguments)",
		"local d = next() d.kind = 'deny'", "local d = next() rawset(d, 'kind', 'deny')", "call.action.kind = 'x'", "call.arguments[1] = 1",
	} {
		t.Run(body, func(t *testing.T) {
			_, err := desked(t, pre(body)).ask(t, rm())
			require.ErrorContains(t, err, "policy.lua:2: ")
			got, err := desked(t, pre("pcall(function() "+body+" end) if call.tool ~= 'Bash' or call.arguments.command ~= 'rm -rf /' then return dsh.deny 'changed' end")).ask(t, rm())
			require.NoError(t, err)
			require.Equal(t, tool.Allow{}, got)
		})
	}
}

// live runs a body at tools/pre-execute with the given handle.
func live(t *testing.T, body string, l session.Live) error {
	t.Helper()
	c := rm()
	c.Live = l
	_, err := desked(t, pre(body)).ask(t, c)
	return err
}

func TestLiveHandle(t *testing.T) {
	e := anyLive()
	require.NoError(t, live(t, `call.live:inject 'one'
call.live:inject{text = 'two'}
call.live:steer 'three'
call.live:tell 'four'
call.live:halt 'five'
local l = call.live
l:tell 'six'
assert(l == call.live and rawequal(l, call.live))`, e))
	message := func(text string) session.Message { return session.FromExtension("policy.lua", text) }
	require.Equal(t, []session.Message{message("one"), message("two")}, e.Injected())
	require.Equal(t, []session.Message{message("three")}, e.Steered())
	require.Equal(t, []string{"four", "six"}, e.Told())
	reason, halted := e.Halted()
	require.True(t, halted)
	require.Equal(t, "five", reason)
}

// A failing call raises, and what was raised is the Go error.
func TestLiveFailuresRaise(t *testing.T) {
	err := live(t, "\ncall.live:steer 'x'", session.NewEffects(session.EffectTell))
	require.ErrorIs(t, err, session.ErrUnsupported)
	require.ErrorContains(t, err, "policy.lua:3: live:steer: ")

	broken := errors.New("broken")
	for method := range map[string]bool{"inject": true, "steer": true, "halt": true, "tell": true} {
		err := live(t, "call.live:"+method+" 'x'", brokenLive{broken})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "policy.lua:2: live:"+method+": broken")
		err = live(t, "local ok, e = pcall(call.live."+method+", call.live, 'x') assert(not ok) assert(tostring(e):find('broken'))", brokenLive{broken})
		require.NoError(t, err, "pcall may catch it")
	}
}

type brokenLive struct{ err error }

func (b brokenLive) Inject(session.Message) error { return b.err }
func (b brokenLive) Steer(session.Message) error  { return b.err }
func (b brokenLive) Halt(string) error            { return b.err }
func (b brokenLive) Tell(string) error            { return b.err }

// A handle has its methods and nothing else: it cannot be changed, taken apart or
// looked behind.
func TestLiveHandleIsSealed(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"call.live.tell = function() end", ""},
		{"call.live.x = 1", ""},
		{"rawset(call.live, 'x', 1)", ""},
		{"call.live = nil", ""},
		{"setmetatable(call.live, {})", ""},
		{"local x = call.live ^ {}", ""},
		{"local x = -call.live", ""},
		{"call.live()", ""},
		{"local x = #call.live", ""},
		{"local x = call.live .. ''", ""},
		{"local x = call.live < call.live", ""},
		{"local x = call.live + 1", ""},
		{"for k in pairs(call.live) do error 'seen' end", ""},
		{"for k in ipairs(call.live) do error 'seen' end", ""},
		{"call.live:injct 'x'", `has no method "injct"; did you mean "inject"?`},
		{"call.live:Inject 'x'", "has no method"},
		{"local x = call.live.live", "has no method"},
		{"local x = call.live.machine", "has no method"},
		{"local x = call.live[1]", "has no method"},
		{"call.live.tell('x')", "call it with a colon"},
		{"call.live.tell(call, 'x')", "call it with a colon"},
		{"call.live.tell({}, 'x')", "call it with a colon"},
		{"call.live:tell()", "want a text, got nil"},
		{"call.live:tell(1)", "want a text, got number"},
		{"call.live:halt{}", "want a text, got table"},
		{"call.live:tell('x', 'y')", "want a text"},
		{"call.live:inject()", "want a text, or a table with text"},
		{"call.live:inject ''", "want a text, or a table with text"},
		{"call.live:inject{}", "want a text, or a table with text"},
		{"call.live:inject{text = 1}", "want a text"},
		{"call.live:inject{txt = 'x'}", "want a text"},
		{"call.live:inject{text = 'x', role = 'system'}", "want a text"},
		{"call.live:steer(call)", "want a text"},
		{"call.live:inject{'x'}", "want a text"},
	} {
		t.Run(test.body, func(t *testing.T) {
			e := anyLive()
			err := live(t, test.body, e)
			require.ErrorContains(t, err, "policy.lua:2: ")
			require.ErrorContains(t, err, test.want)
			require.Empty(t, e.Told())
			require.Empty(t, e.Injected())
			require.Empty(t, e.Steered())
			require.NotContains(t, err.Error(), "0x")
		})
	}
	for _, e := range []string{"getmetatable(call.live)", "tostring(call.live)", "type(call.live)"} {
		c := rm()
		c.Live = anyLive()
		got, err := desked(t, pre("return dsh.deny(tostring("+e+"))")).ask(t, c)
		require.NoError(t, err)
		require.NotContains(t, got.(tool.Deny).Reason, "0x")
		require.NotContains(t, got.(tool.Deny).Reason, "session")
	}
}

// A handle does not outlive its run.
func TestLiveHandleEndsWithItsRun(t *testing.T) {
	first, second := anyLive(), anyLive()
	d := desked(t, "local kept = {}\n"+pre("if kept[1] then kept[1]:tell 'late' end\nkept[1] = call.live\ncall.live:tell 'now'"))
	for _, l := range []*session.Effects{first, second} {
		c := rm()
		c.Live = l
		_, err := d.ask(t, c)
		require.NoError(t, err)
		require.Equal(t, []string{"now"}, l.Told())
	}
}
