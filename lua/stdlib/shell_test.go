package stdlib_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

func TestShell(t *testing.T) {
	first := func(line, what string) string {
		return "shell.parse([==[" + line + "]==], { cwd = '/home/dev/app' }).commands[1]" + what
	}
	place := func(line, word, what string) string {
		return "return (function() local c = shell.parse([==[" + line + "]==], { cwd = '/home/dev/app' }).commands[1]; return shell.places(c, " + word + ")[1]" + what + " end)()"
	}
	find := func(line, program, names, what string) string {
		return "return (function() local line = shell.parse([==[" + line + "]==]); local c = shell.find(line, '" + program + "'" + names + "); return c" + what + " end)()"
	}
	perhaps := func(line, program, names string) string {
		return "return (function() local c, perhaps = shell.find(shell.parse([==[" + line + "]==]), '" + program + "'" + names + "); return { c ~= nil, perhaps } end)()"
	}
	ask(t, invented(), []question{
		{"#shell.parse('').commands", "0", ""},
		{first("rm -rf ~/x", ".operands[1].text"), `"/home/dev/x"`, ""},
		{first("a=b c", ".assigns[1].name"), `"a"`, ""},
		{first("git push -f", ".sub"), `"push"`, ""},
		{first("a > b", ".redirects[1].kind"), `"write"`, ""},
		{first("a", ".place"), "", `dsh.shell.Command has no field "place"`},
		{first("a", ".operand"), "", `dsh.shell.Command has no field "operand"; did you mean "operands"?`},
		{first("a b", ".operands[1].txt"), "", `dsh.shell.Word has no field "txt"; did you mean "text"?`},
		{"shell.parse('a', { cdw = '/' })", "", `known.cdw: no such field; did you mean "cwd"?`},
		{"shell.parse('a', { cwd = 'b' })", "", "known.cwd: want an absolute path"},
		{"shell.parse()", "", "shell.parse: line: want string, got nil"},
		{find("ls; git -C x push -uf a", "git push", ", 'f force'", ".sub"), `"push"`, ""},
		{find("ls; git push; git push -f", "git push", "", ".operands[1]"), "nil", ""},
		{find("ls; rm -r a", "rm", ", 'r R'", ".operands[1].text"), `"a"`, ""},
		{find("a; b", "b", "", " == line.commands[2]"), "true", ""},
		{perhaps("git push", "git push", ", 'f'"), "[false,false]", ""},
		{perhaps("git push -f", "git push", ", 'f'"), "[true,false]", ""},
		{perhaps("git push $x", "git push", ", 'f'"), "[false,true]", ""},
		{perhaps("git push $x", "git push", ""), "[true,false]", ""},
		{perhaps("git $x", "git push", ""), "[false,true]", ""},
		{perhaps("git push $x; rm $x", "rm", ", 'r'"), "[false,true]", ""},
		{perhaps("$x -f", "git push", ", 'f'"), "[false,true]", ""},
		{perhaps("ls 'x", "git push", ", 'f'"), "[false,true]", ""},
		{perhaps("bash -c \"$x\"; git push -f", "git push", ", 'f'"), "[true,true]", ""},
		{perhaps("git pull $x; ls $y", "git push", ", 'f'"), "[false,false]", ""},
		{"shell.find({}, 'git')", "", "shell.find: line: want what shell.parse returns"},
		{"shell.find(shell.parse('a').commands[1], 'git')", "", "shell.find: line: want what shell.parse returns"},
		{"shell.flag({}, 'f')", "", "shell.flag: command: want one of the commands of shell.parse"},
		{"shell.places(shell.parse('a').commands[1], 1)", "", "shell.places: word: want a word of a command, or a string"},
		{"pcall(function() shell.parse('a').commands[1].name = 'b' end)", "false", ""},
		{place("rm out", "c.operands[1]", ".entry"), `"/home/dev/app/out"`, ""},
		{place("rm out", "c.operands[1]", ".real"), `"/srv/out"`, ""},
		{place("rm out/", "c.operands[1]", ".entry"), `"/srv/out"`, ""},
		{place("rm out/../x", "c.operands[1]", ".entry"), `"/srv/x"`, ""},
		{place("rm out/*", "c.operands[1]", ".real"), `"/srv/out"`, ""},
		{place("rm loop/x", "c.operands[1]", ".entry"), "nil", ""},
		{place("rm x", "'../y'", ".path"), `"/home/dev/y"`, ""},
	})
	ask(t, stdlib.Services{}, []question{{place("rm out", "c.operands[1]", ".real"), "nil", ""}})
}

// A line costs what reading it takes, also if it was read before: a verdict must not
// depend on what ran earlier in the process.
func TestShellCosts(t *testing.T) {
	l := newLab(t, invented())
	run := func(line string) int64 {
		_, steps, err := l.do("return #shell.parse([==[" + line + "]==]).commands")
		require.NoError(t, err)
		return steps
	}
	short, long := strings.Repeat("a b;", 10), strings.Repeat("a b;", 100)
	first := run(long)
	require.Equal(t, first, run(long))
	require.Greater(t, first-run(""), 5*(run(short)-run("")))
	once := func(source string) int64 {
		_, steps, err := l.do("local l = [==[" + long + "]==] " + source)
		require.NoError(t, err)
		return steps
	}
	one, two, three := once("shell.parse(l)"), once("shell.parse(l) shell.parse(l)"), once("shell.parse(l) shell.parse(l) shell.parse(l)")
	require.Equal(t, two-one, three-two, "each reading costs the same")
	require.Greater(t, two-one, (one-once(""))/2, "a rule pays for its line, whoever read it before")
	named := func(call string) int64 {
		_, steps, err := l.do("local l = shell.parse('git push ' .. string.rep('-a ', 1000)) local n = string.rep('f ', 500) return " + call)
		require.NoError(t, err)
		return steps
	}
	nothing := named("0")
	require.Greater(t, named("shell.flag(l.commands[1], n)")-nothing, int64(1000*500), "each option is held against each name")
	require.Greater(t, named("(shell.find(l, 'git push', n))")-nothing, int64(1000*500))
	_, _, err := l.do("local s = string.rep('a=$a$a;', 9000) while true do shell.parse(s) end")
	require.ErrorContains(t, err, "instruction")
}
