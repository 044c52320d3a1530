package jsonschema_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	require.NoError(t, err)
	return v
}

// TestViolationsAreAllListed, in the order of the schema.
func TestViolationsAreAllListed(t *testing.T) {
	schema := parse(t, `{"type":"object","required":["z","a"],"additionalProperties":false,"properties":{
		"a":{"type":"array","items":{"type":"integer"}},"z":{"type":"null"},"m":{"type":"number","const":2},"n":{"type":"boolean"}}}`)
	s, err := jsonschema.Compile(schema)
	require.NoError(t, err)
	require.Equal(t, []string{
		`missing required property "z"`, `"a[1]" must be an integer`, `"m" must be 2`, `"n" must be a boolean`,
		`"y" is not a declared property (additionalProperties: false)`, `"b" is not a declared property (additionalProperties: false)`,
	}, s.Check(parse(t, `{"y":1,"b":2,"n":0,"m":3,"a":[1,1.5]}`), ""))
	require.Equal(t, []string{`"arguments" must be an object`}, s.Check(parse(t, `[]`), ""))
	require.Equal(t, schema, s.JSON())
}

// TestManyPropertiesAreFound as few are.
func TestManyPropertiesAreFound(t *testing.T) {
	var b strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		b.WriteString(`"` + string(c) + `":{"type":"integer"},`)
	}
	s, err := jsonschema.Compile(parse(t, `{"type":"object","additionalProperties":false,"required":["z"],"properties":{`+strings.TrimSuffix(b.String(), ",")+`}}`))
	require.NoError(t, err)
	require.Nil(t, s.Check(parse(t, `{"z":1,"m":2}`), ""))
	require.Len(t, s.Check(parse(t, `{"z":"","0":1}`), ""), 2)
}

// TestLossyValuesNeverFit, wherever they are.
func TestLossyValuesNeverFit(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{}`, `{"a":[-0]}`, `"v" must be a lossless JSON value`},
		{`{"type":"number"}`, `1e400`, `"v" must be a finite JSON number`},
		{`{"type":"integer"}`, `-0`, `"v" must be a finite JSON number`},
		{`{"type":"array"}`, `[1,-0]`, `"v[1]" must be a lossless JSON value`},
		{`{"type":"object"}`, `{"a":-0}`, `"v.a" must be a lossless JSON value`},
		{`{"oneOf":[{"type":"number"},{"type":"string"}]}`, `-0`, `"v" must match exactly one oneOf branch (matched 0)`},
	} {
		s, err := jsonschema.Compile(parse(t, test.schema))
		require.NoError(t, err)
		require.Equal(t, []string{test.want}, s.Check(parse(t, test.value), "v"))
	}
	require.False(t, jsonschema.Lossless(value.OfString("\xff")))
	require.False(t, jsonschema.Lossless(value.OfFloat(math.Copysign(0, -1))))
	require.False(t, jsonschema.Lossless(value.Value{}))
	require.True(t, jsonschema.Lossless(parse(t, strings.Repeat("[", 5000)+strings.Repeat("]", 5000))))
}

// TestAValidValueIsCheap, however large it is.
func TestAValidValueIsCheap(t *testing.T) {
	s, err := jsonschema.Compile(parse(t, `{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"l":{"type":"array","items":{"type":"integer"}}},"required":["a"]}`))
	require.NoError(t, err)
	v := parse(t, `{"a":"y","l":[1,2,3],"more":{"deep":[true,null]}}`)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { s.Check(v, "") }), 2.0)
}

// FuzzSchemas compiles any schema and judges any value by it.
func FuzzSchemas(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":1}`)
	f.Add(`{"oneOf":[{"type":"string"},{}]}`, `"x"`)
	f.Add(`{"type":"array","items":{"enum":[1]}}`, `[1,"2"]`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		spec, err := value.ParseString(schema)
		if err != nil {
			return
		}
		for _, form := range []func(value.Value) (value.Value, error){jsonschema.Parameters, jsonschema.Value} {
			if made, err := form(spec); err == nil {
				_, err = jsonschema.Compile(made)
				require.NoError(t, err, "a form makes a schema of the subset")
			}
		}
		s, err := jsonschema.Compile(spec)
		v, bad := value.ParseString(text)
		if err != nil || bad != nil {
			return
		}
		if len(s.Check(v, "v")) == 0 {
			require.True(t, jsonschema.Lossless(v), "what fits is lossless")
		}
	})
}

func TestErrorIsCoded(t *testing.T) {
	_, err := jsonschema.Compile(value.OfBool(true))
	coded := (*jsonschema.Error)(nil)
	require.ErrorAs(t, err, &coded)
	message, name, code := coded.Coded()
	require.Equal(t, []string{"unsupported JSON schema: schema must be a schema object", "JsonSchemaError", "UNSUPPORTED_SCHEMA"},
		[]string{message, name, code})
}
