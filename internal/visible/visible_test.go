package visible_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/visible"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ text, keep, want string }{
		{"plain äö € 👍", "", "plain äö € 👍"},
		{"a\tb\nc", "\n\t", "a\tb\nc"},
		{"a\tb\nc", "\n", `a\x09b` + "\nc"},
		{"a\tb\nc", "", `a\x09b\x0ac`},
		{"\x1b[2Jgone", "\n", `\x1b[2Jgone`},
		{"a\rb", "\n", `a\x0db`},
		{"del\x7f", "", `del\x7f`},
		{"\u009b31m", "\n", `\u009b31m`},
		{"\u202Eevil", "\n", `\u202eevil`},
		{"zero\u200Bwide", "\n", `zero\u200bwide`},
		{"tag\U000E0041", "\n", `tag\U000e0041`},
		{"line\u2028paragraph\u2029", "\n", `line\u2028paragraph\u2029`},
		{"not\xffUTF-8\xc3", "\n", `not\xffUTF-8\xc3`},
		{"told \uFFFD", "", "told \uFFFD"},
	} {
		require.Equal(t, test.want, visible.Text(test.text, test.keep))
	}
}
