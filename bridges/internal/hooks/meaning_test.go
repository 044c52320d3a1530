package hooks

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
)

// Every kind of the table is one that its point has; a point that asks nothing has
// none; and where an event stands, something is attached.
func TestStands(t *testing.T) {
	for event, s := range stands {
		for _, k := range s.kinds {
			require.Contains(t, s.point.Tags(), string(k), event)
		}
		if s.halt != "" {
			require.Contains(t, s.point.Tags(), string(s.halt), event)
		}
		require.True(t, slices.ContainsFunc(rows, func(r row) bool {
			return r.point.Name() == s.point.Name() && (r.events == nil || slices.Contains(r.events, event))
		}), "nothing is attached to %s for %s", s.point.Name(), event)
	}
	for _, r := range rows {
		for _, event := range r.events {
			require.Contains(t, stands, event, r.point.Name())
		}
	}
}

func TestKind(t *testing.T) {
	beside, withholds := Client{}, Client{Withholds: true}
	for _, test := range []struct {
		client Client
		event  string
		o      hookproto.Outcome
		want   kind
	}{
		{beside, PreToolUse, hookproto.Outcome{}, allow},
		{beside, PreToolUse, hookproto.Outcome{Decision: hookproto.Allow}, allow},
		{beside, PreToolUse, hookproto.Outcome{Decision: hookproto.Defer}, ask},
		{beside, PreToolUse, hookproto.Outcome{Decision: hookproto.Deny}, deny},
		{beside, PreToolUse, hookproto.Outcome{Halt: true}, allow},
		{beside, PermissionRequest, hookproto.Outcome{Decision: hookproto.Ask}, pass},
		{beside, PostToolUse, hookproto.Outcome{Decision: hookproto.Block}, accept},
		{withholds, PostToolUse, hookproto.Outcome{Decision: hookproto.Block}, block},
		{beside, UserPromptSubmit, hookproto.Outcome{Halt: true}, reject},
		{beside, PostToolBatch, hookproto.Outcome{Halt: true}, reject},
		{beside, PreCompact, hookproto.Outcome{Halt: true}, cancel},
		{beside, Stop, hookproto.Outcome{Decision: hookproto.Block}, ""},
		{beside, "WorktreeCreate", hookproto.Outcome{Decision: hookproto.Block}, ""},
	} {
		require.Equal(t, test.want, test.client.kind(test.event, test.o), "%s %+v", test.event, test.o)
	}
}
