package scripttest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// expectations has for every expectation one that holds, one that does not, and
// what the failure says.
var expectations = []struct{ method, green, red, text, diff string }{
	{"is", `expect(pre "deny"):is("deny", "such")`, `expect(pre "ask"):is("deny")`, "another answer", "- deny\n+ ask"},
	{"is", `expect(pre "ls"):is "allow"`, `expect(pre "deny"):is("deny", "other")`, "the reason does not contain the text", "- other\n+ no such command"},
	{"is", `expect(fire "tools/result"):is "told"`, `expect(pre "deny"):is "dny"`, `no answer here is of kind "dny"; did you mean "deny"?`, ""},
	{"allows", `expect(pre "ls"):allows()`, `expect(pre "deny"):allows()`, "another answer", "- allow\n+ deny"},
	{"denies", `expect(pre "deny"):denies "no such"`, `expect(pre "ls"):denies()`, "another answer", "- deny\n+ allow"},
	{"asks", `expect(pre "ask"):asks "sure"`, `expect(pre "ls"):asks()`, "another answer", "- ask\n+ allow"},
	{"forbids", `expect(fire("tools/guard", test.mcp("a", "b"))):forbids "servers"`, `expect(fire "tools/guard"):forbids()`, "another answer", "- forbid\n+ abstain"},
	{"accepts", `expect(fire "tools/post-execute"):accepts()`, `expect(fire("tools/post-execute", shell "block")):accepts()`, "another answer", "- accept\n+ block"},
	{"blocks", `expect(fire("tools/post-execute", shell "block")):blocks "withheld"`, `expect(fire "tools/post-execute"):blocks()`, "another answer", "- block\n+ accept"},
	{"rejects", `expect(fire("agent/pre-step", { prompt = "reject" })):rejects "not that"`, `expect(fire "agent/pre-step"):rejects()`, "another answer", "- reject\n+ enter"},
	{"silent", `expect(pre "ls"):silent()`, `expect(pre "deny"):silent()`, "want no opinion", ""},
	{"silent", `expect(pre "ls"):silent()`, `expect(pre "tell"):silent()`, "want no opinion", ""},
	{"reason", `expect(pre "ask"):reason "are you sure"`, `expect(pre "ask"):reason "sure"`, "another reason", "- sure\n+ are you sure"},
	{"rule", `expect(pre "deny"):rule "commands"`, `expect(pre "ls"):rule "commands"`, "another rule decided", "- commands\n+ (no rule)"},
	{"at", `expect(pre "deny"):at "p.lua:8"`, `expect(pre "deny"):at ":9"`, "built elsewhere", "- :9\n+ p.lua:8"},
	{"answer", `expect(pre "ask"):answer { kind = "ask", reason = "are you sure" }`, `expect(pre "ask"):answer { kind = "ask" }`, "another answer", `+   "reason": "are you sure"`},
	{"rewrites", `expect(test.hook("claude-code", shell "rewrite")):rewrites { command = "rewritten" }`, `expect(pre "ls"):rewrites { command = "x" }`, "other arguments", "+ (nothing)"},
	{"rewrites", `expect(fire("tools/rewrite", shell "rewrite")):rewrites { command = "rewritten" }`, `expect(fire("tools/rewrite", shell "rewrite")):rewrites { command = "x" }`, "other arguments", `+   "command": "rewritten"`},
	{"faults", `expect(pre "fault"):faults "broken"`, `expect(pre "ls"):faults()`, "want a fault of a policy", ""},
	{"faults", `expect(pre "forever"):faults "budget"`, `expect(pre "fault"):faults "other"`, "the fault does not contain the text", "- other"},
	{"context", `expect(pre "deny"):context "careful"`, `expect(pre "deny"):context "other"`, "no such context", "- other\n+ be careful"},
	{"no_effects", `expect(pre "deny"):no_effects()`, `expect(pre "halt"):no_effects()`, "want no effects", "+ halt: enough"},
	{"injects", `expect(pre "inject"):injects "remember"`, `expect(pre "ls"):injects()`, "no such effect: inject", "- (any)\n+ (none)"},
	{"steers", `expect(fire "agent/turn-stopping"):steers "go on"`, `expect(pre "ls"):steers()`, "no such effect: steer", "+ (none)"},
	{"halts", `expect(pre "halt"):halts "enough"`, `expect(pre "ls"):halts()`, "no such effect: halt", "+ (none)"},
	{"tells", `expect(pre "tell"):tells "look"`, `expect(pre "tell"):tells "other"`, "no such effect: tell", "- other\n+ look here"},
	{"equals", `expect({ a = { 1, 2 } }):equals { a = { 1, 2 } }`, `expect({ a = { 1, 2 } }):equals { a = { 1, 3 } }`, "another value", "-     3\n+     2"},
	{"equals", `expect({}):equals {} expect(nil):equals(nil)`, `expect(nil):equals(1)`, "another value", "- 1\n+ null"},
	{"differs", `expect(1):differs(2)`, `expect(1):differs(1)`, "want another value than 1", ""},
	{"contains", `expect("abc"):contains "b" expect({ 1, 2 }):contains(2)`, `expect("abc"):contains "x"`, "the text does not contain the text", "- x\n+ abc"},
	{"contains", `expect({ "a" }):contains "a"`, `expect({ "a" }):contains "b"`, "the list does not contain the item", "- b"},
	{"truthy", `expect(0):truthy()`, `expect(nil):truthy()`, "want a value that is true, got nil", ""},
	{"falsy", `expect(nil):falsy() expect(false):falsy()`, `expect(1):falsy()`, "want nil or false, got number", ""},
	{"raises", `expect(function() error "ouch" end):raises "ouch"`, `expect(function() end):raises()`, "the function raises nothing", ""},
	{"raises", `expect(function() error "ouch" end):raises()`, `expect(function() error "ouch" end):raises "other"`, "the error does not contain the text", "- other"},
	{"snapshot", `expect(1):truthy()`, `expect(1):snapshot "one"`, `there is no snapshot "one"; --update writes it`, "+ 1"},
}

func TestExpectations(t *testing.T) {
	for _, e := range expectations {
		t.Run(e.red, func(t *testing.T) {
			require.Nil(t, only(t, run(t, body(e.green), nil)).Failure)
			failed := only(t, run(t, body(e.red), nil)).Failure
			require.NotNil(t, failed)
			require.Contains(t, failed.Text, e.text)
			require.Contains(t, strings.Join(failed.Diff, "\n"), e.diff)
			require.Equal(t, "p_test.lua:4", failed.At)
		})
	}
}

// TestEveryExpectationHasBeenSeenRed holds the table to the list of expectations.
func TestEveryExpectationHasBeenSeenRed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range expectations {
		seen[e.method] = true
		require.Contains(t, e.red, e.method)
	}
	for _, class := range scripttest.Library().Classes {
		if class.Name == "dsh.test.Expectation" {
			for _, m := range class.Methods {
				require.True(t, seen[m.Name], "%s has no row", m.Name)
			}
			return
		}
	}
	t.Fatal("there is no class of expectations")
}

// broken are tests that must not pass although no expectation failed.
var broken = []struct{ name, code, text, notes string }{
	{"expects nothing", ``, "the test expects nothing", ""},
	{"asks and expects nothing", `pre "ls"`, "the test expects nothing", ""},
	{"begins an expectation", `expect(1)`, "is followed by no expectation", ""},
	{"begins two", `expect(1) expect(2):truthy()`, "the one at p_test.lua:4 is followed by no expectation", ""},
	{"does not call the expectation", `local _ = expect(1).truthy`, "is followed by no expectation", ""},
	{"misspells an expectation", `expect(pre "ls"):alows()`, `expectation has no "alows"; did you mean "allows"?`, ""},
	{"misspells a function", `test.fier "x"`, `test has no "fier"; did you mean "fire"?`, ""},
	{"misspells a member", `expect(pre("ls").knd):equals "allow"`, `an outcome has no "knd"; did you mean "kind"?`, ""},
	{"misspells a point", `fire "tools/pre-exceute"`, `did you mean "tools/pre-execute"?`, ""},
	{"misspells a client", `test.hook("claude", shell "ls")`, `no client "claude"`, ""},
	{"has a client delete without a tool for it", `expect(test.hook("claude-code", test.delete "a")):silent()`, "claude-code has no such call of the kind delete: it takes a call of Delete for other", ""},
	{"has a client fetch without a tool for it", `expect(test.hook("codex", test.fetch "https://a.example")):silent()`, "codex has no such call of the kind fetch", ""},
	{"has a client write two files at once", `expect(test.hook("claude-code", test.write("a", "b"))):silent()`, "for all these files: /home/dev/app/b is left out", ""},
	{"gives a payload that does not fit", `fire("tools/pre-execute", { tol = "x" })`, `payload.tol`, ""},
	{"forgets a fault", `pre "fault" expect(1):truthy()`, "a policy is at fault, and no expectation spoke of it", "broken policy"},
	{"meets a fault", `expect(pre "fault"):denies()`, "a policy is at fault", "broken policy"},
	{"catches its failure", `pcall(function() expect(1):equals(2) end) expect(1):truthy()`, "another value", ""},
	{"raises an error", `local x = nil x.y = 1`, "attempt to index", ""},
	{"never ends", `while true do end`, "instruction budget used up", ""},
	{"expects an answer of a text", `expect("x"):denies()`, "it is for what test.fire, test.hook or a session returns, got a string", ""},
	{"declares a test", `test.it("x", function() end)`, "it is for file level", ""},
}

func TestBrokenTests(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			failed := only(t, run(t, body(b.code), nil)).Failure
			require.NotNil(t, failed)
			require.Contains(t, failed.Text, b.text)
			require.Contains(t, strings.Join(failed.Notes, "\n"), b.notes)
			require.NotEmpty(t, failed.At)
		})
	}
}

// faults are files that cannot be run.
var faults = []struct {
	name, text string
	files      map[string]string
}{
	{"empty group", `"g" has no tests`, map[string]string{"p.lua": policy, "p_test.lua": `test.describe("g", function() end)`}},
	{"no tests", "the file has no tests", map[string]string{"p.lua": policy, "p_test.lua": "local x = 1"}},
	{"syntax", "syntax error", map[string]string{"p.lua": policy, "p_test.lua": "test.it("}},
	{"unknown global", "unknown global 'tset'", map[string]string{"p.lua": policy, "p_test.lua": "tset.it('x', function() end)"}},
	{"no policy", "there is no p.lua; name the policy with test.policy", map[string]string{"p_test.lua": body("")}},
	{"a broken policy", "a policy cannot be used: syntax error near 'x'", map[string]string{"p.lua": "x x", "p_test.lua": body("")}},
	{"two of one name", `two are called "a"`, map[string]string{"p.lua": policy, "p_test.lua": "test.it('a', function() end) test.it('a', function() end)"}},
	{"asks outside of a test", "there are no policies yet", map[string]string{"p.lua": policy, "p_test.lua": "test.fire 'tools/guard'"}},
	{"no cases", "list: has no cases", map[string]string{"p.lua": policy, "p_test.lua": "test.cases({}, function() end)"}},
	{"snapshots", "is no file of snapshots", map[string]string{"p.lua": policy, "p_test.lua": body("expect(1):truthy()"), "p_test.snap": "x"}},
}

func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			report := runFiles(t, f.files, nil)
			require.NotNil(t, report.Files[0].Fault)
			require.Contains(t, report.Files[0].Fault.Text, f.text)
			require.True(t, report.Files[0].Failed())
			_, failed, _ := report.Count()
			require.Equal(t, 1, failed)
		})
	}
}

// TestLibraryIsDocumented: the declarations are what editors and readers get.
func TestLibraryIsDocumented(t *testing.T) {
	var editor, reference strings.Builder
	require.NoError(t, stdlib.LuaCATSGlobal(&editor, scripttest.Library()))
	require.NoError(t, stdlib.Reference(&reference, scripttest.Library()))
	for _, f := range scripttest.Library().Functions {
		require.NotEmpty(t, f.Doc, f.Name)
		require.Contains(t, editor.String(), "function test."+f.Name+"(")
		require.Contains(t, reference.String(), "## test."+f.Name+"(")
	}
}
