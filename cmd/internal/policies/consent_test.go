package policies_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Behind it a refusal counts and a grant does not; before it both do.
func TestNoConsent(t *testing.T) {
	const (
		grants  = `dsh.on("tools/approve", { rule = "yes" }, function() return {kind = "grant"} end)`
		refuses = `dsh.on("tools/approve", { rule = "no" }, function() return {kind = "refuse", reason = "no"} end)`
		raw     = `dsh.on("tools/approve", { rule = "raw", raw = true }, function() return {kind = "grant"} end)`
		raises  = `dsh.on("tools/approve", { rule = "raises" }, function() error "oops" end)`
	)
	for name, test := range map[string]struct {
		before, behind string
		want           tool.ApprovalDecision
		told           int
	}{
		"nobody":                           {want: tool.Pass{}},
		"a grant behind":                   {behind: grants, want: tool.Pass{}, told: 1},
		"a raw grant behind":               {behind: raw, want: tool.Pass{}, told: 1},
		"a refusal behind":                 {behind: refuses, want: tool.Refuse{Reason: "no"}},
		"a fault behind":                   {behind: raises},
		"a grant before":                   {before: grants, want: tool.Grant{}},
		"a grant before, and one behind":   {before: grants, behind: grants, want: tool.Grant{}, told: 1},
		"a grant before, a refusal behind": {before: grants, behind: refuses, want: tool.Refuse{Reason: "no"}},
		"a refusal before, a grant behind": {before: refuses, behind: grants, want: tool.Refuse{Reason: "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			var set policies.Set
			install := func(file, source string) {
				if source != "" {
					require.NoError(t, load(t, &set, policies.Options{}, tree(t, map[string]string{file: source}), file))
				}
			}
			install("before.lua", test.before)
			_, err := set.Registry.Install(policies.NoConsent{Who: "dsh hook"})
			require.NoError(t, err)
			install("behind.lua", test.behind)
			effects := session.NewEffects(session.EffectTell)
			h := host.Host{Run: point.Run{Handlers: &set.Registry}, Live: effects}
			asked := host.Fire(context.Background(), h, tool.OnApprove,
				tool.Approval{Call: tool.Call{ID: "c", Tool: "bash", Action: tool.Shell{Command: "ls"}}},
				func(error) tool.ApprovalDecision { return nil })
			require.Equal(t, test.want, asked.Decision)
			require.Len(t, effects.Told(), test.told)
		})
	}
}
