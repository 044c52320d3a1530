package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Parcel holds others by value.
type Parcel struct {
	Order  string  `json:"order"`
	Inside Content `json:"inside"`
	Paid   Payment `json:"paid"`
}

// Content has members that cannot always be encoded.
type Content struct {
	Name   string    `json:"name,omitempty"`
	Weight float64   `json:"weight,omitempty"`
	Notes  []Note    `json:"notes,omitempty"`
	Pay    Payment   `json:"pay,omitempty"`
	Owner  *Person   `json:"owner,omitempty"`
	Size   Size      `json:"size,omitempty"`
	By     Person    `json:"by"`
	Sums   []float64 `json:"sums,omitempty"`
}

var parcel = schema.Of[Parcel](decls)

// What is shown reads as what is encoded, as a whole and by the member.
func TestShowIsEncode(t *testing.T) {
	for _, p := range []Parcel{
		{Paid: IOU{}},
		{Order: "o", Paid: Cash{"2"}, Inside: Content{Name: "n", Size: "small", By: Person{"p"}}},
		{Paid: CreditCard{"1", Cash{"2"}}, Inside: Content{Weight: 1.5}},
		{Paid: IOU{}, Inside: Content{Notes: []Note{{"a", ""}, {"b", "c"}}, Sums: []float64{1, 2}}},
		{Paid: IOU{}, Inside: Content{Pay: CreditCard{Number: "3"}, Owner: &Person{"o"}}},
	} {
		want, err := parcel.Encode(p)
		require.NoError(t, err)
		for _, read := range []func(value.Value) string{
			value.Value.String,
			func(v value.Value) string { return v.Get("order").String() + v.Get("none").String() },
			func(v value.Value) string {
				return v.Get("paid").Get("kind").String() + v.Get("paid").Get("number").String()
			},
			func(v value.Value) string { return v.Get("paid").Get("else").String() },
			func(v value.Value) string {
				return v.Get("inside").Get("weight").String() + v.Get("inside").Get("name").String()
			},
			func(v value.Value) string { return v.Get("inside").Get("notes").At(1).Get("by").String() },
			func(v value.Value) string { return v.Get("inside").Get("pay").Get("number").String() },
			func(v value.Value) string { return v.Get("inside").Get("owner").Get("name").String() },
			func(v value.Value) string { return v.Get("inside").Get("by").Get("name").String() },
		} {
			shown, err := parcel.Show(&p)
			require.NoError(t, err)
			require.Equal(t, read(want), read(shown))
		}
	}
}

// What cannot be encoded is found before anything is read.
func TestShowErrors(t *testing.T) {
	for _, p := range []Parcel{
		{},
		{Paid: &Cash{}},
		{Paid: IOU{}, Inside: Content{Weight: inf()}},
		{Paid: IOU{}, Inside: Content{Pay: &Cash{}}},
		{Paid: IOU{}, Inside: Content{Sums: []float64{1, inf()}}},
		{Paid: CreditCard{Else: &Cash{}}},
	} {
		_, want := parcel.Encode(p)
		require.Error(t, want)
		_, err := parcel.Show(&p)
		require.EqualError(t, err, want.Error())
	}
}
