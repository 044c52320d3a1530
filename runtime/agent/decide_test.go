package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/session"
)

// TestEnteringMessagesNameTheirSource: what an extension adds without saying who
// it is carries its name; what others said keeps theirs.
func TestEnteringMessagesNameTheirSource(t *testing.T) {
	given := []session.Message{
		{Role: session.RoleUser, Source: session.User{}},
		{Role: session.RoleUser},
		{Role: session.RoleUser, Source: session.Extension{Name: "other"}},
	}
	entered := agent.Enter{Messages: given}.Attribute("ext")
	require.Equal(t, agent.Enter{Messages: []session.Message{
		given[0], {Role: session.RoleUser, Source: session.Extension{Name: "ext"}}, given[2],
	}}, entered)
	require.Nil(t, given[1].Source, "the extension's own list is left alone")
	require.Nil(t, entered.(agent.Enter).Attribute("another"), "nothing is left to name")
}
