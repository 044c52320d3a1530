package luavm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func compileError(t *testing.T, source string) *luavm.Error {
	t.Helper()
	_, err := luavm.Compile("p.lua", source, luavm.CompileOptions{Globals: []string{"dsh"}, Absent: map[string]string{"os": "use the time module"}})
	require.Error(t, err, source)
	var e *luavm.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestCompileErrorsSayWhereAndWhy(t *testing.T) {
	tests := []struct{ source, want string }{
		{"local a = 1\nif a != 2 then end", "p.lua:2:6: syntax error near '!' (not equal is ~=)"},
		{"local a = 1\na += 1", "p.lua:2:3: syntax error near '+' (write x = x + y)"},
		{"local a = 7 // 2", "p.lua:1:13: syntax error near '/' (a comment begins with --; integer division is math.floor(a / b))"},
		{"local a = 6 & 3", "p.lua:1:13: syntax error near '&' (there are no bit operators)"},
		{"local a = 6 | 3", "p.lua:1:13: syntax error near '|' (there are no bit operators)"},
		{"local a = 1 << 2", "p.lua:1:13: syntax error near '<' (there are no bit operators)"},
		{"local a = 1 >> 2", "p.lua:1:13: syntax error near '>' (there are no bit operators)"},
		{"local a = b && c", "p.lua:1:13: syntax error near '&' (write and)"},
		{"local a = ~5", "p.lua:1:11: syntax error near '~' (there are no bit operators; negation is not)"},
		{"local x <const> = 1", "p.lua:1:9: syntax error near '<' (there are no attributes of locals)"},
		{"local t = {\n  a = 1\n  b = 2,\n}", "p.lua:3:3: syntax error near 'b' (is a comma missing before it?)"},
		{"if x = 1 then end", "p.lua:1:6: syntax error near '=' (equal is ==)"},
		{"for i = 1, 3 do\n  continue\nend", "p.lua:2:3: syntax error near 'continue' (write goto continue, with ::continue:: at the end of the loop)"},
		{"local function f()\n  if true then\n    return 1\nend", "p.lua:4:4: syntax error: the file ends too early ('then' on line 2 is not closed)"},
		{"return {", "p.lua:1:9: syntax error: the file ends too early ('{' on line 1 is not closed)"},
		{"local s = [[a\nb]]\ndo", "p.lua:3:3: syntax error: the file ends too early ('do' on line 3 is not closed)"},
		{"local s = 'abc\nreturn 1", "p.lua:1:11: unfinished string (a string ends on its line; use [[ ]] for longer ones)"},
		{"local s = 'abc", "p.lua:1:11: unfinished string"},
		{"local s = [==[abc\n]]", "p.lua:1:11: unfinished long string (it ends with ]==])"},
		{"local a\n--[[ never\nends", "p.lua:2:1: unfinished long comment (it ends with ]])"},
		{`local s = "a\x41"`, `p.lua:1:13: no escape \x in strings (use a decimal escape such as \065)`},
		{`local s = "a\u{48}"`, `p.lua:1:13: no escape \u in strings (write the character itself or its bytes as decimal escapes)`},
		{"local s = 'a\\z\n b'", `p.lua:1:13: no escape \z in strings (join the parts with ..)`},
		{`local s = "\."`, `p.lua:1:12: no escape \. in strings (in patterns the escape is %, a backslash itself is \\)`},
		{`local s = "\300"`, `p.lua:1:12: escape \300 is larger than a byte`},
		{"local n = 1_000", "p.lua:1:11: malformed number '1_000' (numbers have no separators)"},
		{"local n = 3x", "p.lua:1:11: malformed number '3x'"},
		{"local n = 0x", "p.lua:1:11: malformed number '0x'"},
		{"local n = 1..2", "p.lua:1:11: malformed number '1..2'"},
		{"local n = 9007199254740993", "p.lua:1:11: the number 9007199254740993 cannot be held exactly (write it as a text)"},
		{"local n = 0x20000000000001", "p.lua:1:11: the number 0x20000000000001 cannot be held exactly (write it as a text)"},
		{"local n = 10LL", "p.lua:1:11: malformed number '10LL'"},
		{"break", "p.lua:1: break outside of a loop"},
		{"goto done", "p.lua:1: no visible label 'done' for goto"},
		{"goto x\nlocal a = 1\n::x::\nreturn a", "p.lua:1: goto x jumps into the scope of local 'a'"},
		{"repeat goto x local a ::x:: until a", "p.lua:1: goto x jumps into the scope of local 'a'"},
		{"::a::\n::a::", "p.lua:2: label 'a' is already defined on line 1"},
		{"local function f() ::a:: end goto a", "p.lua:1: no visible label 'a' for goto"},
		{"local function f() return ... end", "p.lua:1: cannot use ... outside of a function with ..."},
		{"for i = 1, 2, 0 do end", "p.lua:1: the step of a for loop is zero"},
		{"local function f(...) return arg end", "p.lua:1: 'arg' is not available in scripts (use ... or select)"},
	}
	for _, tt := range tests {
		require.EqualError(t, compileError(t, tt.source), tt.want, tt.source)
	}
}

func TestCompileRefusesUnknownGlobals(t *testing.T) {
	tests := []struct{ source, want string }{
		{"\nreturn  tabel.concat({})", "p.lua:2:9: unknown global 'tabel' (did you mean 'table'?)"},
		{"local x = 1\nreturn x, {x = y}", "p.lua:2:16: unknown global 'y' (did you mean 'x'?)"},
		{"local command = 1 local function f() return comand end", "p.lua:1:45: unknown global 'comand' (did you mean 'command'?)"},
		{"return dhs.deny 'x'", "p.lua:1:8: unknown global 'dhs' (did you mean 'dsh'?)"},
		{"return qwertz", "p.lua:1:8: unknown global 'qwertz'"},
		{"return os.time()", "p.lua:1:8: 'os' is not available in scripts (use the time module)"},
		{"local c = coroutine.create(f)", "p.lua:1:11: 'coroutine' is not available in scripts (scripts run to their end; use plain functions)"},
		{"print(a)\nprint(b)", "p.lua:1:1: 'print' is not available in scripts (return an answer or raise an error)"},
	}
	for _, tt := range tests {
		require.EqualError(t, compileError(t, tt.source), tt.want, tt.source)
	}
}

func TestCompileKnowsGlobalsThatTheFileAssigns(t *testing.T) {
	for _, source := range []string{
		"function helper() return 1 end return helper()",
		"local function f() return later end later = 2 return f()",
		"return string.len('x'), _G, _VERSION, dsh",
		"x = nil; if x then end",
	} {
		_, err := luavm.Compile("p.lua", source, luavm.CompileOptions{Globals: []string{"dsh"}})
		require.NoError(t, err, source)
	}
	_, err := luavm.Compile("p.lua", "return unknown", luavm.CompileOptions{Lenient: true})
	require.NoError(t, err)
}

func TestCompileLimits(t *testing.T) {
	repeat := strings.Repeat
	tests := []struct{ name, source, want string }{
		{"size", repeat(" ", 256<<10+1), "the source has 262145 bytes, the limit is 262144"},
		{"blocks", repeat("do ", 2000) + repeat("end ", 2000), "code is nested deeper than 1000 levels"},
		{"parentheses", "return " + repeat("-(", 2000) + "1" + repeat(")", 2000), "code is nested deeper than 1000 levels"},
		{"list", "return {" + repeat("1,", 25001) + "}", "more than 25000 items in one table constructor"},
		{"functions", repeat("local f = function() end ", 2001), "more than 2000 functions in one file"},
		{"gotos", "::a::" + repeat("do goto a end ", 251), "more than 250 gotos in one function"},
		{"constants", "return {" + constants(5000) + "}", "more than 4096 constants in one function"},
		{"locals", repeat("local a = 1 ", 300), "too many local variables"},
		{"operands", "return 'a'" + repeat(" .. 'a'", 5000), "more than 5000 operands in one concatenation"},
		{"work", "local t = {" + constants(4000) + "} " + repeat("t = 'c3999' ", 12000), "the code is too complex to compile"},
		{"upvalues", locals("a", 120) + "local function f() " + locals("b", 120) + "return function() return " + sum("a", 120) + sum("b", 120) + "0 end end", "function uses 240 variables of outer functions, the limit is 200"},
	}
	for _, tt := range tests {
		require.Contains(t, compileError(t, tt.source).Error(), tt.want, tt.name)
	}
}

func locals(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "local %s%d = 1 ", prefix, i)
	}
	return b.String()
}

func sum(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d + ", prefix, i)
	}
	return b.String()
}

func constants(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "'c%d',", i)
	}
	return b.String()
}

func TestCompileAcceptsWhatPoliciesContain(t *testing.T) {
	var b strings.Builder
	b.WriteString("local x = 'v' if x == 'a0'")
	for i := range 400 {
		fmt.Fprintf(&b, " or x == 'a%d'", i)
	}
	b.WriteString(" then x = 1")
	for i := range 300 {
		fmt.Fprintf(&b, " elseif x == 'b%d' then x = %d", i, i)
	}
	b.WriteString(" end return {" + constants(3000) + "}")
	_, err := luavm.Compile("p.lua", b.String(), luavm.CompileOptions{})
	require.NoError(t, err)
}

func TestCompileSkipsPreamble(t *testing.T) {
	require.Equal(t, "2", eval(t, "\xef\xbb\xbf#!/usr/bin/env dsh\nlocal a = 1\nreturn a + 1"))
	require.EqualError(t, compileError(t, "#!x\nreturn nope"), "p.lua:2:8: unknown global 'nope'")
	require.Empty(t, eval(t, "# nothing"))
}

func TestProgramDescribesItself(t *testing.T) {
	p, err := luavm.Compile("p.lua", "local a = 1\n\nif a then\n  helper(type(a))\nend\nfunction helper() end\n", luavm.CompileOptions{})
	require.NoError(t, err)
	require.Equal(t, "p.lua", p.Name())
	require.Equal(t, []string{"helper", "type"}, p.Reads())
}

// FuzzCompile looks for sources that make the compiler panic or run for long.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"return 1", "local a <const> = 1", "goto x do ::x:: end", "for i in pairs({}) do break end", "local t = {1, [2] = 3, f()}",
		"a.b.c = d:e(f)", "--[==[ ]=]", "\"\\", "0x1p4", "local function f(...) return ... end", "x, y = y, x", "::a:: goto a",
		"return " + strings.Repeat("(", 300), strings.Repeat("if a then ", 100), "\xff\xfe", "#!\n", "a = b .. c .. d % e",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := luavm.Compile("f.lua", source, luavm.CompileOptions{Lenient: true})
		if err == nil {
			require.NotNil(t, p)
			return
		}
		var e *luavm.Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Msg)
		require.NotContains(t, e.Msg, "runtime error")
		if len(source) <= 256<<10 {
			require.LessOrEqual(t, e.Line, 1+strings.Count(source, "\n")+strings.Count(source, "\r"))
			require.Positive(t, e.Line)
		}
	})
}
