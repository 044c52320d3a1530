// Package tools are what the agent's model can do: run a command line, read,
// write and edit files, find files, search in them, and start subagents.
//
// Every tool says what a call is about to do, in the same terms as the clients'
// tools, so that one policy judges them all. A file is named by the path of the
// call and by where that path really leads. What runs is what was judged: if the
// path leads elsewhere by then, the call fails. No tool is confined to the
// project; to confine them is a policy's job.
package tools

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/internal/group"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Options are what the tools work with.
type Options struct {
	// Cwd is the absolute path that paths are relative to, and where commands
	// start.
	Cwd string
	// Home is what "~" stands for; empty if it is not known.
	Home string
	// Env is the environment of commands, as "name=value".
	Env []string
	// Orphans are what commands left behind that is ended with them; nil is nothing.
	Orphans *group.Orphans
	// More returns what has come to the environment since; it is asked at every
	// command. Nil means nothing.
	More func() []string
	// Agent starts a subagent and waits for it; nil means that there are none.
	Agent func(ctx context.Context, t Task) (Report, error)
}

// All lists the tools.
func All(o Options) []tool.Definition {
	p := place{o.Cwd, o.Home}
	list := []tool.Definition{bash(p, o.environment, o.Orphans), read(p), write(p), edit(p), glob(p), grep(p)}
	if o.Agent != nil {
		list = append(list, subagents(o.Agent))
	}
	return list
}

// environment is that of the next command.
func (o Options) environment() []string {
	if o.More == nil {
		return o.Env
	}
	return slices.Concat(o.Env, o.More())
}

// Names lists the names of the tools.
func Names() []string {
	var names []string
	all := Options{Agent: func(context.Context, Task) (Report, error) { return Report{}, nil }}
	for _, d := range All(all) {
		names = append(names, d.Name)
	}
	return names
}

// searchTime bounds what looks at many files.
const searchTime = 60 * time.Second

// anyValue is the schema of any JSON.
var anyValue = value.OfObject()

// A parameter is one argument of a tool.
type parameter struct {
	name, kind, description string
	required                bool
}

// schemaOf is the JSON Schema of an object with these members and no others.
func schemaOf(list ...parameter) value.Value {
	var properties, required []value.Value
	var members []value.Member
	for _, p := range list {
		properties = append(properties, value.OfObject(
			member("type", value.OfString(p.kind)), member("description", value.OfString(p.description))))
		members = append(members, member(p.name, properties[len(properties)-1]))
		if p.required {
			required = append(required, value.OfString(p.name))
		}
	}
	return value.OfObject(member("type", value.OfString("object")), member("properties", value.OfObject(members...)),
		member("required", value.OfList(required...)), member("additionalProperties", value.OfBool(false)))
}

func member(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }

// shown makes the renderer of values that have a text for the model.
func shown(text func(v value.Value) string) func(arguments, v value.Value) ([]session.Part, error) {
	return func(_, v value.Value) ([]session.Part, error) {
		return []session.Part{session.Text{Text: text(v)}}, nil
	}
}

// always is for tools whose calls may overlap.
func always(value.Value) bool { return true }

func text(arguments value.Value, key string) string {
	s, _ := arguments.Get(key).Str()
	return s
}

// number returns the argument, or otherwise if there is none. What is too large
// to be exact counts as the largest number there is.
func number(arguments value.Value, key string, otherwise int64) int64 {
	v := arguments.Get(key)
	n, exact := v.Int()
	switch {
	case exact:
		return n
	case v.Kind() != value.Number:
		return otherwise
	case strings.HasPrefix(v.String(), "-"):
		return math.MinInt64
	}
	return math.MaxInt64
}
