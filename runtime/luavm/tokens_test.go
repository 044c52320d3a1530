package luavm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func TestTokens(t *testing.T) {
	var texts []string
	source := "#!x\nlocal a = 'b' -- c\n"
	for _, token := range luavm.Tokens(source) {
		require.True(t, strings.HasPrefix(source[token.From:], token.Text))
		texts = append(texts, token.Text)
	}
	require.Equal(t, []string{"local", "a", "=", "'b'", ""}, texts)
	list := luavm.Tokens("a = 'b")
	require.Equal(t, luavm.Token{Kind: luavm.TokenEnd, From: 4}, list[len(list)-1])
}

// TestLibraryNames holds the lists against what scripts find.
func TestLibraryNames(t *testing.T) {
	for _, name := range []string{"string", "table", "math"} {
		got := eval(t, "local names = {} for k in pairs("+name+") do names[#names + 1] = k end table.sort(names) return table.concat(names, ' ')")
		require.Equal(t, got, strings.Join(luavm.LibraryNames(name), " "))
	}
	require.Nil(t, luavm.LibraryNames("os"))
	require.Contains(t, luavm.GlobalNames(), "ipairs")
	require.NotEmpty(t, luavm.AbsentGlobal("os"))
	require.Empty(t, luavm.AbsentGlobal("dsh"))
}

// TestCheckPattern holds the check against what matching a text with the pattern
// says.
func TestCheckPattern(t *testing.T) {
	for pattern, want := range map[string]string{
		"%": "malformed pattern (ends with '%')", "[a": "malformed pattern (missing ']')", "(a": "unfinished capture", "a)": "invalid pattern capture",
		"%1": "invalid capture index", "%b(": "missing arguments to '%b'", "%fa": "missing '[' after '%f' in pattern",
		"(a)%1": "", "%b()%f[%w]": "", "[]]": "", "^()$": "", "[^]]": "", "a-": "", "": "",
	} {
		err := luavm.CheckPattern(pattern)
		if want == "" {
			require.NoError(t, err, pattern)
			continue
		}
		require.EqualError(t, err, want, pattern)
	}
	require.Error(t, luavm.CheckPattern(strings.Repeat("()", 33)))
}

// habits are spellings of other languages, and what is said about them.
var habits = map[string]string{
	"if a != b then end":                "1:6: syntax error near '!' (not equal is ~=)",
	"if a !== b then end":               "1:6: syntax error near '!' (not equal is ~=)",
	"x += 1":                            "1:3: syntax error near '+' (write x = x + y)",
	"x++":                               "1:2: syntax error near '+' (write x = x + 1)",
	"// note\nx = 1":                    "1:1: syntax error near '/' (a comment begins with --; integer division is math.floor(a / b))",
	"/* note */":                        "1:1: syntax error near '/' (a comment of many lines is --[[ … ]])",
	"if a && b then end":                "1:6: syntax error near '&' (write and)",
	"if a || b then end":                "1:6: syntax error near '|' (write or)",
	"if !a then end":                    "1:4: syntax error near '!' (negation is not)",
	"if a then\nelse if b then\nend":    "3:4: syntax error: the file ends too early (write elseif on line 2: else if opens a second block)",
	"for i = 1, 2 do\n  continue\nend":  "2:3: syntax error near 'continue' (write goto continue, with ::continue:: at the end of the loop)",
	"local t = { a = 1 b = 2 }":         "1:19: syntax error near 'b' (is a comma missing before it?)",
	"if a\n  x = 1\nend":                "2:3: syntax error near 'x' (is then missing behind the if on line 1?)",
	"while a\n  x()\nend":               "2:3: syntax error near 'x' (is do missing behind the while on line 1?)",
	"for i = 1, 2\n  x()\nend":          "2:3: syntax error near 'x' (is do missing behind the for on line 1?)",
	"if a then\n  x = 1":                "2:8: syntax error: the file ends too early ('then' on line 1 is not closed)",
	"x = 'a\ny = 1":                     "1:5: unfinished string (a string ends on its line; use [[ ]] for longer ones)",
	"f(1, 2\nlocal x = 1":               "2:1: syntax error near 'local' ('(' on line 1 is not closed)",
	"if a = b then end":                 "1:6: syntax error near '=' (equal is ==)",
	"if (a) {\n  x()\n}":                "3:2: syntax error: the file ends too early (a block is if … then … end, without braces)",
	"function f() {\n  return 1\n}":     "1:14: syntax error near '{' (a block ends with end and has no braces)",
	"x = `a`":                           "1:5: syntax error near '`' (a string is \"…\", or [[…]] over many lines; join values with ..)",
	"let x = 1":                         "1:1: syntax error near 'let' (write local x = y)",
	"def f(x)\nend":                     "1:1: syntax error near 'def' (write local function name(…) … end)",
	"x = 1\nend":                        "2:1: syntax error near 'end' (nothing is open that it could close)",
	"f(a b)":                            "1:5: syntax error near 'b' (is a comma or an operator missing before it? Texts are joined with ..)",
	"x = a ? b : c":                     "1:7: syntax error near '?' (a conditional value is c and a or b)",
	"local f = (x) => x":                "1:15: syntax error near '=' (a function is function (x) … end)",
	"# note\nx = 1\n# more":             "3:1: syntax error near '#' (a comment begins with --)",
	"if a not in b then end":            "1:6: syntax error near 'not' (whether a table has a key is t[key] ~= nil)",
	"x = “a”":                           "1:5: syntax error near '\xe2' (a string is in straight quotes: \"…\")",
	"return null":                       "1:8: 'null' is not available in scripts (the absent value is nil)",
	"try\n  f()":                        "1:1: syntax error near 'try' (write local ok, err = pcall(function () … end))",
	"if a then x() elif b then y() end": "1:15: syntax error near 'elif' (write elseif)",
	"local x <const> = 1":               "1:9: syntax error near '<' (there are no attributes of locals)",
	"if a == 1 then x = {1, 2 end":      "1:26: syntax error near 'end' ('{' on line 1 is not closed)",
	"x = [1, 2]":                        "1:5: syntax error near '[' (a list is { … })",
	"x = { \"a\": 1 }":                  "1:10: syntax error near ':' (a key is name = value, or [\"name\"] = value)",
	"x = { a: 1 }":                      "1:10: syntax error near '1' (a key is name = value, or [\"name\"] = value)",
	"for (i = 0; i < 3) do end":         "1:5: syntax error near '(' (write for i = 1, n do, or for _, item in ipairs(list) do)",
	"x = 'a' 'b'":                       "1:9: syntax error near ''b'' (texts are joined with ..)",
	"x == 1":                            "1:3: syntax error near '==' (a statement assigns with =, or calls)",
	"x = a ** 2":                        "1:7: syntax error near '*' (a power is x ^ y)",
	"f(function(a)\n  if a then\n    x()\n  else if b then\n    y()\n  end\nend)": "7:4: syntax error near ')' (write elseif on line 4: else if opens a second block)",
	"f(function(a)\n  if a then\n    x()\nend)":                                   "4:4: syntax error near ')' ('then' on line 2 seems not to be closed: the next end stands further left)",
	"for x in xs:\n  c = x\nend":                                                  "2:5: syntax error near '=' (a block is for … do … end, without a colon)",
	"if a == 1:\n  x()\nend":                                                      "1:10: syntax error near ':' (a block is if … then … end, without a colon)",
	"if a then\n  x()\nelse:\n  y()\nend":                                         "3:5: syntax error near ':' (a block ends with end and has no colon)",
	"f(a):\n  g(b)\nx = = 1":                                                      "3:5: syntax error near '='",
	"local function f(a):\n  return a\nend":                                       "1:20: syntax error near ':' (a block ends with end and has no colon)",
	"for i, x in ipairs(t):\n  x()\nend":                                          "3:1: syntax error near 'end' (a block is for … do … end, without a colon)",
	"if \"a\" in b then end":                                                      "1:8: syntax error near 'in' (whether a text has a part is text:find(part, 1, true), whether a table has a key t[key] ~= nil)",
	"if nil ~= then end":                                                          "1:11: syntax error near 'then' (a value is missing behind '~=')",
	"x = f(a ..)":                                                                 "1:11: syntax error near ')' (a value is missing behind '..')",
	"if a == 1 and\nthen end":                                                     "2:1: syntax error near 'then' (a value is missing behind 'and')",
	"t[] = 1":                                                                     "1:2: syntax error near '[' (the next item of a list is t[#t + 1])",
	"x = a?.b":                                                                    "1:6: syntax error near '?' (write x and x.y)",
	"local x: string = a":                                                         "1:8: syntax error near ':' (names have no types; editors read them from a comment: ---@type T)",
	"for i = 0; i < 3; i++ do end":                                                "1:10: syntax error near ';' (write for i = 1, n do)",
	"do { x() } while (a)":                                                        "1:4: syntax error near '{' (a loop that asks at its end is repeat … until)",
	"x = s:match(/a+/)":                                                           "1:13: syntax error near '/' (a pattern is a text: \"…\")",
	"if a then x() else then y() end":                                             "1:20: syntax error near 'then' (else has no condition; elseif … then has one)",
	"if s::find(1) then end":                                                      "1:5: syntax error near '::' (a method is called with one colon)",
	"do\n  return 1\n  local a = 2\nend":                                          "3:3: syntax error near 'local' (return ends its block: nothing can follow it)",
	"if a === b then end":                                                         "1:6: syntax error near '==' (equal is ==)",
	"if a then continue end":                                                      "1:11: syntax error near 'continue' (write goto continue, with ::continue:: at the end of the loop)",
	"var x = 1":                                                                   "1:1: syntax error near 'var' (write local x = y)",
	"const x = 1":                                                                 "1:1: syntax error near 'const' (write local x = y)",
	"function name() {\n  return 1\n}":                                            "1:17: syntax error near '{' (a block ends with end and has no braces)",
	"if a then\n  x()\nelif b then\n  y()\nend":                                   "3:1: syntax error near 'elif' (write elseif)",
	"return f(`a ${b}`)":                                                          "1:10: syntax error near '`' (a string is \"…\", or [[…]] over many lines; join values with ..)",
	"if a {\n  x()\n} else if b {\n  y()\n}":                                      "3:3: syntax error near 'else' (a block is if … then … end, without braces)",
	"while true:\n  break":                                                        "1:11: syntax error near ':' (a block is while … do … end, without a colon)",
	"if a then\n  x()\nelse\n  if b then\n    y()\nend":                           "6:4: syntax error: the file ends too early ('then' on line 4 is not closed)",
}

func TestHabits(t *testing.T) {
	for source, want := range habits {
		err := compileError(t, source)
		require.EqualError(t, err, "p.lua:"+want, source)
	}
}
