package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// noted is the context "c" as the runtime completes it.
var noted = []session.Context{{Text: "c", Extension: "policy.lua"}}

func TestConstructors(t *testing.T) {
	for _, test := range []struct {
		body string
		want tool.PreDecision
	}{
		{"return dsh.deny 'no'", tool.Deny{Reason: "no"}},
		{"return dsh.deny('no')", tool.Deny{Reason: "no"}},
		{"return dsh.deny{reason = 'no'}", tool.Deny{Reason: "no"}},
		{"return dsh.deny{reason = 'no', contexts = 'c'}", tool.Deny{Reason: "no", Contexts: noted}},
		{"return dsh.deny{reason = 'no', contexts = {'c'}}", tool.Deny{Reason: "no", Contexts: noted}},
		{"return dsh.deny{reason = 'no', contexts = {{text = 'c'}}}", tool.Deny{Reason: "no", Contexts: noted}},
		{"return dsh.deny{reason = 'no', contexts = {text = 'c'}}", nil},
		{"return dsh.ask 'why'", tool.Ask{Reason: "why"}},
		{"return dsh.ask()", tool.Ask{}},
		{"return dsh.ask{}", tool.Ask{}},
		{"return dsh.allow()", tool.Allow{}},
		{"return dsh.allow{contexts = 'c'}", tool.Allow{Contexts: noted}},
		{"return {kind = 'allow'}", tool.Allow{}},
		{"return {kind = 'deny', reason = 'no'}", tool.Deny{Reason: "no"}},
		{"local deny = dsh.deny return deny 'no'", tool.Deny{Reason: "no"}},
		{"return dsh['deny']('no')", tool.Deny{Reason: "no"}},
		{"local t = {reason = 'no'} local d = dsh.deny(t) t.reason = 'changed' return d", tool.Deny{Reason: "no"}},
		{"local d = dsh.deny 'no' d.reason = 'changed' return d", tool.Deny{Reason: "changed"}},
		{"return nil", tool.Allow{}},
		{"return", tool.Allow{}},
		{"", tool.Allow{}},
	} {
		t.Run(test.body, func(t *testing.T) {
			got, err := desked(t, pre(test.body)).ask(t, rm())
			if test.want == nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestConstructorMistakes(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"dsh.denny 'x'", `policy.lua:2: dsh has no "denny"; did you mean "deny"?`},
		{"dsh.zzz 'x'", `policy.lua:2: dsh has no "zzz"`},
		{"dsh.deny{raeson = 'x'}", `policy.lua:2: dsh.deny.raeson: no such field; did you mean "reason"?`},
		{"dsh.deny{kind = 'allow'}", "policy.lua:2: dsh.deny.kind: no such field"},
		{"dsh.deny{'x'}", "policy.lua:2: dsh.deny"},
		{"dsh.deny(1)", "policy.lua:2: dsh.deny takes a text or a table, got number"},
		{"dsh.deny(false)", "policy.lua:2: dsh.deny takes a text or a table, got boolean"},
		{"dsh.deny(next)", "policy.lua:2: dsh.deny takes a text or a table, got function"},
		{"dsh.deny('a', 'b')", "policy.lua:2: dsh.deny takes one argument, a text or a table"},
		{"dsh.allow 'x'", "policy.lua:2: dsh.allow takes a table, not a text"},
		{"dsh:deny 'x'", "policy.lua:2: dsh.deny takes one argument"},
		{"dsh.deny(call.arguments)", "policy.lua:2: dsh.deny.command: no such field"},
		{"dsh.log()", "policy.lua:2: dsh.log takes one text, got nil"},
		{"dsh.log(1)", "policy.lua:2: dsh.log takes one text, got number; tostring makes one"},
		{"dsh.log('a', 'b')", "policy.lua:2: dsh.log takes one text, got 2 values; .. joins them"},
		{"dsh.x = 1", "policy.lua:2: "},
		{"rawset(dsh, 'deny', dsh.allow)", "policy.lua:2: "},
		{"setmetatable(dsh, {})", "policy.lua:2: "},
	} {
		t.Run(test.body, func(t *testing.T) {
			_, err := desked(t, pre(test.body)).ask(t, rm())
			require.ErrorContains(t, err, test.want)
		})
	}
}

// There is a constructor for every kind of answer, with the kind's letters.
func TestEveryKindHasAConstructor(t *testing.T) {
	for _, p := range catalog.Points() {
		for _, tag := range p.Tags() {
			name := strings.ReplaceAll(tag, "-", "_")
			source := "local d = dsh." + name + "() assert(d.kind == '" + tag + "')\n" + pre("")
			load(t, "policy.lua", source, offered())
		}
	}
}

// A text stands for the first field where that takes one.
func TestTextShorthands(t *testing.T) {
	for name, body := range map[string]string{
		"tools/guard": "dsh.forbid 'x'", "tools/approve": "dsh.refuse 'x'", "tools/post-execute": "dsh.block 'x'", "tools/execute": "dsh.failure 'x'",
		"agent/pre-step": "dsh.reject 'x'", "agent/pre-compact": "dsh.cancel 'x'", "host/event": "dsh.note 'x'",
	} {
		p := catalog.Find(name)
		d := newDesk(t, load(t, "policy.lua", "dsh.on('"+name+"', function() return "+body+" end)", offered()))
		got, err := p.RunValue(t.Context(), d.run(), sample(name), anyLive())
		require.NoError(t, err, name)
		require.Contains(t, got.String(), `"x"`, name)
	}
}

// An answer knows the line that built it: that of the constructor, of dsh.with,
// or of the table's kind; in every run the same.
func TestAnswersKnowTheirLine(t *testing.T) {
	for _, test := range []struct{ name, source, at string }{
		{"a constructor", pre("\nreturn dsh.deny 'x'"), "policy.lua:3"},
		{"built before it is returned", pre("local d = dsh.deny 'x'\n\nreturn d"), "policy.lua:2"},
		{"in a helper", "local function no()\n return dsh.deny 'x'\nend\n" + pre("return no()"), "policy.lua:2"},
		{"a constructor over lines", pre("return dsh.deny{\nreason = 'x',\n}"), "policy.lua:2"},
		{"with", pre("local d = dsh.deny 'x'\nreturn dsh.with(d, {reason = 'y'})"), "policy.lua:3"},
		{"with of next's", pre("local d = next()\nreturn dsh.with(d, {})"), "policy.lua:3"},
		{"a table", pre("\n\nreturn {kind = 'deny', reason = 'x'}"), "policy.lua:4"},
		{"a table over lines", pre("local t = {\n  kind = 'deny',\n  reason = 'x',\n}\nreturn t"), "policy.lua:2"},
		{"a table that got its kind later", pre("local t = {}\nt.kind = 'deny'\nt.reason = 'x'\nreturn t"), "policy.lua:1"},
		{"an answer at file level", "local no = dsh.deny 'x'\n" + pre("return no"), "policy.lua:1"},
		{"in another file", "local m = require 'm'\n" + pre("return m.no()"), "m.lua:3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy = lazy
				opts.Folder = files{"m.lua": "local m = {}\nfunction m.no()\n return dsh.deny 'x'\nend\nreturn m"}.fs()
				d := newDesk(t, load(t, "policy.lua", test.source, opts))
				for range 3 {
					_, err := d.ask(t, rm())
					require.NoError(t, err)
					require.Equal(t, test.at, d.last(t).At)
				}
			}
		})
	}
}

// What was handed through is not the handler's own answer.
func TestOwnAnswers(t *testing.T) {
	for _, test := range []struct {
		body string
		own  bool
	}{
		{"return next()", false},
		{"", false},
		{"next()", false},
		{"next() return dsh.deny 'x'", true},
		{"return dsh.allow{}", false}, // the rest was stricter
		{"return dsh.deny 'no'", true},
	} {
		d := newDesk(t, load(t, "policy.lua", pre(test.body), offered()), says(tool.Deny{Reason: "no"}))
		_, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, test.own, d.last(t).Own, test.body)
	}
}

func TestLogLines(t *testing.T) {
	var lines []string
	opts := offered()
	opts.Folder = files{"m.lua": "return {\nsay = function() dsh.log 'module' end}"}.fs()
	opts.Log = func(at, text string) { lines = append(lines, at+" "+text) }
	source := "local m = require 'm'\n" + pre("dsh.log 'one'\ndsh.log('two ' .. call.tool)\nm.say()")
	d := newDesk(t, load(t, "policy.lua", source, opts))
	_, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, []string{"policy.lua:3 one", "policy.lua:4 two Bash", "m.lua:2 module"}, lines)

	opts.Log = nil
	_, err = newDesk(t, load(t, "policy.lua", source, opts)).ask(t, rm())
	require.NoError(t, err, "without a log the lines are dropped")
}

var _ point.Extension = goPolicy{}
