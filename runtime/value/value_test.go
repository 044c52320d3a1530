package value_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

func TestAbsentIsNotNull(t *testing.T) {
	var absent value.Value
	require.True(t, absent.IsAbsent())
	require.False(t, value.NullValue().IsAbsent())
	require.False(t, absent.Equal(value.NullValue()))
	object := parse(t, `{"null":null}`)
	require.True(t, object.Get("missing").IsAbsent())
	require.Equal(t, value.Null, object.Get("null").Kind())
	require.Equal(t, "null", text(absent), "an absent value has no JSON form of its own")
	require.Equal(t, `[null]`, text(value.OfList(absent)))
	require.Equal(t, `{}`, text(value.OfObject(value.Member{Key: "a"})))
}

func TestNumbers(t *testing.T) {
	type number struct {
		float   float64
		isFloat bool
		integer int64
		isInt   bool
		big     string
	}
	for in, want := range map[string]number{
		"0":                    {0, true, 0, true, ""},
		"-0":                   {math.Copysign(0, -1), true, 0, true, ""},
		"1.0":                  {1, true, 1, true, ""},
		"1e3":                  {1000, true, 1000, true, ""},
		"1.5":                  {1.5, true, 0, false, ""},
		"9007199254740991":     {1<<53 - 1, true, 1<<53 - 1, true, ""},
		"9007199254740992":     {0, false, 1 << 53, true, "9007199254740992"},
		"-9007199254740993":    {0, false, -(1<<53 + 1), true, "-9007199254740993"},
		"9223372036854775807":  {0, false, math.MaxInt64, true, "9223372036854775807"},
		"9223372036854775808":  {0, false, 0, false, "9223372036854775808"},
		"-9223372036854775808": {0, false, math.MinInt64, true, "-9223372036854775808"},
		"1e400":                {0, false, 0, false, "1e400"},
		"-1e400":               {0, false, 0, false, "-1e400"},
		"1e-400":               {0, true, 0, true, ""},
		"0.1":                  {0.1, true, 0, false, ""},
	} {
		v := parse(t, in)
		var got number
		got.float, got.isFloat = v.Float()
		got.integer, got.isInt = v.Int()
		got.big = v.BigText()
		require.Equal(t, want, got, in)
		require.Equal(t, math.Signbit(want.float), math.Signbit(got.float), in)
	}
}

func TestOfIntIsExact(t *testing.T) {
	for _, i := range []int64{0, 1, -1, 1<<53 - 1, 1 << 53, 1<<53 + 1, -(1<<53 + 1), math.MaxInt64, math.MinInt64} {
		v := value.OfInt(i)
		got, ok := v.Int()
		require.True(t, ok)
		require.Equal(t, i, got)
		require.Equal(t, strconv.FormatInt(i, 10), text(v))
		require.True(t, v.Equal(parse(t, text(v))))
	}
}

// TestOfFloatReadsAsEncodingJSON compares the shortest notation with that of the
// standard library, which is that of ECMAScript.
func TestOfFloatReadsAsEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, 1, -1.5, 0.1, 1e-6, 1e-7, 123456.789, 1e20, 1e21, 1e300, 5e-324, math.MaxFloat64, 1 << 60, -1 << 53} {
		want, err := json.Marshal(f)
		require.NoError(t, err)
		require.Equal(t, string(want), text(value.OfFloat(f)))
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.True(t, value.OfFloat(f).IsAbsent())
	}
}

func TestAccessorsOfTheWrongKind(t *testing.T) {
	all := parse(t, `[null,true,1,"text",[1],{"a":1}]`)
	for _, v := range all.Items() {
		_, isText := v.Str()
		_, isBool := v.Bool()
		_, isFloat := v.Float()
		_, isInt := v.Int()
		require.Equal(t, v.Kind() == value.String, isText)
		require.Equal(t, v.Kind() == value.Bool, isBool)
		require.Equal(t, v.Kind() == value.Number, isFloat)
		require.Equal(t, v.Kind() == value.Number, isInt)
		require.Equal(t, v.Kind() != value.Object, v.Get("a").IsAbsent())
		require.Equal(t, v.Kind() != value.List, v.At(0).IsAbsent())
		require.True(t, v.At(-1).IsAbsent())
		require.True(t, v.At(1).IsAbsent())
	}
	require.Equal(t, "text", all.At(3).String())
	require.Equal(t, `{"a":1}`, all.At(5).String())
	require.Empty(t, value.Value{}.String())
}

func TestIterationStops(t *testing.T) {
	seen := 0
	for range parse(t, `[1,2,3]`).Items() {
		if seen++; seen == 2 {
			break
		}
	}
	for range parse(t, `{"a":1,"b":2}`).Members() {
		seen++
		break
	}
	require.Equal(t, 3, seen)
	for range value.OfString("x").Items() {
		t.Fatal("a string has no items")
	}
	for range value.OfString("x").Members() {
		t.Fatal("a string has no members")
	}
}

func TestWith(t *testing.T) {
	v := parse(t, `{"a":1,"b":2}`)
	for _, test := range []struct {
		key  string
		to   value.Value
		want string
	}{
		{"a", value.OfInt(9), `{"a":9,"b":2}`},
		{"c", value.OfInt(9), `{"a":1,"b":2,"c":9}`},
		{"a", value.NullValue(), `{"a":null,"b":2}`},
		{"a", value.Value{}, `{"b":2}`},
		{"c", value.Value{}, `{"a":1,"b":2}`},
	} {
		require.Equal(t, test.want, text(v.With(test.key, test.to)))
	}
	require.Equal(t, `{"a":1,"b":2}`, text(v), "the original does not change")
	require.Equal(t, `{"a":1}`, text(value.OfString("no object").With("a", value.OfInt(1))))
}

func TestConstructorsCopyIn(t *testing.T) {
	items := []value.Value{value.OfInt(1)}
	members := []value.Member{{Key: "a", Value: value.OfInt(1)}}
	list, object := value.OfList(items...), value.OfObject(members...)
	items[0], members[0].Key = value.OfInt(2), "b"
	require.Equal(t, `[1]`, text(list))
	require.Equal(t, `{"a":1}`, text(object))
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1,{}]}`, `{"b":[1.0,{}],"a":1e0}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`"1"`, `1`, false},
		{`true`, `false`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e400`, `1e401`, false},
		{`-0`, `0`, true},
	} {
		require.Equal(t, test.want, parse(t, test.a).Equal(parse(t, test.b)), "%s %s", test.a, test.b)
		require.Equal(t, test.want, parse(t, test.b).Equal(parse(t, test.a)), "%s %s", test.b, test.a)
	}
}

func TestFrom(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, test := range []struct {
		name string
		in   any
		want string
		err  string
	}{
		{name: "all kinds", in: map[string]any{"b": []any{nil, true, 1, int64(2), 1.5, "x"}, "a": value.OfInt(1)}, want: `{"a":1,"b":[null,true,1,2,1.5,"x"]}`},
		{name: "not a number", in: []any{1, math.NaN()}, err: "value[1]: NaN is not a JSON number"},
		{name: "no JSON form", in: map[string]any{"f": map[string]any{"g": func() {}}}, err: "value.f.g: func() has no JSON form"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := value.From(test.in)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, text(v))
		})
	}
	_, err := value.From(cycle)
	require.EqualError(t, err, "value: nested deeper than 10000, or a cycle")
	require.Panics(t, func() { value.MustFrom(func() {}) })
}

func TestEncodingJSON(t *testing.T) {
	var holder struct {
		V value.Value `json:"v"`
	}
	const in = `{"v":{"z":9007199254740993,"a":1.0}}`
	require.NoError(t, json.Unmarshal([]byte(in), &holder))
	out, err := json.Marshal(holder)
	require.NoError(t, err)
	require.True(t, bytes.Equal([]byte(in), out), "%s", out)
	require.Error(t, holder.V.UnmarshalJSON([]byte(`{`)))
	require.Equal(t, `{"z":9007199254740993,"a":1.0}`, text(holder.V), "a failed read changes nothing")
}

func TestSharedBetweenGoroutines(t *testing.T) {
	v := parse(t, `{"a":{"b":[1,2,3]},"k1":1,"k2":1,"k3":1,"k4":1,"k5":1,"k6":1,"k7":1,"k8":1,"k9":1,"k10":1,"k11":1}`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_ = v.Get("a").Get("b").At(1)
			_ = v.With("k11", value.OfInt(2))
			_ = v.AppendJSON(nil)
		})
	}
	wg.Wait()
}

// OwnObject takes the slice over, and is otherwise OfObject.
func TestOwnObject(t *testing.T) {
	members := func() []value.Member {
		list := []value.Member{{Key: "gone"}, {Key: "a", Value: value.OfInt(1)}, {Key: "none"}}
		for i := range 20 {
			list = append(list, value.Member{Key: string(rune('b' + i%10)), Value: value.OfInt(int64(i))})
		}
		return append(list, value.Member{Key: "a", Value: value.OfInt(2)})
	}
	require.Equal(t, value.OfObject(members()...).String(), value.OwnObject(raw.Access{}, members()).String())
	require.Equal(t, `{"a":2,"b":10,"c":11,"d":12,"e":13,"f":14,"g":15,"h":16,"i":17,"j":18,"k":19}`, value.OwnObject(raw.Access{}, members()).String())
	kept := members()
	value.OfObject(kept...)
	require.Equal(t, members(), kept)
}

// The notation of a number does not count, however large it is; its digits do.
func TestEqualOfLargeNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1e16", "10000000000000000", true},
		{"9007199254740992", "9007199254740992.0", true},
		{"9007199254740992", "9007199254740993", false},
		{"-1E+20", "-100000000000000000000", true},
		{"1e20", "-1e20", false},
		{"12300e400", "1.23E404", true},
		{"1e400", "1e401", false},
		{"1e400", "10e99999999999999999999", false},
		{"1e99999999999999999999", "1e99999999999999999999", true},
		{"0.00012e30", "120000000000000000000000000", true},
	} {
		require.Equal(t, c.same, parse(t, c.a).Equal(parse(t, c.b)), "%s and %s", c.a, c.b)
		require.Equal(t, c.same, parse(t, c.b).Equal(parse(t, c.a)), "%s and %s", c.b, c.a)
	}
}

// TestOnlyThisModuleTakesStorageOver: what could change under a Value, or say two
// things at once, cannot be made of it elsewhere. The types are all there is to it.
func TestOnlyThisModuleTakesStorageOver(t *testing.T) {
	access := reflect.TypeFor[raw.Access]()
	for _, f := range []any{value.OwnObject, value.OfRecord, value.OfLazy} {
		require.Equal(t, access, reflect.TypeOf(f).In(0))
	}
}
