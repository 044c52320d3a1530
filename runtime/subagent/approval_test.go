package subagent_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// TestSubagentIsNoWayAroundNever: nobody is asked for a subagent where nobody is
// for its parent, or where its own settings say so.
func TestSubagentIsNoWayAroundNever(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name           string
		before, during session.ApprovalPolicy // of the parent, around the start; empty is no change
		fork, settings bool
		child          session.ApprovalPolicy // what holds for the child
		record         session.ApprovalPolicy // what its log says
	}{
		{name: "nothing is said", child: session.PolicyAsk},
		{name: "a parent that says never", before: session.PolicyNever, child: session.PolicyNever, record: session.PolicyNever},
		{name: "and is forked", before: session.PolicyNever, fork: true, child: session.PolicyNever, record: session.PolicyNever},
		{name: "a parent that says so later", during: session.PolicyNever, child: session.PolicyNever},
		{name: "settings of its own", before: session.PolicyAsk, settings: true, child: session.PolicyNever},
		{name: "and it is forked", before: session.PolicyAsk, fork: true, settings: true, child: session.PolicyNever},
		{name: "a parent that changes its mind", before: session.PolicyNever, during: session.PolicyAsk, child: session.PolicyNever, record: session.PolicyNever},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := parent(t, &parentPolicy{rounds: 1})
			if test.before != "" {
				require.NoError(t, a.SetApprovalPolicy(ctx, test.before))
			}
			run, err := subagent.Start(ctx, a, subagent.Options{ID: "child", Prompt: "do it", Fork: test.fork, Adapt: func(o *agent.Options) {
				o.Pipeline = &tool.Runtime{Approvals: &tool.Approvals{Never: test.settings}}
				o.Model = &model.Scripted{Replies: []model.Reply{{Text: "done"}}}
			}})
			require.NoError(t, err)
			if test.during != "" {
				require.NoError(t, a.SetApprovalPolicy(ctx, test.during))
			}
			require.Equal(t, test.child, run.Agent().ApprovalPolicy())
			require.Equal(t, test.record, run.Agent().Log().ApprovalPolicy())
			run.Wait()
			require.NoError(t, run.Close(ctx))
			require.NoError(t, a.Close(ctx, ""))
		})
	}
}
