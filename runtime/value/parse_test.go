package value_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/value"
)

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	require.NoError(t, err, "%.80q", text)
	return v
}

func text(v value.Value) string { return string(v.AppendJSON(nil)) }

// TestParseKeepsTheText holds what goes in and what must come out; one text
// means that it comes out as it went in.
func TestParseKeepsTheText(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"order of members", `{"z":1,"a":2,"m":{"y":1,"b":2}}`, ""},
		{"order of many members", `{"m":1,"l":1,"k":1,"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}`, ""},
		{"empty", `{"a":{},"b":[],"c":""}`, ""},
		{"null members", `{"a":null,"b":[null]}`, ""},
		{"integer at the limit of a float", `[9007199254740991,9007199254740992,9007199254740993]`, ""},
		{"long integer", `[123456789012345678901234567890,-123456789012345678901234567890]`, ""},
		{"negative zero", `[-0,0,-0.0]`, ""},
		{"trailing zeros", `[1.0,1.50,0.10]`, ""},
		{"exponents", `[1e5,1E5,1e+5,1e-7,0.0000001,1e21,1e400,-1e400,1e-400]`, ""},
		{"white space", " { \"a\" :\t[ 1 ,\r\n2 ] } \n", `{"a":[1,2]}`},
		{"duplicate keys: the last wins, at the first place", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"duplicate keys by escape", `{"a":1,"\u0061":2}`, `{"a":2}`},
		{"escapes that need not be", `"\u0041\/\u00e9"`, `"A/é"`},
		{"escapes that must be", `"\"\\\b\f\n\r\t\u0000\u001f"`, ""},
		{"no escaping beyond JSON", `"<>&` + "\u2028\u007f" + `"`, ""},
		{"surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"lone surrogates", `"\ud83d x \ude00 \ud83d\ud83d"`, "\"\uFFFD x \uFFFD \uFFFD\uFFFD\""},
		{"a lone surrogate before an escape", `"\ud83d\n"`, "\"\uFFFD\\n\""},
		{"bytes that are not UTF-8, one by one", "\"a\xff\xfeb\xe2\x82\"", "\"a\uFFFD\uFFFDb\uFFFD\uFFFD\""},
		{"bytes that are not UTF-8 beside an escape", "\"\\n\xff\xff\"", "\"\\n\uFFFD\uFFFD\""},
		{"bytes that are not UTF-8 in a key", "{\"\xff\":1}", "{\"\uFFFD\":1}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.in
			}
			require.Equal(t, want, text(parse(t, test.in)))
		})
	}
}

func TestSyntaxErrorsNameThePlace(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{``, "line 1, column 1: want a value, got end of text"},
		{`  `, "line 1, column 3: want a value, got end of text"},
		{`nul`, "line 1, column 1: want a value, got 'n'"},
		{`nullx`, "line 1, column 5: unexpected 'x' after the value"},
		{`[1,]`, "line 1, column 4: want a value, got ']'"},
		{`[1 2]`, "line 1, column 4: want ',' or ']', got '2'"},
		{"{\n \"a\" 1}", "line 2, column 6: want ':' after key \"a\", got '1'"},
		{`{"a":1,}`, "line 1, column 8: want a quoted key, got '}'"},
		{`{a:1}`, "line 1, column 2: want a quoted key, got 'a'"},
		{`{"a":1`, "line 1, column 7: want ',' or '}', got end of text"},
		{`"abc`, "line 1, column 5: string without an end"},
		{`"abc\`, "line 1, column 6: string without an end"},
		{`"\x"`, "line 1, column 2: no such escape in a string"},
		{`"\u00g0"`, "line 1, column 2: no such escape in a string"},
		{"\"\\u00\x100\"", "line 1, column 2: no such escape in a string"},
		{"\"a\nb\"", `line 1, column 3: control character '\n' in a string`},
		{"\"\\n\x01\"", `line 1, column 4: control character '\x01' in a string`},
		{`01`, "line 1, column 2: unexpected '1' after the value"},
		{`-`, "line 1, column 2: want a digit, got end of text"},
		{`+1`, "line 1, column 1: want a value, got '+'"},
		{`1.`, "line 1, column 3: want a digit after '.', got end of text"},
		{`1e+`, "line 1, column 4: want a digit in the exponent, got end of text"},
		{`.5`, "line 1, column 1: want a value, got '.'"},
		{`NaN`, "line 1, column 1: want a value, got 'N'"},
		{"\ufeff{}", "line 1, column 1: want a value, got '\\ufeff'"},
		{`[1]é`, "line 1, column 4: unexpected 'é' after the value"},
	} {
		_, err := value.ParseString(test.in)
		require.EqualError(t, err, test.want, "%q", test.in)
		var syntax *value.SyntaxError
		require.ErrorAs(t, err, &syntax)
		require.LessOrEqual(t, syntax.Offset, len(test.in))
	}
}

func TestParseDepth(t *testing.T) {
	for _, test := range []struct {
		name, open, close string
		depth             int
		ok                bool
	}{
		{"lists", "[", "]", 5_000, true},
		{"objects", `{"a":`, "}", 5_000, true},
		{"lists at the limit", "[", "]", value.MaxDepth, true},
		{"lists beyond the limit", "[", "]", value.MaxDepth + 1, false},
		{"objects beyond the limit", `{"a":`, "}", value.MaxDepth + 1, false},
		{"far beyond the limit", "[", "]", 1_000_000, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := strings.Repeat(test.open, test.depth) + "1" + strings.Repeat(test.close, test.depth)
			v, err := value.ParseString(in)
			if test.ok {
				require.NoError(t, err)
				require.Empty(t, strings.Compare(in, text(v)), "the text must survive")
				require.True(t, v.Equal(parse(t, in)))
				return
			}
			var syntax *value.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Equal(t, value.MaxDepth*len(test.open), syntax.Offset)
			require.Contains(t, err.Error(), "nested deeper than 10000")
		})
	}
}

// TestParseDoesNotInflate bounds what small hostile texts may cost.
func TestParseDoesNotInflate(t *testing.T) {
	in := []byte("[" + strings.Repeat("{},", 10_000) + "{}]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := value.Parse(in)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(v.Len()), uint64(350), "bytes for each {}")
}
