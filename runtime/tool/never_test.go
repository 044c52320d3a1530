package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// questioned makes a call of r that needs approval. A handler in front of all
// others passes, after it ran meanwhile; the approver grants.
func (r *rig) questioned(meanwhile func()) (asked *int) {
	asked = new(int)
	r.tool(returning("x"))
	r.attach(asking)
	r.attach(func(in *point.Installer) {
		tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			*asked++
			meanwhile()
			return tool.Pass{}, nil
		})
	})
	if r.rt.Approvals != nil {
		r.rt.Approvals.Approver = tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			*asked++
			return tool.Grant{}, nil
		})
	}
	return asked
}

// TestTheStricterPolicyHolds: what the program has set and what the session says.
func TestTheStricterPolicyHolds(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	setting := tool.Decider{Kind: tool.DecidedBySetting}
	approver := tool.Decider{Kind: tool.DecidedByApprover}
	for _, test := range []struct {
		name      string
		approvals *tool.Approvals
		session   func() bool
		asked     int
		outcome   tool.ApprovalOutcome
		by        tool.Decider
	}{
		{"nobody says anything", &tool.Approvals{}, nil, 2, tool.ApprovalGranted, approver},
		{"the session says ask", &tool.Approvals{}, no, 2, tool.ApprovalGranted, approver},
		{"the session says never", &tool.Approvals{}, yes, 0, tool.ApprovalRejected, setting},
		{"the program says never", &tool.Approvals{Never: true}, nil, 0, tool.ApprovalRejected, setting},
		{"and the session ask", &tool.Approvals{Never: true}, no, 0, tool.ApprovalRejected, setting},
		{"both say never", &tool.Approvals{Never: true}, yes, 0, tool.ApprovalRejected, setting},
		{"a program without settings", nil, yes, 0, tool.ApprovalRejected, setting},
		{"a session that cannot tell", &tool.Approvals{}, func() bool { panic("broken") }, 0, "", tool.Decider{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			var last tool.ApprovalRecord
			r.rt.Approvals, r.scope.Never = test.approvals, test.session
			r.scope.Record = func(_ context.Context, rec tool.ApprovalRecord) error { last = rec; return nil }
			asked := r.questioned(func() {})
			_, ran := r.call(t.Context(), nil).(tool.Success)
			require.Equal(t, test.outcome == tool.ApprovalGranted, ran)
			require.Equal(t, test.asked, *asked)
			require.Equal(t, test.outcome, last.Outcome)
			require.Equal(t, test.by, last.By)
		})
	}
}

// TestNobodyWhoCouldAnswer changes nothing about a session that says never: the
// question and its end are on the record.
func TestNobodyWhoCouldAnswer(t *testing.T) {
	for _, never := range []bool{true, false} {
		r := newRig(t)
		var records int
		r.scope.Never = func() bool { return never }
		r.scope.Record = func(context.Context, tool.ApprovalRecord) error { records++; return nil }
		r.tool(returning("x"))
		r.attach(asking)
		failure := r.call(t.Context(), nil).(tool.Failure)
		if never {
			require.Equal(t, `the user rejected tool "t"`, failure.Message)
			require.Equal(t, 2, records)
		} else {
			require.Contains(t, failure.Message, "requires approval")
			require.Zero(t, records)
		}
	}
}

// TestAfterNeverNobodyIsAsked, whatever the session said before: also not the
// approver of a question that handlers were asked when it changed.
func TestAfterNeverNobodyIsAsked(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		never, flips := false, false
		r.rt.Approvals = &tool.Approvals{}
		r.scope.Never = func() bool { return never }
		asked := r.questioned(func() {
			if flips {
				never = true
			}
		})
		for range 8 {
			never, flips = g.IntN(2) == 0, g.IntN(3) == 0
			*asked = 0
			want := map[[2]bool]int{{false, false}: 2, {false, true}: 1}[[2]bool{never, flips}]
			_, ran := r.call(t.Context(), nil).(tool.Success)
			require.Equal(t, want, *asked, "never %v, changed meanwhile %v", never, flips)
			require.Equal(t, want == 2, ran)
		}
	}
}
