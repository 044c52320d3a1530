package stdlib

import (
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A record shows a Go struct as an object whose members are made when they are
// read: of a line most rules read the names of the commands and no more.
type record[T any] struct {
	of     *T
	fields string // the names of the members, in the order of the class
	get    func(of *T, name string) (value.Value, luavm.Source)
}

func (record[T]) Len() int { return -1 }

func (record[T]) Item(int) (value.Value, luavm.Source) { return value.Value{}, nil }

func (r record[T]) Member(name string) (value.Value, luavm.Source) { return r.get(r.of, name) }

func (r record[T]) Value() value.Value {
	names := strings.Fields(r.fields)
	out := make([]value.Member, 0, len(names))
	for _, name := range names {
		out = append(out, value.Member{Key: name, Value: wholeOf(r.get(r.of, name))})
	}
	return value.OfObject(out...)
}

func wholeOf(v value.Value, s luavm.Source) value.Value {
	if s != nil {
		return s.Value()
	}
	return v
}

// A listing shows a slice as a list likewise.
type listing[T any] struct {
	items []T
	of    func(*T) (value.Value, luavm.Source)
}

func (l listing[T]) Len() int { return len(l.items) }

func (listing[T]) Member(string) (value.Value, luavm.Source) { return value.Value{}, nil }

func (l listing[T]) Item(i int) (value.Value, luavm.Source) { return l.of(&l.items[i]) }

func (l listing[T]) Value() value.Value {
	out := make([]value.Value, len(l.items))
	for i := range l.items {
		out[i] = wholeOf(l.of(&l.items[i]))
	}
	return value.OfList(out...)
}

// What is empty is left out of an object.

func absent() (value.Value, luavm.Source) { return value.Value{}, nil }

func someText(text string) (value.Value, luavm.Source) {
	if text == "" {
		return absent()
	}
	return value.OfString(text), nil
}

func someTruth(b bool) (value.Value, luavm.Source) {
	if !b {
		return absent()
	}
	return value.OfBool(true), nil
}

func someNumber(n int) (value.Value, luavm.Source) {
	if n == 0 {
		return absent()
	}
	return value.OfInt(int64(n)), nil
}

func textsView(list []string) (value.Value, luavm.Source) {
	return value.Value{}, listing[string]{list, func(s *string) (value.Value, luavm.Source) { return value.OfString(*s), nil }}
}

// indexesView makes places in a Lua list of indexes.
func indexesView(list []int) (value.Value, luavm.Source) {
	return value.Value{}, listing[int]{list, func(i *int) (value.Value, luavm.Source) { return value.OfInt(int64(*i) + 1), nil }}
}

func wordsView(list []shell.Word) (value.Value, luavm.Source) {
	return value.Value{}, listing[shell.Word]{list, wordView}
}

func optionsView(list []shell.Option) (value.Value, luavm.Source) {
	return value.Value{}, listing[shell.Option]{list, optionView}
}

const (
	lineFields    = "commands problem"
	commandFields = "name argv sub before options operands unsure unlisted assigns redirects input via where cwd code script scripts opaque wrapper " +
		"pipeline member subshell loop in_function background condition substitution maybe depth"
	wordFields     = "text known texts prefix suffix glob many raw from"
	optionFields   = "name value long"
	assignFields   = "name value append"
	redirectFields = "kind fd target"
	inputFields    = "kind text from"
	codeFields     = "language text"
)

// A readLine is a line with its commands as scripts see them.
type readLine struct {
	*shell.Line
	commands []readCommand
}

// A readCommand is a command whose options are taken apart once.
type readCommand struct {
	*shell.Command
	parsed *shell.Parsed
}

func (c *readCommand) parse() *shell.Parsed {
	if c.parsed == nil {
		parsed := c.Parsed()
		c.parsed = &parsed
	}
	return c.parsed
}

func lineView(line *shell.Line) luavm.Source {
	l := &readLine{Line: line, commands: make([]readCommand, len(line.Commands))}
	for i := range l.commands {
		l.commands[i].Command = &line.Commands[i]
	}
	return record[readLine]{l, lineFields, lineMember}
}

func lineMember(l *readLine, name string) (value.Value, luavm.Source) {
	switch name {
	case "commands":
		return value.Value{}, listing[readCommand]{l.commands, commandView}
	case "problem":
		return someText(l.Problem)
	}
	return absent()
}

func commandView(c *readCommand) (value.Value, luavm.Source) {
	return value.Value{}, record[readCommand]{c, commandFields, commandMember}
}

func commandMember(c *readCommand, name string) (value.Value, luavm.Source) {
	switch name {
	case "name":
		return someText(c.Name)
	case "argv":
		return wordsView(c.Argv)
	case "assigns":
		return value.Value{}, listing[shell.Assign]{c.Assigns, assignView}
	case "redirects":
		return value.Value{}, listing[shell.Redirect]{c.Redirects, redirectView}
	case "input":
		if c.Input.Kind == "" {
			return absent()
		}
		return value.Value{}, record[shell.Input]{&c.Input, inputFields, inputMember}
	case "via":
		return textsView(c.Via)
	case "where":
		return someText(c.Where)
	case "cwd":
		return someText(c.Cwd)
	case "code":
		return value.Value{}, listing[shell.Code]{c.Code, codeView}
	case "script":
		if c.Script == nil {
			return absent()
		}
		return wordView(c.Script)
	case "scripts":
		return indexesView(c.Scripts)
	case "opaque":
		return someText(c.Opaque)
	case "wrapper":
		return someTruth(c.Wrapper)
	case "unlisted":
		return someTruth(c.Unlisted())
	case "sub", "before", "options", "operands", "unsure":
		return parsedMember(c.parse(), name)
	}
	return placeMember(&c.Place, name)
}

func parsedMember(p *shell.Parsed, name string) (value.Value, luavm.Source) {
	switch name {
	case "sub":
		return someText(p.Sub)
	case "before":
		return optionsView(p.Before)
	case "options":
		return optionsView(p.Options)
	case "operands":
		return wordsView(p.Operands)
	}
	return someTruth(p.Unsure)
}

func placeMember(p *shell.Context, name string) (value.Value, luavm.Source) {
	switch name {
	case "pipeline":
		return someNumber(p.Pipeline)
	case "member":
		return someNumber(p.Member)
	case "depth":
		return someNumber(p.Depth)
	case "subshell":
		return someTruth(p.Subshell)
	case "loop":
		return someTruth(p.Loop)
	case "in_function":
		return someTruth(p.Function)
	case "background":
		return someTruth(p.Background)
	case "condition":
		return someTruth(p.Condition)
	case "substitution":
		return someTruth(p.Substitution)
	case "maybe":
		return someTruth(p.Maybe)
	}
	return absent()
}
