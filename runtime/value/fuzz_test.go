package value_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/value"
)

// checkAgainstStandard holds the reader to encoding/json: both accept the same
// texts and read the same from them, and what is written is read back the same.
func checkAgainstStandard(t *testing.T, in []byte) {
	v, err := value.Parse(in)
	require.Equal(t, json.Valid(in), err == nil, "%q: %v", in, err)
	if err != nil {
		return
	}
	out := v.AppendJSON(nil)
	require.Equal(t, standard(t, in), standard(t, out))
	again, err := value.Parse(out)
	require.NoError(t, err)
	require.True(t, v.Equal(again))
	require.Equal(t, string(out), text(again), "writing is stable")
}

func standard(t *testing.T, in []byte) (x any) {
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	require.NoError(t, d.Decode(&x))
	return x
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[1,-0,1.0,1e400,9007199254740993]`, `{"a":{"b":[]},"a":2}`, `"\ud83d\ude00\ud83d"`,
		"\"\xff\"", `[[[[[[]]]]]]`, ` [ true , false ] `, `{"a":1,}`, `"\u12`, "\ufeff1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkAgainstStandard)
}

// TestRandomTexts is the same property on texts that are mostly valid.
func TestRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000 {
		var b strings.Builder
		randomJSON(r, &b, 0)
		in := b.String()
		checkAgainstStandard(t, []byte(in))
		if at := r.IntN(len(in) + 1); r.IntN(3) == 0 {
			checkAgainstStandard(t, []byte(in[:at]))
		}
		broken := []byte(in)
		broken[r.IntN(len(broken))] = byte(r.IntN(256))
		checkAgainstStandard(t, broken)
	}
}

var scraps = []string{
	`null`, `true`, `false`, `0`, `-0`, `1.0`, `-12.5e-3`, `1e400`, `1E+2`, `9007199254740993`,
	`123456789012345678901234567890`, `""`, `"text"`, `"\u00e9\n\""`, `"\ud800"`, "\"\xff\xfe\"", `"😀"`, `[]`, `{}`,
}

func randomJSON(r *rand.Rand, b *strings.Builder, depth int) {
	pick := r.IntN(len(scraps) + 8)
	if pick < len(scraps) || depth > 6 {
		b.WriteString(scraps[pick%len(scraps)])
		return
	}
	list := pick%2 == 0
	b.WriteByte("{["[pick%2^1])
	for i := range r.IntN(16) {
		if i > 0 {
			b.WriteString(" ,")
		}
		if !list {
			b.WriteString(`"` + string(rune('a'+r.IntN(20))) + `" :`)
		}
		randomJSON(r, b, depth+1)
	}
	b.WriteByte("}]"[pick%2^1])
}

func BenchmarkParse(b *testing.B) {
	in := []byte(`{"session_id":"s","cwd":"/home/dev/project","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force origin main","timeout":120000}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := value.Parse(in); err != nil {
			b.Fatal(err)
		}
	}
}
