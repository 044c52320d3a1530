package agent_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// asksForAll is an agent each of whose turns makes one call, which needs approval
// and gets it if somebody is asked. asked counts that.
func asksForAll(t *testing.T, o agent.Options, never bool) (a *agent.Agent, asked *int) {
	t.Helper()
	asked = new(int)
	m := &model.Scripted{}
	for range 4 {
		m.Replies = append(m.Replies, model.Reply{Calls: []session.ToolCall{{ID: "c", Tool: "t", Arguments: value.OfObject()}}}, model.Reply{Text: "done"})
	}
	o.Model, o.Tools = m, simpleTool(t)
	o.Pipeline = &tool.Runtime{Approvals: &tool.Approvals{Never: never, Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
		*asked++
		return tool.Grant{}, nil
	})}}
	o.Extensions = append(o.Extensions, policy{"p", func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	}})
	return build(t, o), asked
}

// asks reports whether the next turn asks somebody.
func asks(t *testing.T, a *agent.Agent, asked *int) bool {
	t.Helper()
	before := *asked
	say(t, a, "go")
	idle(t, a)
	return *asked > before
}

// TestApprovalPolicyOfASession changes during it, and holds for its next lives
// and its forks. What the program forbids, no record loosens.
func TestApprovalPolicyOfASession(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	log, err := session.CreateLog(name, session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	a, asked := asksForAll(t, agent.Options{Log: log}, false)
	require.Equal(t, session.PolicyAsk, a.ApprovalPolicy())
	require.True(t, asks(t, a, asked))
	for _, p := range []session.ApprovalPolicy{session.PolicyNever, session.PolicyAsk, session.PolicyNever} {
		require.NoError(t, a.SetApprovalPolicy(t.Context(), p))
		require.Equal(t, p, a.ApprovalPolicy())
		require.Equal(t, p == session.PolicyAsk, asks(t, a, asked))
	}
	require.Error(t, a.SetApprovalPolicy(t.Context(), "sometimes"))
	require.Equal(t, session.PolicyNever, a.ApprovalPolicy())
	require.NoError(t, a.Close(context.Background(), ""))
	fork, err := log.Fork("", log.LastEnd(), session.Header{ID: "f"}, session.LogOptions{})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	for source, log := range map[string]*session.Log{"resume": again, "fork": fork} {
		a, asked := asksForAll(t, agent.Options{Log: log, Source: source}, false)
		require.Equal(t, session.PolicyNever, a.ApprovalPolicy(), source)
		require.False(t, asks(t, a, asked), source)
		require.NoError(t, a.SetApprovalPolicy(t.Context(), session.PolicyAsk))
		require.True(t, asks(t, a, asked), source)
		require.NoError(t, a.Close(context.Background(), ""))

		b, asked := asksForAll(t, agent.Options{Log: log, Source: source}, true)
		require.Equal(t, session.PolicyNever, b.ApprovalPolicy(), "the program's setting, whatever the log says")
		require.False(t, asks(t, b, asked), source)
		require.NoError(t, b.Close(context.Background(), ""))
		require.NoError(t, log.Close())
	}
}

// TestApprovalPolicyIsNotForExtensions, and one that is not in the log does not
// hold.
func TestApprovalPolicyIsNotForExtensions(t *testing.T) {
	full := false
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{Checks: []func(session.Entry) error{func(e session.Entry) error {
		if full && e.Type == session.EventPolicy {
			return errors.New("disk full")
		}
		return nil
	}}})
	require.NoError(t, err)
	var refused error
	a, asked := asksForAll(t, agent.Options{Log: log, Extensions: []point.Extension{policy{"own", func(in *point.Installer) {
		agent.PreStep.Handle(in, func(ctx context.Context, p agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			refused = p.Live.(session.Recorder).Record(session.PolicyChanged(session.PolicyAsk))
			return next(ctx)
		})
	}}}}, false)
	require.NoError(t, a.SetApprovalPolicy(t.Context(), session.PolicyNever))
	require.False(t, asks(t, a, asked))
	require.ErrorContains(t, refused, "not for extensions")
	full = true
	require.ErrorContains(t, a.SetApprovalPolicy(t.Context(), session.PolicyAsk), "disk full")
	require.False(t, asks(t, a, asked))
	require.NoError(t, a.Close(context.Background(), ""))
}
