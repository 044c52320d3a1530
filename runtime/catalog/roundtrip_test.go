package catalog_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// random returns a value that t admits, in its full form: nothing short, and
// nothing optional that is empty, because that is left out again.
func random(r *rand.Rand, t *schema.Type, depth int) value.Value {
	switch t.Kind() {
	case schema.String:
		if t.Values() != nil {
			return value.OfString(t.Values()[r.IntN(len(t.Values()))])
		}
		return value.OfString([]string{"x", "é\n\"", "/tmp/a b", "null"}[r.IntN(4)])
	case schema.Bool:
		return value.OfBool(true)
	case schema.Integer:
		return value.OfInt(r.Int64N(1<<62) + 1)
	case schema.Number:
		return value.OfFloat(r.Float64() + 1)
	case schema.JSON:
		return []value.Value{
			value.NullValue(), value.OfInt(1 << 60), value.MustFrom(map[string]any{"b": []any{nil, 1.5}, "a": ""}), value.OfList(),
		}[r.IntN(4)]
	case schema.List:
		var items []value.Value
		for range r.IntN(3 - min(depth/3, 2)) {
			items = append(items, random(r, t.Elem(), depth+1))
		}
		return value.OfList(items...)
	case schema.Union:
		v := t.Variants()[r.IntN(len(t.Variants()))]
		return object(r, v.Type(), depth, value.Member{Key: schema.TagField, Value: value.OfString(v.Tag())})
	case schema.Object:
	}
	return object(r, t, depth)
}

func object(r *rand.Rand, t *schema.Type, depth int, members ...value.Member) value.Value {
	for _, f := range t.Fields() {
		if !f.Optional() || r.IntN(2) == 0 {
			members = append(members, value.Member{Key: f.Name(), Value: random(r, f.Type(), depth+1)})
		}
	}
	return value.OfObject(members...)
}

// TestPayloadsAndAnswersRoundTrip: what decodes encodes to the same, for random
// values of every type of every point.
func TestPayloadsAndAnswersRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range catalog.Points() {
		for _, typ := range []*schema.Type{p.Payload(), p.Decision()} {
			for range 50 {
				if typ == nil {
					continue
				}
				v := random(r, typ, 0)
				x, err := typ.Decode("value", schema.NodeOf(v))
				require.NoError(t, err, v)
				out, err := typ.Encode(x)
				require.NoError(t, err)
				require.Equal(t, v.String(), out.String())
			}
		}
	}
}

// TestADamagedValueIsRefusedWithAPath: one member renamed, anywhere.
func TestADamagedValueIsRefusedWithAPath(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range catalog.Points() {
		typ := p.Payload()
		for range 20 {
			v := random(r, typ, 0)
			for key, m := range v.Members() {
				damaged := v.With(key, value.Value{}).With(key+"x", m)
				_, err := typ.Decode("payload", schema.NodeOf(damaged))
				require.ErrorContains(t, err, "payload."+key+"x: no such field in "+typ.Name())
			}
		}
	}
}
