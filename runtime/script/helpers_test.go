package script_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// offered are the options of a host that offers every point. The clock is off,
// so that a busy machine decides nothing.
func offered() script.Options {
	return script.Options{Points: catalog.Points(), Actions: tool.ActionKinds(), Limits: luavm.Limits{Wall: -1}}
}

func load(t testing.TB, name, source string, opts script.Options) *script.Script {
	t.Helper()
	s, err := script.Load(t.Context(), name, source, opts)
	require.NoError(t, err)
	return s
}

// A desk is a host with scripts: what they are asked goes through one registry,
// and what they did is kept.
type desk struct {
	registry point.Registry
	handled  []point.Handled
}

func newDesk(t testing.TB, extensions ...point.Extension) *desk {
	t.Helper()
	d := &desk{}
	for _, e := range extensions {
		d.install(t, e)
	}
	return d
}

func (d *desk) install(t testing.TB, e point.Extension, grants ...point.Grant) {
	t.Helper()
	_, err := d.registry.Install(e, grants...)
	require.NoError(t, err)
}

func (d *desk) run() point.Run {
	return point.Run{Handlers: &d.registry, Observer: point.ObserverFunc(func(h point.Handled) { d.handled = append(d.handled, h) })}
}

// ask puts the call to tools/pre-execute.
func (d *desk) ask(t testing.TB, c tool.Call) (tool.PreDecision, error) {
	t.Helper()
	d.handled = nil
	return tool.PreExecute.Run(t.Context(), d.run(), c)
}

// last is what the outermost handler did.
func (d *desk) last(t testing.TB) point.Handled {
	t.Helper()
	require.NotEmpty(t, d.handled)
	return d.handled[len(d.handled)-1]
}

// desked loads one script and puts it on a desk.
func desked(t testing.TB, source string) *desk {
	t.Helper()
	return newDesk(t, load(t, "policy.lua", source, offered()))
}

// pre is a policy of one handler at tools/pre-execute with the given body; the
// body starts in line 2.
func pre(body string) string {
	return "dsh.on(\"tools/pre-execute\", function(call, next)\n" + body + "\nend)\n"
}

// doc is the JSON value of a literal text.
func doc(text string) value.Value {
	v, err := value.ParseString(text)
	if err != nil {
		panic(err)
	}
	return v
}

// rm is a call that a policy may want to judge.
func rm() tool.Call {
	return tool.Call{
		ID: "1", Tool: "Bash", Arguments: doc(`{"command":"rm -rf /","n":9007199254740993,"none":null}`),
		Action:  tool.Shell{Command: "rm -rf /", Cwd: "/home/dev/p"},
		Session: session.Ref{ID: "s", Cwd: "/home/dev/p"},
	}
}

// at returns the place of the mistake in err.
func at(err error) string {
	if e := (*script.Error)(nil); errors.As(err, &e) {
		return e.At
	}
	if e := (*luavm.Error)(nil); errors.As(err, &e) {
		return e.File
	}
	return ""
}

// goPolicy is an extension in Go at tools/pre-execute.
type goPolicy struct {
	name string
	h    tool.PreHandler
}

func (g goPolicy) Name() string { return g.name }

func (g goPolicy) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, g.h)
	return nil
}

// says is a Go policy that answers d.
func says(d tool.PreDecision) goPolicy {
	return goPolicy{"go", func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return d, nil }}
}

// fails is a Go policy that fails.
func fails(err error) goPolicy {
	return goPolicy{"go", func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return nil, err }}
}
