package scripttest

import (
	"errors"
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

// A form is what a command begins and ends with: some ways of writing take only
// some forms.
type form int

const (
	program  form        = iota // begins with its program
	assigned                    // begins with an assignment
	listed                      // begins with anything else
	ended                       // ends in "&"
	kept     = ended + 1        // of a way of writing: what it is laid around
)

// A wrapper is a way to write a command so that it still runs.
type wrapper struct {
	name  string
	takes form // the last form that it can be laid around
	gives form // at least
	wrap  func(command string) string
}

// wrappers are all ways of writing.
var wrappers = []wrapper{
	{"sudo", program, program, func(c string) string { return "sudo " + c }},
	{"time-out", program, program, func(c string) string { return "timeout 5 " + c }},
	{"environment", assigned, assigned, func(c string) string { return "A=1 " + c }},
	{"env", assigned, program, func(c string) string { return "env A=1 " + c }},
	{"before another", listed, kept, func(c string) string { return c + "; ls" }},
	{"pipe", listed, kept, func(c string) string { return c + " | cat" }},
	{"redirection", listed, kept, func(c string) string { return c + " > /dev/null 2>&1" }},
	{"group", listed, listed, func(c string) string { return "{ " + c + "; }" }},
	{"condition", listed, listed, func(c string) string { return "if true; then " + c + "; fi" }},
	{"background", listed, ended, func(c string) string { return c + " &" }},
	{"after another", ended, listed, func(c string) string { return "cd /tmp; " + c }},
	{"or", ended, listed, func(c string) string { return "false || " + c }},
	{"line", ended, listed, func(c string) string { return "true\n" + c }},
	{"subshell", ended, listed, func(c string) string { return "(" + c + ")" }},
	{"eval", ended, listed, func(c string) string { return "eval " + quoted(c) }},
	{"substitution", ended, program, func(c string) string { return "echo $(" + c + ")" }},
	{"shell", ended, program, func(c string) string { return "bash -c " + quoted(c) }},
	{"spaces", ended, kept, func(c string) string { return "  " + strings.ReplaceAll(c, " ", "  ") }},
}

func quoted(c string) string { return "'" + strings.ReplaceAll(c, "'", `'\''`) + "'" }

// after is the form of what w makes of a command of form f.
func (w wrapper) after(f form) form {
	switch {
	case w.gives == kept:
		return f
	case f == ended && (w.name == "after another" || w.name == "or" || w.name == "line"):
		return ended // the end stays what it was
	}
	return w.gives
}

// A variant is a command and the ways in which it is written, from the inside.
type variant struct {
	base string
	ways []int
}

// command writes the variant. A way that does not go around what is there is left
// out.
func (v variant) command() string {
	c, f := v.base, program
	for _, i := range v.ways {
		if w := wrappers[i]; f <= w.takes {
			c, f = w.wrap(c), w.after(f)
		}
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
				return errors.New("want at least one command and one run")
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

// ways are some ways of writing that go around each other.
func ways(random *rand.Rand) (list []int) {
	f := program
	for range 1 + random.IntN(maxWrappers) {
		i := random.IntN(len(wrappers))
		if w := wrappers[i]; f <= w.takes {
			list, f = append(list, i), w.after(f)
		}
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
