package scripttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

// defaultRuns is how many commands a property is tried with.
const defaultRuns = 100

// maxWrappers is how many ways of writing are laid around one command.
const maxWrappers = 3

// wrappers are ways to write a command so that it still runs. Each takes a command
// and gives one that runs it.
var wrappers = []struct {
	name string
	wrap func(command string) string
}{
	{"sudo", func(c string) string { return "sudo " + c }},
	{"environment", func(c string) string { return "A=1 " + c }},
	{"env", func(c string) string { return "env A=1 " + c }},
	{"after another", func(c string) string { return "cd /tmp && " + c }},
	{"before another", func(c string) string { return c + "; ls" }},
	{"or", func(c string) string { return "false || " + c }},
	{"pipe", func(c string) string { return c + " | cat" }},
	{"redirection", func(c string) string { return c + " > /dev/null 2>&1" }},
	{"subshell", func(c string) string { return "(" + c + ")" }},
	{"group", func(c string) string { return "{ " + c + "; }" }},
	{"substitution", func(c string) string { return "echo $(" + c + ")" }},
	{"background", func(c string) string { return c + " &" }},
	{"condition", func(c string) string { return "if true; then " + c + "; fi" }},
	{"time-out", func(c string) string { return "timeout 5 " + c }},
	{"shell", func(c string) string { return "bash -c '" + strings.ReplaceAll(c, "'", `'\''`) + "'" }},
	{"eval", func(c string) string { return "eval '" + strings.ReplaceAll(c, "'", `'\''`) + "'" }},
	{"line", func(c string) string { return "true\n" + c }},
	{"spaces", func(c string) string { return "  " + strings.ReplaceAll(c, " ", "  ") }},
}

// A variant is a command and the ways in which it is written, from the inside.
type variant struct {
	base string
	ways []int
}

func (v variant) command() string {
	c := v.base
	for _, w := range v.ways {
		c = wrappers[w].wrap(c)
	}
	return c
}

func generating(f *fileRun) []stdlib.Function {
	return []stdlib.Function{{
		Name: "property",
		Doc: "Declares a test that something holds for commands however they are written: body is called with the command, written in a generated way that still runs it, and with the command itself. " +
			"The same seed gives the same commands; of a failure the simplest command is shown that fails.",
		Params: []field{{Name: "name", Type: "string"}, {Name: "commands", Type: "string[]", Doc: "to begin with"}, {Name: "body", Type: "function"}, {Name: "runs?", Type: "integer", Doc: "how many commands are tried; 100 if left out"}},
		Call: func(c *stdlib.Call) error {
			bases, err := c.Strings(2, "commands")
			if err != nil {
				return err
			}
			name, body, runs := c.Str(1), c.Arg(3), c.Int(4, defaultRuns)
			if len(bases) == 0 || runs < 1 {
				return fmt.Errorf("want at least one command and one run")
			}
			return f.add(c, name, func() error { return f.property(name, bases, body, runs) })
		},
	}}
}

// property tries body with generated commands.
func (f *fileRun) property(name string, bases []string, body lua.LValue, runs int) error {
	random := f.suite.random(f.path + "\x00" + name)
	for i := range runs {
		v := variant{base: bases[i%len(bases)]}
		if i >= len(bases) { // the commands themselves come first
			v.ways = ways(random)
		}
		err := f.try(body, v)
		if err == nil {
			continue
		}
		v, err = f.shrink(body, v, err)
		f.note(v, i+1)
		return err
	}
	return nil
}

func ways(random *rand.Rand) []int {
	list := make([]int, 1+random.IntN(maxWrappers))
	for i := range list {
		list[i] = random.IntN(len(wrappers))
	}
	return list
}

// try calls body in a world of its own. What failed before is forgotten: only the
// last failure, which is the simplest, counts.
func (f *fileRun) try(body lua.LValue, v variant) error {
	f.world, f.test.failure, f.test.begun = newWorld(), nil, nil
	_, err := f.vm.Call(body, lua.LString(v.command()), lua.LString(v.base))
	if err == nil && f.test.failure != nil {
		err = errExpected // the test caught it
	}
	return err
}

// shrink leaves out ways of writing as long as body fails, and returns what is left
// with its error.
func (f *fileRun) shrink(body lua.LValue, v variant, failed error) (variant, error) {
	for i := 0; i < len(v.ways); {
		simpler := variant{v.base, slices.Delete(slices.Clone(v.ways), i, i+1)}
		err := f.try(body, simpler)
		if err == nil {
			i++
			continue
		}
		v, failed, i = simpler, err, 0
	}
	return v, f.again(body, v, failed)
}

// again makes the failure of v the last one.
func (f *fileRun) again(body lua.LValue, v variant, failed error) error {
	if err := f.try(body, v); err != nil {
		return err
	}
	return failed
}

// note says which command failed.
func (f *fileRun) note(v variant, run int) {
	var names []string
	for _, w := range v.ways {
		names = append(names, wrappers[w].name)
	}
	text := fmt.Sprintf("with the command %q (run %d, seed %d", v.command(), run, f.suite.Seed)
	if len(names) > 0 {
		text += ", written as: " + strings.Join(names, ", ")
	}
	f.test.fail(&Failure{Text: errExpected.Error()})
	f.test.failure.Notes = append(f.test.failure.Notes, text+")")
}
