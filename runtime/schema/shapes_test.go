package schema_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Order has a member of every kind.
type Order struct {
	ID      string      `json:"id"`
	Count   int         `json:"count"`
	Big     int64       `json:"big,omitempty"`
	Ratio   float64     `json:"ratio,omitempty"`
	Urgent  bool        `json:"urgent,omitempty"`
	Size    Size        `json:"size,omitempty"`
	Extra   value.Value `json:"extra,omitempty"`
	Any     value.Value `json:"any"`
	Buyer   *Person     `json:"buyer,omitempty"`
	Seller  Person      `json:"seller"`
	Notes   []Note      `json:"notes,omitempty"`
	Names   []string    `json:"names,omitempty"`
	Pay     Payment     `json:"pay"`
	Then    []Payment   `json:"then,omitempty"`
	Next    *Order      `json:"next,omitempty"`
	Handle  chan int    `json:"-"`
	private map[string]int
}

// Person is an object behind a pointer and not.
type Person struct {
	Name string `json:"name"`
}

// Note has a short form.
type Note struct {
	Text string `json:"text" dsh:"short"`
	By   string `json:"by,omitempty"`
}

// Size has a closed list of texts.
type Size string

// Values lists them.
func (Size) Values() []string { return []string{"small", "large"} }

// Payment is a union.
type Payment interface{ isPayment() }

// Cash has a short form of its own.
type Cash struct {
	Amount string `json:"amount" dsh:"short"`
}

// CreditCard has a tag of two words, and holds its own union.
type CreditCard struct {
	Number string  `json:"number"`
	Else   Payment `json:"else,omitempty"`
}

// IOU is empty.
type IOU struct{}

func (Cash) isPayment()       {}
func (CreditCard) isPayment() {}
func (IOU) isPayment()        {}

var docs = map[string]string{
	"schema_test.Order": "Order is\nan order.", "schema_test.Order.ID": "ID is the number.",
	"schema_test.Payment": "Payment is a payment.", "schema_test.Size": "Size is a size.",
	"schema_test.Note": "A Note is a note.",
}

var decls = &schema.Decls{
	Doc: func(key string) string { return docs[key] },
	Variants: func(name string) []any {
		if name == "schema_test.Payment" {
			return []any{Cash{}, CreditCard{}, IOU{}}
		}
		return nil
	},
}

var order = schema.Of[Order](decls)

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	require.NoError(t, err)
	return v
}

func decode(t *testing.T, typ *schema.Type, text string) (any, error) {
	t.Helper()
	return typ.Decode("order", schema.NodeOf(parse(t, text)))
}

func TestDescriptor(t *testing.T) {
	require.Equal(t, schema.Object, order.Kind())
	require.Equal(t, "schema_test.Order", order.Name())
	require.Equal(t, "Order is\nan order.", order.Doc())
	id, ok := order.Field("id")
	require.True(t, ok)
	require.Equal(t, "id is the number.", id.Doc(), "the wire name stands for the Go name")
	require.False(t, id.Optional())
	_, ok = order.Field("handle")
	require.False(t, ok, "what is not on the wire has no descriptor")
	next, _ := order.Field("next")
	require.True(t, next.Optional())
	require.Equal(t, "schema_test.Order", next.Type().Name())
	pay, _ := order.Field("pay")
	card, ok := pay.Type().Variant("credit-card")
	require.True(t, ok)
	require.Equal(t, "schema_test.CreditCard", card.Type().Name())
	require.Equal(t, []string{"cash", "credit-card", "iou"}, schema.Tags[Payment](decls))
	size, _ := order.Field("size")
	require.Equal(t, []string{"small", "large"}, size.Type().Values())
	notes, _ := order.Field("notes")
	short, ok := notes.Type().Elem().Short()
	require.True(t, ok)
	require.Equal(t, "text", short.Name())
	for name, takes := range map[string]bool{
		"id": true, "notes": true, "pay": true, "then": true,
		"size": false, "count": false, "names": false, "seller": false, "any": false,
	} {
		f, _ := order.Field(name)
		require.Equal(t, takes, f.Type().TakesText(), name)
	}
}

func TestUndocumented(t *testing.T) {
	missing := order.Undocumented()
	require.Contains(t, missing, "schema_test.Order.Count")
	require.Contains(t, missing, "schema_test.Cash")
	require.Contains(t, missing, "schema_test.Cash.Amount")
	require.NotContains(t, missing, "schema_test.Order")
	require.NotContains(t, missing, "schema_test.Order.ID")
}

func TestMistakesInDeclarations(t *testing.T) {
	type untagged struct{ Name string }
	type kinded struct {
		Kind string `json:"kind"`
	}
	type table struct {
		M map[string]int `json:"m"`
	}
	type open struct {
		E error `json:"e"`
	}
	for want, visit := range map[string]func(){
		"schema: schema_test.untagged.Name needs a json tag":                  all[untagged],
		`schema: schema_test.kinded.Kind: the name "kind" is that of the tag`: all[kinded],
		"schema: map[string]int has no JSON form":                             all[table],
		"schema: error is not a sealed interface with variants":               all[open],
	} {
		require.PanicsWithValue(t, want, visit)
	}
}

// all looks at all that T is made of.
func all[T any]() { schema.Of[T](decls).Visit(func(*schema.Type) {}) }

// Whoever looks at a mistake again meets it again.
func TestMistakeLasts(t *testing.T) {
	type untagged struct{ Name string }
	typ := schema.Of[untagged](decls)
	for range 2 {
		require.PanicsWithValue(t, "schema: schema_test.untagged.Name needs a json tag", func() { typ.Fields() })
	}
}

// A part that has no JSON form is met by every object that it is in, whichever is
// looked at first.
func TestMistakeInSharedPart(t *testing.T) {
	type first struct {
		C chan int `json:"c,omitempty"`
	}
	type second struct {
		C chan int `json:"c,omitempty"`
	}
	type third struct {
		C []chan int `json:"c,omitempty"`
	}
	type fourth struct {
		E []error `json:"e,omitempty"`
	}
	type top struct {
		A *first  `json:"a,omitempty"`
		B *second `json:"b,omitempty"`
		C *third  `json:"c,omitempty"`
		D *fourth `json:"d,omitempty"`
	}
	typ := schema.Of[top](decls)
	for range 2 {
		for _, payload := range []top{{A: &first{}}, {B: &second{}}, {C: &third{}}, {D: &fourth{}}} {
			require.Panics(t, func() { _, _ = typ.Encode(payload) })
			require.Panics(t, func() { _, _ = typ.Show(&payload) })
		}
	}
}

// A type that is reached by a pointer may be opened while another goroutine asks
// whether it is plain.
func TestShowWhileOpening(t *testing.T) {
	type part struct {
		Name string `json:"name"`
	}
	type top struct {
		Part *part `json:"part,omitempty"`
		Self []top `json:"self,omitempty"`
	}
	for range 50 {
		typ := schema.Of[top](decls)
		field, _ := typ.Field("part")
		var all sync.WaitGroup
		shown := make(chan string, 4)
		for range 4 {
			all.Go(func() { field.Type().Fields() })
			all.Go(func() {
				v, err := typ.Show(&top{Part: &part{"x"}})
				shown <- fmt.Sprintf("{%q: %s, %q: %t}", "top", v.AppendJSON(nil), "fault", err != nil)
			})
		}
		all.Wait()
		close(shown)
		for got := range shown {
			require.JSONEq(t, `{"top": {"part":{"name":"x"}}, "fault": false}`, got)
		}
	}
}

// TestWhatIsWithinItselfHasNoWireForm, and its error no path, which has no end.
func TestWhatIsWithinItselfHasNoWireForm(t *testing.T) {
	o := Order{Pay: IOU{}}
	o.Next = &o
	_, err := order.Encode(o)
	require.EqualError(t, err, "nested deeper than 10000, or a cycle")
	_, err = order.Show(&o)
	require.ErrorContains(t, err, "nested deeper than 10000, or a cycle")
}
