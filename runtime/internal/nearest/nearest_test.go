package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"arguments", "id", "session", "string", "table", "tool"}
	tests := []struct{ name, want string }{
		{"tabel", "table"},
		{"tabl", "table"},
		{"Table", "table"},
		{"argumetns", "arguments"},
		{"seesion", "session"},
		{"too", "tool"},
		{"xyzzy", ""},
		{"q", ""},
		{"", ""},
		{strings.Repeat("a", 1000), ""},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, nearest.Name(tt.name, known), tt.name)
	}
}

func TestNameTreatsSeparatorsAlike(t *testing.T) {
	require.Equal(t, "pre_execute", nearest.Name("pre-execute", []string{"post_execute", "pre_execute"}))
}

func TestNamePrefersTheFirstOfEquals(t *testing.T) {
	require.Equal(t, "aa", nearest.Name("ab", []string{"aa", "ac"}))
}
