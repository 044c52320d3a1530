package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

var (
	bare  = []session.Context{{Text: "a"}}
	named = []session.Context{{Text: "a", Extension: "ext"}}
)

// TestContextsAreAttributed in every answer and result that has some.
func TestContextsAreAttributed(t *testing.T) {
	feedback := []session.Part{session.Text{Text: "no"}}
	for _, test := range []struct {
		point       point.Point
		given, want any
	}{
		{tool.PreExecute, tool.Allow{Contexts: bare}, tool.Allow{Contexts: named}},
		{tool.PreExecute, tool.Deny{Reason: "r", Contexts: bare}, tool.Deny{Reason: "r", Contexts: named}},
		{tool.PreExecute, tool.Ask{Contexts: bare}, tool.Ask{Contexts: named}},
		{tool.PostExecute, tool.Accept{Contexts: bare}, tool.Accept{Contexts: named}},
		{tool.PostExecute, tool.Block{Feedback: feedback, Contexts: bare}, tool.Block{Feedback: feedback, Contexts: named}},
		{tool.OnExecute, tool.Success{Contexts: bare}, tool.Success{Contexts: named}},
		{tool.OnExecute, tool.Failure{Message: "m", Contexts: bare}, tool.Failure{Message: "m", Contexts: named}},
	} {
		var got any
		r := new(point.Registry)
		_, err := r.Install(extension(func(in *point.Installer) {
			test.point.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) {
				return point.Answer{Decision: test.given}, nil
			}, point.Attach{Raw: true})
		}))
		require.NoError(t, err)
		o := point.ObserverFunc(func(h point.Handled) { got = h.Answer })
		run := point.Run{Handlers: r, Observer: o}
		call := tool.Call{ID: "1", Tool: "Bash", Action: tool.Other{}}
		switch test.point {
		case tool.PreExecute:
			_, err = tool.PreExecute.Run(context.Background(), run, call)
		case tool.PostExecute:
			_, err = tool.PostExecute.Run(context.Background(), run, tool.Done{Call: call, Result: tool.Failure{}})
		default:
			_, err = tool.OnExecute.Run(context.Background(), run, call)
		}
		require.NoError(t, err)
		require.Equal(t, test.want, got)
		require.Empty(t, bare[0].Extension)
	}
}
