package stdlib_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
)

// pipeline is a line of about 140 bytes that breaks none of the rules.
const pipeline = `cd /home/dev/app && find . -name '*.go' -newer go.mod | xargs grep -l "context.Background()" | sort | uniq -c | sort -rn | head -20 > out.txt`

// fiveRules are such as guards have.
var fiveRules = []string{
	`\brm\s+(-[a-zA-Z]*[rR][a-zA-Z]*\s+)+(/|~)`,
	`\bgit\s+push\b.*(--force\b|\s-f\b)`,
	`\b(curl|wget)\b[^|]*\|\s*(ba|z)?sh\b`,
	`(^|[;&|]\s*)sudo\b`,
	`\bgit\s+commit\b.*(--no-verify|\s-[a-z]*n)`,
}

func BenchmarkFiveRulesInGo(b *testing.B) {
	var rules []*regexp.Regexp
	for _, r := range fiveRules {
		rules = append(rules, regexp.MustCompile(r))
	}
	for b.Loop() {
		for _, r := range rules {
			if r.MatchString(pipeline) {
				b.Fatal("the line breaks a rule")
			}
		}
	}
}

// The same through re, as a handler does it: with the budget of a run.
func BenchmarkFiveRulesThroughRe(b *testing.B) {
	l := newLab(b, stdlib.Services{})
	var source strings.Builder
	source.WriteString("local re = require 're' return function(line)\n")
	for _, r := range fiveRules {
		fmt.Fprintf(&source, "if re.match([[%s]], line) then return true end\n", r)
	}
	source.WriteString("return false end")
	p, err := luavm.Compile("rules.lua", source.String(), luavm.CompileOptions{Globals: []string{"require"}})
	require.NoError(b, err)
	ctx := context.Background()
	require.NoError(b, l.vm.Begin(ctx))
	rets, err := l.vm.Exec(p, l.vm.Env())
	require.NoError(b, err)
	l.vm.End()
	handler, line := rets[0], lua.LString(pipeline)
	for b.Loop() {
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
