package session_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
)

// TestApprovalPolicyIsOneOfTheSet, in whatever log: what is none is neither
// written nor read.
func TestApprovalPolicyIsOneOfTheSet(t *testing.T) {
	for _, test := range []struct {
		data string
		want session.ApprovalPolicy // empty if it is refused
	}{
		{`{"policy":"ask"}`, session.PolicyAsk},
		{`{"policy":"never"}`, session.PolicyNever},
		{`{"policy":"Never"}`, ""},
		{`{"policy":""}`, ""},
		{`{"policy":null}`, ""},
		{`{"policy":["ask"]}`, ""},
		{`{}`, ""},
		{`"ask"`, ""},
	} {
		t.Run(test.data, func(t *testing.T) {
			for _, o := range []session.LogOptions{{}, {Unchecked: true}} {
				for _, surface := range []session.SurfaceOp{"", session.SurfaceAppend} {
					log, err := session.NewLog(session.Header{ID: "s"}, o)
					require.NoError(t, err)
					put(t, log, session.PolicyChanged(session.PolicyNever))
					_, err = log.Append(ctx, session.Event{Type: session.EventPolicy, Data: mustParse(t, test.data), Surface: session.Surface{Op: surface}})
					if test.want == "" || surface != "" {
						require.Error(t, err)
						require.Equal(t, session.PolicyNever, log.ApprovalPolicy(), "a refusal changes nothing")
						continue
					}
					require.NoError(t, err)
					require.Equal(t, test.want, log.ApprovalPolicy())
				}
			}
			name := path(t)
			require.NoError(t, os.WriteFile(name, []byte(`{"dsh_session":1,"id":"s","created":1}`+"\n"+`{"seq":0,"time":1,"type":"approval/policy","data":`+test.data+"}\n"), 0o600))
			log, err := session.OpenLog(name, session.LogOptions{})
			if test.want == "" {
				require.ErrorContains(t, err, `approval/policy 0: policy: expected "ask" or "never", got `)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, log.ApprovalPolicy())
			require.NoError(t, log.Close())
		})
	}
}

// TestApprovalPolicySurvives another life and a fork. Where the boundary of a
// fork lies behind or before the last change, the stricter policy holds.
func TestApprovalPolicySurvives(t *testing.T) {
	ask, never := session.PolicyChanged(session.PolicyAsk), session.PolicyChanged(session.PolicyNever)
	for _, test := range []struct {
		name          string
		before, after []session.Event // of the end of the turn, where the fork is made
		resumed       session.ApprovalPolicy
		forked        session.ApprovalPolicy
	}{
		{"no record", nil, nil, "", ""},
		{"one", []session.Event{never}, nil, session.PolicyNever, session.PolicyNever},
		{"the last one counts", []session.Event{never, ask}, nil, session.PolicyAsk, session.PolicyAsk},
		{"stricter after the boundary", []session.Event{ask}, []session.Event{never}, session.PolicyNever, session.PolicyNever},
		{"looser after it", []session.Event{never}, []session.Event{ask}, session.PolicyAsk, session.PolicyNever},
	} {
		t.Run(test.name, func(t *testing.T) {
			name, forks := path(t), path(t)
			log := create(t, name, session.LogOptions{})
			put(t, log, test.before...)
			put(t, log, turn(1, "one")...)
			put(t, log, test.after...)
			require.Equal(t, test.resumed, log.ApprovalPolicy())
			fork, err := log.Fork(forks, log.LastEnd(), session.Header{ID: "f"}, session.LogOptions{})
			require.NoError(t, err)
			for at, want := range map[string]session.ApprovalPolicy{name: test.resumed, forks: test.forked} {
				if at == forks {
					require.Equal(t, want, fork.ApprovalPolicy())
					put(t, fork, turn(2, "two")...)
					require.NoError(t, fork.Close())
				} else {
					require.NoError(t, log.Close())
				}
				again, err := session.OpenLog(at, session.LogOptions{})
				require.NoError(t, err)
				require.Equal(t, want, again.ApprovalPolicy())
				require.NoError(t, again.Close())
			}
		})
	}
}
