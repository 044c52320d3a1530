package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

func indented(t *testing.T, v value.Value) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, v.AppendJSON(nil), "", " "))
	return b.String()
}

func TestJSONSchema(t *testing.T) {
	s := schema.JSONSchema(order)
	require.Equal(t, schema.Draft, s.Get("$schema").String())
	require.Equal(t, "#/$defs/schema_test.Order", s.Get("$ref").String())
	var names []string
	for name := range s.Get("$defs").Members() {
		names = append(names, name)
	}
	require.Equal(t, []string{
		"schema_test.Size", "schema_test.Person", "schema_test.Note", "schema_test.Payment", "schema_test.Order",
	}, names, "each named type stands once, and variants stand in their union")
	def := s.Get("$defs").Get("schema_test.Order")
	require.Equal(t, "An order.", def.Get("description").String())
	require.Equal(t, `["id","count","any","seller","pay"]`, def.Get("required").String())
	require.Equal(t, "false", def.Get("additionalProperties").String())
	for name, want := range map[string]string{
		"id":     `{"description":"The number.","type":"string"}`,
		"count":  `{"description":"","type":"integer"}`,
		"ratio":  `{"description":"","type":"number"}`,
		"urgent": `{"description":"","type":"boolean"}`,
		"any":    `{"description":""}`,
		"size":   `{"description":"","$ref":"#/$defs/schema_test.Size"}`,
		"buyer":  `{"description":"","$ref":"#/$defs/schema_test.Person"}`,
		"names":  `{"description":"","type":"array","items":{"type":"string"}}`,
		"notes":  `{"description":"","anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/schema_test.Note"}}]}`,
		"next":   `{"description":"","$ref":"#/$defs/schema_test.Order"}`,
	} {
		require.Equal(t, want, def.Get("properties").Get(name).String(), name)
	}
	require.Equal(t, indented(t, parse(t, `{"description":"A size.","enum":["small","large"]}`)), indented(t, s.Get("$defs").Get("schema_test.Size")))
	require.Equal(t, indented(t, parse(t, `{"anyOf":[{"type":"string"},{
		"title":"schema_test.Note","description":"A note.","type":"object",
		"properties":{"text":{"description":"","type":"string"},"by":{"description":"","type":"string"}},
		"required":["text"],"additionalProperties":false}]}`)), indented(t, s.Get("$defs").Get("schema_test.Note")))
	require.Equal(t, indented(t, parse(t, `{"description":"A payment.","oneOf":[
		{"title":"schema_test.Cash","description":"","type":"object",
		 "properties":{"kind":{"const":"cash"},"amount":{"description":"","type":"string"}},
		 "required":["kind","amount"],"additionalProperties":false},
		{"title":"schema_test.CreditCard","description":"","type":"object",
		 "properties":{"kind":{"const":"credit-card"},"number":{"description":"","type":"string"},
		  "else":{"description":"","$ref":"#/$defs/schema_test.Payment"}},
		 "required":["kind","number"],"additionalProperties":false},
		{"title":"schema_test.IOU","description":"","type":"object",
		 "properties":{"kind":{"const":"iou"}},"required":["kind"],"additionalProperties":false},
		{"type":"string"}]}`)), indented(t, s.Get("$defs").Get("schema_test.Payment")))
}

// TestJSONSchemaIsDeterministic: a fresh descriptor gives the same bytes.
func TestJSONSchemaIsDeterministic(t *testing.T) {
	require.Equal(t, schema.JSONSchema(order).String(), schema.JSONSchema(schema.Of[Order](decls)).String())
}

func TestLuaDefinitions(t *testing.T) {
	got := map[string]string{}
	order.Visit(func(x *schema.Type) {
		switch x.Name() {
		case "":
		case "schema_test.CreditCard":
			got[x.Name()] = x.LuaDefinition("credit-card")
		case "schema_test.Order":
			got[x.Name()] = x.LuaDefinition("", "live dsh.Live Acts.")
		default:
			got[x.Name()] = x.LuaDefinition("")
		}
	})
	require.Equal(t, "---A payment.\n---@alias dsh.schema_test.Payment dsh.schema_test.Cash|dsh.schema_test.CreditCard|dsh.schema_test.IOU\n", got["schema_test.Payment"])
	require.Equal(t, "---A size.\n---@alias dsh.schema_test.Size \"small\"|\"large\"\n", got["schema_test.Size"])
	require.Equal(t, "---@class (exact) dsh.schema_test.CreditCard\n---@field kind \"credit-card\"\n---@field number string\n"+
		"---@field else? string|dsh.schema_test.Payment\n", got["schema_test.CreditCard"])
	require.Equal(t, "---An order.\n---@class (exact) dsh.schema_test.Order\n"+
		"---@field id string The number.\n---@field count integer\n---@field big? integer\n---@field ratio? number\n"+
		"---@field urgent? boolean\n---@field size? dsh.schema_test.Size\n---@field extra? any\n---@field any any\n"+
		"---@field buyer? dsh.schema_test.Person\n---@field seller dsh.schema_test.Person\n"+
		"---@field notes? string|(string|dsh.schema_test.Note)[]\n---@field names? string[]\n"+
		"---@field pay string|dsh.schema_test.Payment\n---@field then? string|(string|dsh.schema_test.Payment)[]\n"+
		"---@field next? dsh.schema_test.Order\n---@field live dsh.Live Acts.\n", got["schema_test.Order"])
}

func TestSentence(t *testing.T) {
	for doc, want := range map[string]string{
		"Reason is the cause.":                 "The cause.",
		"Contexts are texts.":                  "Texts.",
		"Deny turns it into a failure.":        "Turns it into a failure.",
		"A Note is a note.":                    "A note.",
		"An Ask asks\nover two lines. Deny is": "Asks\nover two lines. Deny is",
		"Éclair est bon.":                      "Est bon.",
		"X élève.":                             "Élève.",
		"Alone":                                "",
		"":                                     "",
	} {
		require.Equal(t, want, schema.Sentence(doc), doc)
	}
	require.Empty(t, schema.LuaComment(""))
	require.Equal(t, "---a\n---b\n", schema.LuaComment("a\nb"))
}
