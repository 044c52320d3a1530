package catalog_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// extension is a function that attaches handlers.
type extension func(in *point.Installer)

func (extension) Name() string { return "policy" }

func (e extension) Install(in *point.Installer) error { e(in); return nil }

func TestNamesAreUnique(t *testing.T) {
	names := catalog.Names()
	require.NotEmpty(t, names)
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	require.Len(t, sorted, len(names))
	for _, name := range names {
		require.Regexp(t, `^[a-z]+/[a-z]+(-[a-z]+)*$`, name)
		require.Equal(t, name, catalog.Find(name).Name())
	}
	require.Nil(t, catalog.Find("tools/pre-exec"))
}

// TestEveryDescriptorIsComplete builds all of them: a mistake in a declaration
// is a panic here.
func TestEveryDescriptorIsComplete(t *testing.T) {
	for _, p := range catalog.Points() {
		t.Run(p.Name(), func(t *testing.T) {
			require.NotEmpty(t, p.Doc())
			require.Empty(t, p.Payload().Undocumented())
			_, ok := p.Payload().Field("session")
			_, nested := p.Payload().Field("call")
			require.True(t, ok || nested, "a payload says which session it belongs to")
			require.Equal(t, p.Kind() == point.NotificationKind, p.Decision() == nil)
			if p.Decision() == nil {
				return
			}
			require.Empty(t, p.Decision().Undocumented())
			for i, v := range p.Decision().Variants() {
				require.Equal(t, p.Tags()[i], v.Tag())
			}
			require.Equal(t, p.Kind() == point.WaterfallKind, p.MaxNext() > 0)
		})
	}
}

// TestNamesOnTheWire are in one style, and no type is both a variant and a type
// of its own: documents could not tell which is meant.
func TestNamesOnTheWire(t *testing.T) {
	const snake = `^[a-z]+(_[a-z]+)*$`
	variants, plain := map[string]bool{}, map[string]bool{}
	for _, p := range catalog.Points() {
		for _, root := range []*schema.Type{p.Payload(), p.Decision()} {
			if root == nil {
				continue
			}
			plain[root.Name()] = true
			root.Visit(func(x *schema.Type) {
				for _, f := range x.Fields() {
					require.Regexp(t, snake, f.Name(), x.Name())
					plain[f.Type().Name()] = true
				}
				if x.Elem() != nil {
					plain[x.Elem().Name()] = true
				}
				for _, v := range x.Variants() {
					require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, v.Tag())
					variants[v.Type().Name()] = true
				}
			})
		}
	}
	for name := range variants {
		require.False(t, plain[name], name)
	}
}

// least returns the smallest value that t admits: the first variant, empty
// texts and lists, nothing that is optional.
func least(t *schema.Type) value.Value {
	switch t.Kind() {
	case schema.String:
		if t.Values() != nil {
			return value.OfString(t.Values()[0])
		}
		return value.OfString("")
	case schema.Bool:
		return value.OfBool(false)
	case schema.Number, schema.Integer:
		return value.OfInt(0)
	case schema.JSON:
		return value.NullValue()
	case schema.List:
		return value.OfList()
	case schema.Union:
		v := t.Variants()[0]
		members := []value.Member{{Key: schema.TagField, Value: value.OfString(v.Tag())}}
		for k, m := range least(v.Type()).Members() {
			members = append(members, value.Member{Key: k, Value: m})
		}
		return value.OfObject(members...)
	case schema.Object:
	}
	v := value.OfObject()
	for _, f := range t.Fields() {
		if !f.Optional() {
			v = v.With(f.Name(), least(f.Type()))
		}
	}
	return v
}

// TestEveryPayloadCarriesALiveHandle to typed and untyped handlers alike.
func TestEveryPayloadCarriesALiveHandle(t *testing.T) {
	live := session.NewEffects()
	for _, p := range catalog.Points() {
		t.Run(p.Name(), func(t *testing.T) {
			var r point.Registry
			var got any
			_, err := r.Install(extension(func(in *point.Installer) {
				p.HandleValue(in, func(_ context.Context, asked point.Asked) (point.Answer, error) {
					got = asked.Live
					return point.Answer{}, nil
				}, point.Attach{})
			}))
			require.NoError(t, err)
			_, err = p.RunValue(context.Background(), point.Run{Handlers: &r}, least(p.Payload()), live)
			require.NoError(t, err)
			require.Same(t, live, got)
		})
	}
}

// TestDefaultsAreAnswers: what a point says when nobody is attached is valid,
// and is what a handler without an opinion sees.
func TestDefaultsAreAnswers(t *testing.T) {
	for name, want := range map[string]string{
		"agent/pre-step":      `{"kind":"enter","messages":[]}`,
		"agent/request":       `{"kind":"send","config":{}}`,
		"agent/request-error": `{"kind":"fail"}`,
		"agent/pre-compact":   `{"kind":"proceed"}`,
		"tools/rewrite":       `{"kind":"keep"}`,
		"tools/pre-execute":   `{"kind":"allow"}`,
		"tools/approve":       `{"kind":"pass"}`,
		"tools/guard":         `{"kind":"abstain"}`,
		"tools/execute":       `{"kind":"failure","message":"no tool runtime runs ","code":"UNKNOWN_TOOL"}`,
		"tools/post-execute":  `{"kind":"accept"}`,
		"host/event":          `{"kind":"pass"}`,
	} {
		p := catalog.Find(name)
		require.NotNil(t, p, name)
		v, err := p.RunValue(context.Background(), point.Run{}, least(p.Payload()), nil)
		require.NoError(t, err)
		require.Equal(t, want, v.String(), name)
		_, err = p.Decision().Decode(point.DecisionPath, schema.NodeOf(v))
		require.NoError(t, err)
	}
	for _, p := range catalog.Points() {
		if p.Decision() == nil {
			v, err := p.RunValue(context.Background(), point.Run{}, least(p.Payload()), nil)
			require.NoError(t, err)
			require.True(t, v.IsAbsent(), p.Name())
		}
	}
}

// TestFilters tries what the match filter of each point is tested against.
func TestFilters(t *testing.T) {
	for name, member := range map[string]string{
		"agent/session-start": "source", "agent/session-end": "reason", "agent/pre-compact": "trigger",
		"agent/post-compact": "trigger", "agent/notify": "type", "agent/status": "status",
		"subagent/start": "type", "subagent/end": "type", "host/event": "name",
		"tools/rewrite": "tool", "tools/pre-execute": "tool", "tools/guard": "tool", "tools/execute": "tool",
	} {
		p := catalog.Find(name)
		require.Contains(t, p.Filters(), point.FilterMatch)
		asked := 0
		var r point.Registry
		_, err := r.Install(extension(func(in *point.Installer) {
			p.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { asked++; return point.Answer{}, nil },
				point.Attach{Filter: point.Filter{Match: []string{"wanted"}}})
		}))
		require.NoError(t, err)
		for _, text := range []string{"wanted", "other"} {
			_, err := p.RunValue(context.Background(), point.Run{Handlers: &r}, least(p.Payload()).With(member, value.OfString(text)), nil)
			require.NoError(t, err)
		}
		require.Equal(t, 1, asked, name)
	}
}
