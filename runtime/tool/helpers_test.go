package tool_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A rig is a runtime with one agent, which tests attach handlers to.
type rig struct {
	t     testing.TB
	rt    *tool.Runtime
	scope *tool.Scope

	mu    sync.Mutex
	trace []string
	warns []string
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t}
	r.rt = &tool.Runtime{
		Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: new(tool.Registry)},
		Warn: func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.warns = append(r.warns, text)
		},
	}
	r.scope = &tool.Scope{
		Host:  host.Host{Run: point.Run{Handlers: r.rt.Root.Host.Run.Handlers.Child()}},
		Tools: r.rt.Root.Tools.Child(), Session: session.Ref{ID: "s"},
	}
	return r
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, fmt.Sprintf(format, args...))
}

func (r *rig) attach(do func(in *point.Installer)) { install(r.t, r.scope, "ext", do) }

// tool registers a tool named t.
func (r *rig) tool(body func(ctx context.Context, run *tool.Running) (any, error), change ...func(d *tool.Definition)) (remove func()) {
	d := tool.Definition{Name: "t", Output: tool.Output{Schema: value.OfObject()}, Execute: body}
	for _, f := range change {
		f(&d)
	}
	remove, err := r.rt.Root.Tools.Register(d)
	require.NoError(r.t, err)
	return remove
}

func (r *rig) call(ctx context.Context, arguments any) tool.Result {
	return r.rt.Execute(ctx, tool.Input{ID: "1", Tool: "t", Arguments: arguments, Agent: r.scope})
}

// returning makes a body that returns x.
func returning(x any) func(context.Context, *tool.Running) (any, error) {
	return func(context.Context, *tool.Running) (any, error) { return x, nil }
}

// object reads JSON in a test.
func object(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	require.NoError(t, err)
	return v
}

// requireLossless holds a result to what Execute promises.
func requireLossless(t testing.TB, r tool.Result) {
	t.Helper()
	v, err := tool.OnExecute.Decision().Encode(r)
	require.NoError(t, err)
	for _, member := range v.Members() {
		_, err = tool.Snapshot(member)
		require.NoError(t, err, "%#v", r)
	}
	requireReadable(t, r)
}

// requireReadable holds a result to what a reader of a log needs: it is got back,
// although it stands within something else.
func requireReadable(t testing.TB, r tool.Result) {
	t.Helper()
	v, err := tool.OnExecute.Decision().Encode(r)
	require.NoError(t, err)
	for range 100 {
		v = value.OfObject(value.Member{Key: "in", Value: v})
	}
	back, err := value.Parse(v.AppendJSON(nil))
	require.NoError(t, err)
	require.True(t, back.Equal(v))
}

func texts(parts []session.Part) string {
	var out []string
	for _, p := range parts {
		if text, ok := p.(session.Text); ok {
			out = append(out, text.Text)
		}
	}
	return strings.Join(out, "|")
}

// A gen makes random data; the same seed makes the same.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 7))} }

func (g gen) text() string {
	return []string{"", "a", "Error: x", "é😀", "\x00\n", "bad \xff byte", strings.Repeat("long ", 50)}[g.IntN(7)]
}

func (g gen) json(depth int) value.Value {
	switch n := g.IntN(8); {
	case n == 0:
		return value.NullValue()
	case n == 1:
		return value.OfBool(g.IntN(2) == 0)
	case n == 2:
		return value.OfFloat(g.NormFloat64() * 1e6)
	case n == 3:
		return value.OfInt(g.Int64())
	case n == 4:
		return value.OfFloat([]float64{0, -1, 1e308, negativeZero}[g.IntN(4)])
	case n == 5 && depth > 0:
		items := make([]value.Value, g.IntN(4))
		for i := range items {
			items[i] = g.json(depth - 1)
		}
		return value.OfList(items...)
	case n == 6 && depth > 0:
		members := make([]value.Member, g.IntN(4))
		for i := range members {
			members[i] = value.Member{Key: g.text(), Value: g.json(depth - 1)}
		}
		return value.OfObject(members...)
	}
	return value.OfString(g.text())
}

func (g gen) content() []session.Part {
	if g.IntN(4) == 0 {
		return nil
	}
	parts := make([]session.Part, g.IntN(3))
	for i := range parts {
		parts[i] = []session.Part{
			session.Text{Text: g.text()},
			session.Reasoning{Text: g.text()},
			session.Image{MediaType: "image/png", Data: g.text()},
			session.ToolCall{ID: g.text(), Tool: "t", Arguments: g.json(1)},
			nil,
			session.ToolResult{Call: "1", Content: []session.Part{session.Text{Text: g.text()}}},
		}[g.IntN(6)]
	}
	return parts
}

func (g gen) contexts() []session.Context {
	list := make([]session.Context, g.IntN(3))
	for i := range list {
		list[i] = session.Context{Text: g.text(), Extension: g.text()}
	}
	return list
}

func (g gen) result() tool.Result {
	if g.IntN(2) == 0 {
		return tool.Failure{
			Message: g.text(), Name: g.text(), Code: tool.Code(g.text()), Content: g.content(), Meta: g.json(1), Contexts: g.contexts(),
		}
	}
	return tool.Success{Value: g.json(2), Content: g.content(), Meta: g.json(1), Contexts: g.contexts(), Concludes: g.IntN(2) == 0}
}
