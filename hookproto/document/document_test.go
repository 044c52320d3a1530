package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/document"
)

// requireBytes compares a node's JSON to the byte: order and form matter.
func requireBytes(t *testing.T, want string, n *document.Node) {
	t.Helper()
	got := string(n.JSON())
	require.Equal(t, want, got)
}

func TestJSONLines(t *testing.T) {
	root, err := document.ParseJSON([]byte("\n{\n \"a\": [1,\n  {\"b\"\n:\ntrue}],\n\"a\": null}\n"))
	require.NoError(t, err)
	require.Equal(t, 2, root.Line)
	first := root.Members[0]
	require.Equal(t, 3, first.Line)
	require.Equal(t, 3, first.Value.Items[0].Line)
	b := first.Value.Items[1].Members[0]
	require.Equal(t, 4, b.Line)
	require.Equal(t, 6, b.Value.Line)
	require.Equal(t, document.Null, root.Get("a").Kind)
	require.Equal(t, 7, root.Duplicates()[0].Line)
	require.Equal(t, `{"a":null}`, string(root.JSON()))
	require.Equal(t, 3, root.Depth())
}

func TestTOMLLines(t *testing.T) {
	root, err := document.ParseTOML([]byte("# c\ntop = 1_0\n[t.u]\na = 'x'\nl = [\n 1.5,\n # c\n true ]\n[[t.list]]\n b.c = {d = 1979-05-27}\n[[t.list]]\n[t.list.sub]\nq=\"é\"\n"))
	require.NoError(t, err)
	const want = `{"top":10,"t":{"u":{"a":"x","l":[1.5,true]},"list":[{"b":{"c":{"d":"1979-05-27"}}},{"sub":{"q":"é"}}]}}`
	requireBytes(t, want, root)
	u := root.Get("t").Get("u")
	require.Equal(t, 3, u.Line)
	require.Equal(t, 5, u.Members[1].Line)
	require.Equal(t, 8, u.Get("l").Items[1].Line)
	require.Equal(t, 11, root.Get("t").Get("list").Items[1].Line)
	require.Equal(t, 13, root.Get("t").Get("list").Items[1].Get("sub").Members[0].Line)
	require.Equal(t, document.Date, root.Get("t").Get("list").Items[0].Get("b").Get("c").Get("d").Kind)
}

func TestTOMLNumbers(t *testing.T) {
	root, err := document.ParseTOML([]byte("n = [ +1_0, 0x1F, 0b11, 1_0.5e+3, -inf, nan ]"))
	require.NoError(t, err)
	requireBytes(t, `{"n":[10,31,3,10.5e+3,"-inf","nan"]}`, root)
}

func TestUnreadable(t *testing.T) {
	tests := []struct {
		data string
		line int
		text string
	}{
		{"", 1, "empty"},
		{"{\n\"a\":\n", 3, "ends within"},
		{"{\n\"a\":1,\n}", 3, "invalid character"},
		{"{}\n{}", 2, "follows"},
		{"{}\n x", 2, ""},
		{"\n\"\xff\"", 2, "UTF-8"},
		{"{// c\n}", 1, "invalid character"},
		{strings.Repeat("[", 1_000_000), 1, "deep"},
	}
	for _, test := range tests {
		_, err := document.ParseJSON([]byte(test.data))
		var at *document.Error
		require.ErrorAs(t, err, &at, test.data)
		require.Equal(t, test.line, at.Line, err)
		require.Contains(t, at.Text, test.text)
	}
	for _, data := range []string{"a=1\na=2", "[[a.b]]\n[[a]]", "a={", "a=\xff"} {
		_, err := document.ParseTOML([]byte(data))
		var at *document.Error
		require.ErrorAs(t, err, &at, data)
	}
}

func TestLoneSurrogates(t *testing.T) {
	for text, want := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\uD83D\uDE00"`: false, `"\ud83d"`: true, `"\ude00"`: true, `"\ud83dx"`: true, `"\\ud83d"`: false, `"\u00e9\uDFFF"`: true,
	} {
		n, err := document.ParseJSON([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, n.Lone, text)
	}
}

func TestQuote(t *testing.T) {
	require.Equal(t, "\"<&>\u2028\u2029\\\\u2028\\\\\ufffd\\n\\u0001\u007f\"", string(document.Quote("<&>\u2028\u2029\\u2028\\\xff\n\x01\u007f")))
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\ud800",null],"a":{}}`), false)
	f.Add([]byte("[a]\nb=1\n[[a.c]]\nd={e=1}\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, toml bool) {
		if toml {
			_, _ = document.ParseTOML(data)
			return
		}
		n, err := document.ParseJSON(data)
		require.Equal(t, err == nil, n != nil)
		if n == nil {
			return
		}
		require.True(t, json.Valid(data), "json")
		again, err := document.ParseJSON(n.JSON())
		require.NoError(t, err)
		require.Equal(t, string(n.JSON()), string(again.JSON()))
	})
}
