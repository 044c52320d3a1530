package wrap_test

import (
	"context"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
	"github.com/dsh-lua/dsh/runtime/value"
)

type body func(ctx context.Context, run *tool.Running) (any, error)

// execute runs one call of a tool with the given body and wrappers.
func execute(t *testing.T, ctx context.Context, limit time.Duration, b body, wrappers ...point.Extension) tool.Result { //nolint:revive // t first
	t.Helper()
	rt := &tool.Runtime{Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: new(tool.Registry)}}
	_, err := rt.Root.Tools.Register(tool.Definition{Name: "t", Output: tool.Output{Schema: value.OfObject()}, Execute: b, Timeout: limit})
	require.NoError(t, err)
	for _, w := range wrappers {
		_, err := rt.Root.Host.Run.Handlers.Install(w)
		require.NoError(t, err)
	}
	return rt.Execute(ctx, tool.Input{ID: "1", Tool: "t"})
}

func code(r tool.Result) tool.Code {
	if f, ok := r.(tool.Failure); ok {
		return f.Code
	}
	return "ok"
}

func TestTimeout(t *testing.T) {
	waits := func(ctx context.Context, run *tool.Running) (any, error) {
		run.DeferContext(session.Context{Text: "deferred"})
		<-ctx.Done()
		return "late", nil
	}
	f := execute(t, t.Context(), 100*time.Millisecond, waits, wrap.Timeout{}).(tool.Failure)
	require.Equal(t, "tool call timed out after 100ms", f.Message)
	require.Equal(t, []session.Context{{Text: "deferred", Extension: "t"}}, f.Contexts)
	require.Equal(t, tool.CodeTimeout, code(execute(t, t.Context(), 0, waits, wrap.Timeout{Default: time.Millisecond})))

	quick := func(context.Context, *tool.Running) (any, error) { return "x", nil }
	require.Equal(t, tool.Code("ok"), code(execute(t, t.Context(), time.Hour, quick, wrap.Timeout{})))
	require.Equal(t, tool.Code("ok"), code(execute(t, t.Context(), 0, quick, wrap.Timeout{})))

	ctx, cancel := context.WithCancel(t.Context())
	cancels := func(ctx context.Context, run *tool.Running) (any, error) {
		cancel()
		return waits(ctx, run)
	}
	require.Equal(t, tool.CodeAborted, code(execute(t, ctx, time.Hour, cancels, wrap.Timeout{})))
}

func TestTheCallerIsBeforeTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got := execute(t, ctx, 20*time.Millisecond, func(ctx context.Context, _ *tool.Running) (any, error) {
		cancel()
		<-time.After(40 * time.Millisecond) // outlives the deadline, which must not claim the call
		return "late", nil
	}, wrap.Timeout{})
	require.Equal(t, tool.CodeAborted, code(got))
}

func TestRetry(t *testing.T) {
	for _, test := range []struct {
		name     string
		codes    []tool.Code // of the failures, in order; then success
		attempts int
		want     tool.Code
		runs     int
	}{
		{"success", nil, 3, "ok", 1},
		{"one that passes", []tool.Code{"BUSY"}, 3, "ok", 2},
		{"one that does not pass", []tool.Code{"BUSY", "BUSY", "BUSY"}, 3, "BUSY", 3},
		{"one that nobody named", []tool.Code{"OTHER"}, 3, "OTHER", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			runs := 0
			got := execute(t, t.Context(), 0, func(context.Context, *tool.Running) (any, error) {
				if runs++; runs <= len(test.codes) {
					return nil, &tool.Error{Message: "m", Code: test.codes[runs-1]}
				}
				return "x", nil
			}, wrap.Retry{Codes: []tool.Code{"BUSY"}, Attempts: test.attempts, Wait: time.Microsecond})
			require.Equal(t, test.want, code(got))
			require.Equal(t, test.runs, runs)
		})
	}
}

func TestRetryEndsWithItsCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got := execute(t, ctx, 0, func(context.Context, *tool.Running) (any, error) {
		cancel()
		return nil, &tool.Error{Message: "m", Code: "BUSY"}
	}, wrap.Retry{Codes: []tool.Code{"BUSY"}, Attempts: 2, Wait: time.Hour})
	require.Equal(t, tool.Code("BUSY"), code(got))
}

// TestRetryEndsWithATimeLimit that stands around it, and does not sit out its wait.
func TestRetryEndsWithATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got := execute(t, t.Context(), time.Second, func(context.Context, *tool.Running) (any, error) {
			return nil, &tool.Error{Message: "m", Code: "BUSY"}
		}, wrap.Timeout{}, wrap.Retry{Codes: []tool.Code{"BUSY"}, Attempts: 2, Wait: time.Hour})
		require.Equal(t, tool.CodeTimeout, code(got))
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, ext := range []point.Extension{
		wrap.Timeout{Default: -1},
		wrap.Retry{Attempts: 2},
		wrap.Retry{Codes: []tool.Code{"A"}, Attempts: 1},
		wrap.Retry{Codes: []tool.Code{"A"}, Attempts: 9},
		wrap.Retry{Codes: []tool.Code{"A"}, Attempts: 2, Wait: -1},
	} {
		_, err := new(point.Registry).Install(ext)
		require.Error(t, err, "%#v", ext)
	}
	for _, opts := range []wrap.RepeatOptions{{Thresholds: []int{}}, {Thresholds: []int{1}}, {Thresholds: []int{3, 3}}, {Preview: -1}} {
		_, err := wrap.NewRepeat(opts)
		require.Error(t, err, "%#v", opts)
	}
}

// TestRepeat counts calls that are the same in a row, agent by agent.
func TestRepeat(t *testing.T) {
	repeat, err := wrap.NewRepeat(wrap.RepeatOptions{Thresholds: []int{2, 3}, Exclude: []*regexp.Regexp{regexp.MustCompile("^skip$")}, Preview: 7})
	require.NoError(t, err)
	r := new(point.Registry)
	_, err = r.Install(repeat)
	require.NoError(t, err)
	turn := "1"
	say := func(id, name, arguments string) string {
		v, err := value.ParseString(arguments)
		require.NoError(t, err)
		call := tool.Call{Tool: name, Arguments: v, Action: tool.Other{}, Session: session.Ref{ID: id, Turn: turn}}
		d, err := tool.PostExecute.Run(t.Context(), point.Run{Handlers: r}, tool.Done{Call: call, Result: tool.Failure{Message: "denied"}})
		require.NoError(t, err)
		if list := d.(tool.Accept).Contexts; len(list) > 0 {
			require.Equal(t, "repeat", list[0].Extension)
			return list[0].Text
		}
		return ""
	}
	require.Empty(t, say("s", "t", `{"a":1,"b":2}`))
	require.Empty(t, say("other", "t", `{"a":1,"b":2}`))
	require.Empty(t, say("s", "skip", `{}`))
	require.Contains(t, say("s", "t", `{"b":2,"a":1}`), "2 times")
	require.Contains(t, say("s", "t", `{"a":1,"b":2}`), `3 times in a row with the same arguments: {"a":1,… (+6 more chars)`)
	require.Empty(t, say("s", "t", `{"a":1,"b":2}`))
	require.Empty(t, say("s", "t", `{"a":2}`))
	repeat.Reset(session.Ref{ID: "s"})
	require.Empty(t, say("s", "t", `{"a":2}`))
	turn = "2"
	require.Empty(t, say("s", "t", `{"a":2}`), "the user has spoken")
	require.Contains(t, say("s", "t", `{"a":2}`), "2 times")
	require.Empty(t, say("", "t", `{}`))
	require.Empty(t, say("", "t", `{}`))
}
