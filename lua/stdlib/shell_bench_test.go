package stdlib_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
)

// shellRules are five rules on commands: a program, its subcommand, and options that
// it must not have.
var shellRules = []struct{ name, sub, flags string }{
	{"rm", "", "r R recursive"},
	{"git", "push", "f force"},
	{"sort", "", "o output"},
	{"find", "", "delete"},
	{"git", "commit", "n no-verify"},
}

func BenchmarkFiveShellRulesInGo(b *testing.B) {
	var p shell.Parser
	for b.Loop() {
		line := p.Parse(pipeline, shell.Options{Cwd: "/home/dev/app"})
		for _, r := range shellRules {
			for i := range line.Commands {
				if c := &line.Commands[i]; c.Name == r.name {
					parsed := c.Parsed()
					if _, has := parsed.Flag(strings.Fields(r.flags)...); has && parsed.Sub == r.sub {
						b.Fatal("the line breaks a rule")
					}
				}
			}
		}
	}
}

// The same by a script, whose rules each read the line. Each run is given a line
// that was not read before.
func BenchmarkFiveShellRulesInLua(b *testing.B) {
	l := newLab(b, stdlib.Services{})
	source := `local shell = require 'shell'
local function rule(name, sub, flags)
  return function(line)
    for _, command in ipairs(shell.parse(line).commands) do
      if command.name == name and command.sub == sub and shell.flag(command, flags) then return true end
    end
  end
end
local rules = {}
`
	for _, r := range shellRules {
		sub := "nil"
		if r.sub != "" {
			sub = "'" + r.sub + "'"
		}
		source += "rules[#rules + 1] = rule('" + r.name + "', " + sub + ", '" + r.flags + "')\n"
	}
	source += "return function(line) for _, rule in ipairs(rules) do if rule(line) then return true end end return false end"
	p, err := luavm.Compile("rules.lua", source, luavm.CompileOptions{Globals: []string{"require"}})
	require.NoError(b, err)
	ctx := context.Background()
	require.NoError(b, l.vm.Begin(ctx))
	rets, err := l.vm.Exec(p, l.vm.Env())
	require.NoError(b, err)
	l.vm.End()
	handler := rets[0]
	for n := 0; b.Loop(); n++ {
		line := lua.LString(pipeline + string(rune('a'+n%26)))
		l.env.Begin(l.run)
		if err := l.vm.Begin(ctx); err != nil {
			b.Fatal(err)
		}
		rets, err := l.vm.Call(handler, line)
		if err != nil || rets[0] != lua.LFalse {
			b.Fatal(rets, err)
		}
		l.vm.End()
	}
}
