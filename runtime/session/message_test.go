package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
)

func TestAttributed(t *testing.T) {
	given := []session.Context{{Text: "a"}, {Text: "b", Extension: "other"}, {Text: "c"}}
	out, filled := session.Attributed(given, "ext")
	require.True(t, filled)
	require.Equal(t, []session.Context{{"a", "ext"}, {"b", "other"}, {"c", "ext"}}, out)
	require.Empty(t, given[0].Extension, "the argument is left alone")
	_, filled = session.Attributed(out, "another")
	require.False(t, filled)
	_, filled = session.Attributed(nil, "ext")
	require.False(t, filled)
}

func TestFromExtension(t *testing.T) {
	require.Equal(t, session.Message{
		Role: session.RoleUser, Content: []session.Part{session.Text{Text: "hello"}}, Source: session.Extension{Name: "ext"},
	}, session.FromExtension("ext", "hello"))
}

func TestRoles(t *testing.T) {
	require.Equal(t, []string{"user", "assistant", "system"}, session.Role("").Values())
}
