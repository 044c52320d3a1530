package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// least is an order with nothing but what must be there; more is put behind.
func least(more string) string {
	return `{"id":"o","count":1,"any":null,"seller":{"name":"s"},"pay":{"kind":"iou"}` + more + `}`
}

func TestDecode(t *testing.T) {
	base := Order{ID: "o", Count: 1, Any: value.NullValue(), Seller: Person{"s"}, Pay: IOU{}}
	with := func(change func(*Order)) Order {
		o := base
		change(&o)
		return o
	}
	for _, test := range []struct {
		name, more string
		want       Order
	}{
		{"only what must be there", ``, base},
		{"null is absent where a member is optional", `,"urgent":null,"names":null,"buyer":null,"size":null,"next":null`, base},
		{"null is a value of a JSON member", `,"extra":null`, with(func(o *Order) { o.Extra = value.NullValue() })},
		{"scalars", `,"big":9007199254740993,"ratio":0.5,"urgent":true,"size":"large"`, with(func(o *Order) {
			o.Big, o.Ratio, o.Urgent, o.Size = 9007199254740993, 0.5, true, "large"
		})},
		{"a whole number may be written with a point", `,"big":2.0`, with(func(o *Order) { o.Big = 2 })},
		{"pointer to an object", `,"buyer":{"name":"b"}`, with(func(o *Order) { o.Buyer = &Person{"b"} })},
		{"an empty list is not an absent one", `,"names":[]`, with(func(o *Order) { o.Names = []string{} })},
		{"short form in a list", `,"notes":["a",{"text":"b","by":"c"}]`, with(func(o *Order) { o.Notes = []Note{{Text: "a"}, {"b", "c"}} })},
		{"short form in place of a list", `,"notes":"a"`, with(func(o *Order) { o.Notes = []Note{{Text: "a"}} })},
		{"a union in a union", `,"then":[{"kind":"credit-card","number":"1","else":{"kind":"cash","amount":"2"}}]`, with(func(o *Order) {
			o.Then = []Payment{CreditCard{"1", Cash{"2"}}}
		})},
		{"short form of a variant", `,"then":["2",{"kind":"iou"}]`, with(func(o *Order) { o.Then = []Payment{Cash{"2"}, IOU{}} })},
		{"short form of a variant in place of a list", `,"then":"2"`, with(func(o *Order) { o.Then = []Payment{Cash{"2"}} })},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := decode(t, order, least(test.more))
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"not an object", `[]`, `order: want an object (schema_test.Order), got []`},
		{"missing", `{}`, `order.id: missing, want a string`},
		{"null where a member is required", `{"id":null}`, `order.id: missing, want a string`},
		{"missing JSON", `{"id":"o","count":1}`, `order.any: missing, want any JSON value`},
		{"unknown member", least(`,"colour":1`), `order.colour: no such field in schema_test.Order`},
		{"misspelt member", least(`,"urgnet":true`), `order.urgnet: no such field in schema_test.Order; did you mean "urgent"?`},
		{"wrong kinds", least(`,"urgent":"yes"`), `order.urgent: want a boolean, got "yes"`},
		{"no coercion of numbers", `{"id":1}`, `order.id: want a string, got 1`},
		{"no coercion of texts", least(`,"big":"1"`), `order.big: want a whole number, got "1"`},
		{"not whole", least(`,"big":1.5`), `order.big: want a whole number, got 1.5`},
		{"too large", least(`,"big":9223372036854775808`), `order.big: want a whole number, got 9223372036854775808`},
		{"beyond a float", least(`,"ratio":1e400`), `order.ratio: want a number, got 1e400`},
		{"not in the list of texts", least(`,"size":"larg"`), `order.size: "larg" is none of "small", "large"; did you mean "large"?`},
		{"an item", least(`,"names":["a",1]`), `order.names[2]: want a string, got 1`},
		{"not a list", least(`,"names":{}`), `order.names: want a list of string, got {}`},
		{"a text for a list of plain texts", least(`,"names":"a"`), `order.names: want a list of string, got "a"`},
		{"a null item", least(`,"names":[null]`), `order.names[1]: want a string, got null`},
		{"within an item", least(`,"notes":[{"text":"a"},{"txt":"b"}]`), `order.notes[2].txt: no such field in schema_test.Note; did you mean "text"?`},
		{"within a pointer", least(`,"buyer":{"name":1}`), `order.buyer.name: want a string, got 1`},
		{"not a union", least(`,"then":[true]`), `order.then[1]: want a table with kind = "cash", "credit-card", "iou", got true`},
		{"no tag", least(`,"then":[{"number":"1"}]`), `order.then[1].kind: missing, want one of "cash", "credit-card", "iou"`},
		{"unknown tag", least(`,"then":[{"kind":"creditcard"}]`), `order.then[1].kind: "creditcard" is none of "cash", "credit-card", "iou"; did you mean "credit-card"?`},
		{"a tag that is no text", least(`,"then":[{"kind":1}]`), `order.then[1].kind: want one of "cash", "credit-card", "iou", got 1`},
		{"a member of another variant", least(`,"then":[{"kind":"iou","number":"1"}]`), `order.then[1].number: no such field in schema_test.IOU`},
		{"a tag where there is no union", least(`,"buyer":{"kind":"person","name":"b"}`), `order.buyer.kind: no such field in schema_test.Person`},
		{"within a union in a union", least(`,"then":[{"kind":"credit-card","number":"1","else":{"kind":"cash"}}]`), `order.then[1].else.amount: missing, want a string`},
		{"long texts are cut between characters", `{"id":[1,` + strings.Repeat(`"é",`, 40) + `1]}`, `order.id: want a string, got [1,` + strings.Repeat(`"é",`, 11) + `"… (205 bytes)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := decode(t, order, test.in)
			var at *schema.Error
			require.ErrorAs(t, err, &at)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestEncode(t *testing.T) {
	full := Order{
		ID: "o", Count: 1, Big: 1 << 60, Ratio: 0.5, Urgent: true, Size: "small", Extra: parse(t, `{"z":1,"a":2}`),
		Any: value.OfInt(1), Buyer: &Person{"b"}, Seller: Person{"s"}, Notes: []Note{{"n", "x"}}, Names: []string{"a"},
		Pay: CreditCard{"1", Cash{"2"}}, Then: []Payment{IOU{}}, Next: &Order{Any: value.OfBool(false), Pay: IOU{}}, private: nil,
	}
	v, err := order.Encode(full)
	require.NoError(t, err)
	want := `{"id":"o","count":1,"big":1152921504606846976,"ratio":0.5,"urgent":true,"size":"small","extra":{"z":1,"a":2},` +
		`"any":1,"buyer":{"name":"b"},"seller":{"name":"s"},"notes":[{"text":"n","by":"x"}],"names":["a"],` +
		`"pay":{"kind":"credit-card","number":"1","else":{"kind":"cash","amount":"2"}},"then":[{"kind":"iou"}],` +
		`"next":{"id":"","count":0,"any":false,"seller":{"name":""},"pay":{"kind":"iou"}}}`
	require.Equal(t, want, v.String(), "the order of members counts")
	shown, err := order.Show(&full)
	require.NoError(t, err)
	require.Equal(t, want, shown.String())
	back, err := order.Decode("order", schema.NodeOf(v))
	require.NoError(t, err)
	require.Equal(t, full, back)
}

// TestEncodeFillsRequiredMembers: whoever reads a payload finds every member
// that the descriptor promises.
func TestEncodeFillsRequiredMembers(t *testing.T) {
	v, err := order.Encode(Order{Pay: IOU{}})
	require.NoError(t, err)
	want := `{"id":"","count":0,"any":null,"seller":{"name":""},"pay":{"kind":"iou"}}`
	require.Equal(t, want, v.String())
}

func TestEncodeErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		in   Order
		want string
	}{
		{"nil is not a variant", Order{}, `schema_test.Order.pay: schema_test.Payment: nil is not a variant; want one of "cash", "credit-card", "iou"`},
		{"a pointer is not a variant", Order{Pay: &Cash{}}, `schema_test.Order.pay: schema_test.Payment: *schema_test.Cash is not a variant; want one of "cash", "credit-card", "iou"`},
		{"not a JSON number", Order{Pay: IOU{}, Ratio: inf()}, `schema_test.Order.ratio: float64: +Inf is not a JSON number`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := order.Encode(test.in)
			require.EqualError(t, err, test.want)
			_, err = order.Show(&test.in)
			require.EqualError(t, err, test.want)
		})
	}
}

func inf() float64 {
	zero := 0.0
	return 1 / zero
}

// foreign is not listed as a variant although it has the marker: another package
// could get it by embedding.
type foreign struct{ Cash }

func TestCheck(t *testing.T) {
	pay, _ := order.Field("pay")
	require.NoError(t, pay.Type().Check(Cash{}))
	for _, x := range []any{nil, &Cash{}, foreign{}, "cash", Payment(nil)} {
		require.Error(t, pay.Type().Check(x), "%T", x)
	}
}

func TestNodeOfAbsent(t *testing.T) {
	require.Nil(t, schema.NodeOf(value.Value{}))
}

// FuzzDecode: whatever the bytes, decoding does not panic, its errors name a
// place, and what decodes also encodes, to what decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		least(``), least(`,"then":["a",{"kind":"credit-card","number":"1"}],"notes":"x","next":` + least(``)),
		`{"id":"o","kind":"iou"}`, `[]`, `"x"`, least(`,"extra":{"a":[1e400]}`), least(`,"id":"\ud800"`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := value.Parse(in)
		if err != nil {
			return
		}
		got, err := order.Decode("order", schema.NodeOf(v))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "order"), err)
			return
		}
		out, err := order.Encode(got)
		require.NoError(t, err)
		again, err := order.Decode("order", schema.NodeOf(out))
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
