package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func TestRegistrations(t *testing.T) {
	s := load(t, "folder/policy.lua", `-- a comment
dsh.on("tools/pre-execute", {tool = "Bash", action = {"shell", "write"}, match = "B*", rule = "first", raw = true}, function(call) end)
dsh.on('tools/guard', {tool = {"A", "B"}}, function(call) end)
dsh.on("agent/session-start", function(started) end)
`, offered())
	require.Equal(t, []script.Registration{
		{Point: "tools/pre-execute", Filter: point.Filter{Tool: []string{"Bash"}, Action: []string{"shell", "write"}, Match: []string{"B*"}}, Rule: "first", Raw: true, Line: 2},
		{Point: "tools/guard", Filter: point.Filter{Tool: []string{"A", "B"}}, Line: 3},
		{Point: "agent/session-start", Line: 4},
	}, s.Registrations())
	require.Empty(t, s.Warnings())
	require.Equal(t, "first", s.RuleName(s.Registrations()[0]))
	require.Equal(t, "policy", s.RuleName(s.Registrations()[1]), "without a name, that of the file")
	require.Equal(t, "folder/policy.lua", s.Name())
}

// What can never be right is an error when the file is loaded, with its line.
// Where the scanner may read the file, it says the same without running it.
func TestLoadErrors(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"nothing", "", "policy.lua: the file registers nothing"},
		{"only a comment", "-- dsh.on('tools/guard', function() end)", "policy.lua: the file registers nothing"},
		{"a point", "\ndsh.on('tools/pre-exekute', function() end)", `policy.lua:2: no extension point "tools/pre-exekute"; did you mean "tools/pre-execute"?`},
		{"an unlike point", "dsh.on('zzz', function() end)", `policy.lua:1: no extension point "zzz"`},
		{"the name of a filter", "dsh.on('tools/guard', {tol = 'Bash'}, function() end)", `filter.tol: no such field in a filter; did you mean "tool"?`},
		{"a nameless filter", "dsh.on('tools/guard', {'Bash'}, function() end)", "policy.lua:1"},
		{"an empty list", "dsh.on('tools/guard', {tool = {}}, function() end)", "filter.tool: want a string or a list of strings that is not empty"},
		{"a number in a list", "dsh.on('tools/guard', {tool = {'a', 1}}, function() end)", "filter.tool[2]: want a string, got a number"},
		{"a number", "dsh.on('tools/guard', {match = 1}, function() end)", "filter.match: want a string or a list of strings"},
		{"a rule that is no text", "dsh.on('tools/guard', {rule = 1}, function() end)", "filter.rule: want a string, got a number"},
		{"a rule without a name", "dsh.on('tools/guard', {rule = ''}, function() end)", "policy.lua:1: filter.rule: the name of a rule is not empty"},
		{"raw that is no boolean", "dsh.on('tools/guard', {raw = 'yes'}, function() end)", "filter.raw: want a boolean, got a string"},
		{"an action", "dsh.on('tools/guard', {action = 'shel'}, function() end)", `policy.lua:1: no action is of kind "shel"; did you mean "shell"?`},
		{"a pattern", "dsh.on('tools/guard', {match = '['}, function() end)", `policy.lua:1: match "[": syntax error in pattern`},
		{"a filter that the point lacks", "dsh.on('agent/turn-stopping', {tool = 'Bash'}, function() end)", `policy.lua:1: agent/turn-stopping has no filter "tool"; it has none`},
		{"another filter", "dsh.on('agent/session-start', {action = 'shell'}, function() end)", `has no filter "action"; it has ["match"]`},
		{"no handler", "dsh.on('tools/guard')", "dsh.on: want a function as handler, got nil"},
		{"no function", "dsh.on('tools/guard', {tool = 'a'}, 'x')", "dsh.on: want a function as handler, got string"},
		{"a filter in place of the handler", "dsh.on('tools/guard', {tool = 'a'})", "dsh.on: want a function as handler"},
		{"too much", "dsh.on('tools/guard', function() end, {tool = 'a'})", "dsh.on takes a point, a filter and a handler"},
		{"no name", "dsh.on(function() end)", "dsh.on: the first argument is the name of a point, got function"},
		{"a host function", "dsh.on('tools/guard', dsh.log)", "policy.lua"},
		{"two rules of one name", "dsh.on('tools/guard', {rule = 'r'}, function() end)\ndsh.on('tools/result', {rule = 'r'}, function() end)", `policy.lua:2: rule "r" is already the name of the one in line 1`},
		{"in a handler of pcall", "pcall(dsh.on, 'tools/guard')", "dsh.on: want a function as handler"},
		{"an unknown member", "dsh.onn('tools/guard', function() end)", `dsh has no "onn"; did you mean "on"?`},
		{"syntax", "\n\nlocal = 1", "policy.lua:3"},
		{"an unknown name", "\nlocal x = Tool", "policy.lua:2:11: unknown global 'Tool'"},
		{"an absent name", "os.exit(0)", "policy.lua:1:1: 'os' is not available in scripts"},
		{"an error", "\nerror 'boom'", "policy.lua:2: boom"},
		{"an endless file", "while true do end", "instruction budget used up"},
		{"a member that is assigned", "dsh.on = nil", "policy.lua:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy, opts.Limits.Instructions = lazy, 100_000
				_, err := script.Load(t.Context(), "policy.lua", test.source, opts)
				require.ErrorContains(t, err, test.want, "lazy: %v", lazy)
			}
		})
	}
}

// dsh.on belongs to file level; branches and loops there are fine, and no pcall
// hides a registration that was refused.
func TestWhereOnMayStand(t *testing.T) {
	const register = "dsh.on('tools/guard', function() end) "
	for _, test := range []struct {
		name, source string
		count        int
	}{
		{"a branch", "if 1 == 1 then " + register + "end", 1},
		{"a branch not taken", register + "if 1 == 2 then " + register + "end", 1},
		{"a loop", "for i = 1, 3 do " + register + "end", 3},
		{"a function", "local function f() " + register + "end f() f()", 2},
		{"an alias", "local on = dsh.on on('tools/guard', function() end)", 1},
		{"pcall", "pcall(dsh.on, 'tools/guard', function() end)", 1},
		{"a handler by name", "local function h() end dsh.on('tools/guard', h)", 1},
		{"a computed name", "dsh.on('tools/' .. 'guard', function() end)", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy = lazy
				require.Len(t, load(t, "policy.lua", test.source, opts).Registrations(), test.count)
			}
		})
	}
	t.Run("a line", func(t *testing.T) {
		s := load(t, "policy.lua", "\npcall(dsh.on, 'tools/guard', function() end)\nlocal function f()\n"+register+"end\nf()", offered())
		require.Equal(t, []int{2, 4}, []int{s.Registrations()[0].Line, s.Registrations()[1].Line})
	})
	for _, body := range []string{
		"dsh.on('tools/guard', function() end)", "pcall(dsh.on, 'tools/guard', function() end)",
		"pcall(function() dsh.on('tools/guard', function() end) end) return dsh.allow{}",
	} {
		t.Run("in a handler: "+body, func(t *testing.T) {
			_, err := desked(t, pre(body)).ask(t, rm())
			require.ErrorContains(t, err, "policy.lua:2: dsh.on is for file level")
		})
	}
}

// What is wrong for this host only is a warning, in the order of the file.
func TestWarnings(t *testing.T) {
	opts := offered()
	opts.Fires = []string{"tools/pre-execute", "tools/guard", "agent/session-start"}
	opts.Tools = []string{"Bash", "Write"}
	source := `dsh.on("tools/result", function() end)
dsh.on("tools/guard", {tool = {"Bash", "Wrote"}}, function() end)

dsh.on("tools/guard", {tool = "Zzzzzz", raw = true}, function() end)
dsh.on("tools/guard", {tool = "mcp__github__create_issue"}, function() end)
dsh.on("tools/pre-execute", {tool = "Bash", raw = true}, function() end)
dsh.on("tools/guard", {match = {"B*", "bash", "Bash|Write", "b*", "mcp__a__b"}}, function() end)
dsh.on("tools/guard", {match = {"*sh", "mc*", "mcp__git*", "[m]cp__x__y", "?ash"}}, function() end)
dsh.on("agent/session-start", {match = "start*"}, function() end)
`
	for _, lazy := range []bool{false, true} {
		opts.Lazy = lazy
		var got []string
		for _, w := range load(t, "policy.lua", source, opts).Warnings() {
			got = append(got, w.String())
		}
		require.Equal(t, []string{
			"policy.lua:1: this host never fires tools/result: the handler will not run",
			`policy.lua:2: this host knows no tool "Wrote"; did you mean "Write"?`,
			"policy.lua:4: raw changes nothing at tools/guard, where answers are not joined",
			`policy.lua:4: this host knows no tool "Zzzzzz"`,
			`policy.lua:7: this host knows no tool that fits "bash"; did you mean "Bash"?`,
			`policy.lua:7: this host knows no tool that fits "Bash|Write"`,
			`policy.lua:7: this host knows no tool that fits "b*"`,
		}, got)
	}
	opts.Fires, opts.Tools = nil, nil
	require.Len(t, load(t, "policy.lua", source, opts).Warnings(), 1, "a host that cannot tell does not guess")
}

// Each filter restricts, and a handler whose filter does not fit is not called.
func TestFilters(t *testing.T) {
	write := tool.Call{Tool: "Write", Action: tool.Write{}, Arguments: doc(`{}`)}
	patch := tool.Call{Tool: "apply_patch", Action: tool.Edit{Files: []tool.File{{Path: "/a", Change: tool.ChangeDelete}}}, Arguments: doc(`{}`)}
	for _, test := range []struct {
		filter string
		want   []bool // of rm, write and patch
	}{
		{"{}", []bool{true, true, true}},
		{"{tool = 'Bash'}", []bool{true, false, false}},
		{"{tool = 'bash'}", []bool{false, false, false}},
		{"{tool = {'Write', 'apply_patch'}}", []bool{false, true, true}},
		{"{action = 'shell'}", []bool{true, false, false}},
		{"{action = {'write', 'delete'}}", []bool{false, true, true}},
		{"{match = '[BW]*'}", []bool{true, true, false}},
		{"{match = {'B*', 'apply_*'}}", []bool{true, false, true}},
		{"{match = '*', action = 'edit', tool = 'apply_patch'}", []bool{false, false, true}},
		{"{tool = 'Bash', action = 'write'}", []bool{false, false, false}},
		{"{rule = 'r', raw = false}", []bool{true, true, true}},
	} {
		t.Run(test.filter, func(t *testing.T) {
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy = lazy
				d := newDesk(t, load(t, "p.lua", "dsh.on('tools/pre-execute', "+test.filter+", function() return dsh.deny 'no' end)", opts))
				for i, c := range []tool.Call{rm(), write, patch} {
					got, err := d.ask(t, c)
					require.NoError(t, err)
					_, denied := got.(tool.Deny)
					require.Equal(t, test.want[i], denied, "%s", c.Tool)
					require.Equal(t, test.want[i], len(d.handled) == 1)
				}
			}
		})
	}
}

// Points that a host offers are all there are, also for constructors.
func TestOnlyOfferedPoints(t *testing.T) {
	opts := script.Options{Points: []point.Point{tool.OnGuard}, Pool: new(script.Pool)}
	_, err := script.Load(t.Context(), "policy.lua", "dsh.on('tools/pre-execute', function() end)", opts)
	require.ErrorContains(t, err, `no extension point "tools/pre-execute"`)
	for range 2 {
		_, err = script.Load(t.Context(), "policy.lua", "local d = dsh.deny 'x' dsh.on('tools/guard', function() end)", opts)
		require.ErrorContains(t, err, `dsh has no "deny"`)
		all := offered()
		all.Pool = opts.Pool
		load(t, "other.lua", "local d = dsh.deny 'x' dsh.on('tools/guard', function() end)", all)
	}
}
