package tool_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// journal records a batch as words.
type journal struct {
	lines []string
	fail  string // the line whose writing fails
}

func (j *journal) write(line string) error {
	j.lines = append(j.lines, line)
	if line == j.fail {
		return errors.New("disk full")
	}
	return nil
}

func (j *journal) Called(c tool.Call, original value.Value, _ string) error {
	return j.write("call " + c.ID + " " + original.String())
}

func (j *journal) Returned(c tool.Call, r tool.Result) error {
	if f, ok := r.(tool.Failure); ok {
		return j.write("fail " + c.ID + " " + string(f.Code))
	}
	return j.write("ok " + c.ID)
}

func parallel(d *tool.Definition) { d.Parallel = func(value.Value) bool { return true } }

func calls(r *rig, ids ...string) (list []tool.Input) {
	for _, id := range ids {
		list = append(list, tool.Input{ID: id, Tool: "t", Arguments: id, Agent: r.scope})
	}
	return list
}

// TestParallelBodiesOverlap up to the limit: each waits here for the other.
func TestParallelBodiesOverlap(t *testing.T) {
	r, j := newRig(t), &journal{}
	meet := make(chan struct{})
	var running, peak atomic.Int32
	r.tool(func(context.Context, *tool.Running) (any, error) {
		peak.Store(max(peak.Load(), running.Add(1)))
		defer running.Add(-1)
		select {
		case meet <- struct{}{}:
		case <-meet:
		}
		return nil, nil
	}, parallel)
	require.NoError(t, tool.Batch{Runtime: r.rt, Limit: 2, Journal: j}.Run(t.Context(), calls(r, "a", "b", "c", "d")))
	require.Equal(t, []string{"ok a", "ok b", "ok c", "ok d"}, results(j))
	require.EqualValues(t, 2, peak.Load())
}

func results(j *journal) (out []string) {
	for _, line := range j.lines {
		if line[:4] != "call" {
			out = append(out, line)
		}
	}
	return out
}

// TestABrokenJournalEndsTheBatch: nothing more starts, what runs is waited for,
// and no result is made up.
func TestABrokenJournalEndsTheBatch(t *testing.T) {
	r, j := newRig(t), &journal{fail: "call b b"}
	ended := 0
	r.tool(func(context.Context, *tool.Running) (any, error) { ended++; return nil, nil }, parallel)
	require.EqualError(t, tool.Batch{Runtime: r.rt, Journal: j}.Run(t.Context(), calls(r, "a", "b", "c")), "disk full")
	require.Equal(t, 1, ended)
	require.Equal(t, []string{"call a a", "call b b"}, j.lines)
}

// TestADenialIsRecordedAtOnce if nothing before it is open: the policy of the next
// call may take its time.
func TestADenialIsRecordedAtOnce(t *testing.T) {
	r, j := newRig(t), &journal{}
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			if c.ID == "a" {
				return tool.Deny{Reason: "no"}, nil
			}
			return next(ctx)
		})
	})
	r.tool(returning(nil), parallel)
	require.NoError(t, tool.Batch{Runtime: r.rt, Journal: j}.Run(t.Context(), calls(r, "a", "b")))
	require.Equal(t, []string{"call a a", "fail a ", "call b b", "ok b"}, j.lines)
}

// TestCallsThatDoNotBeginAreRecorded with the reason, and pass no phase.
func TestCallsThatDoNotBeginAreRecorded(t *testing.T) {
	r, j := newRig(t), &journal{}
	ctx, cancel := context.WithCancel(t.Context())
	r.tool(func(context.Context, *tool.Running) (any, error) { cancel(); return nil, nil })
	require.NoError(t, tool.Batch{Runtime: r.rt, Journal: j}.Run(ctx, calls(r, "a", "b")))
	require.Equal(t, []string{"call a a", "fail a ABORTED", "call b b", "fail b ABORTED_BEFORE_DISPATCH"}, j.lines)
}

// TestARewriteMayMakeACallExclusive: it waits for those before it.
func TestARewriteMayMakeACallExclusive(t *testing.T) {
	r, j := newRig(t), &journal{}
	r.attach(func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(ctx context.Context, p tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			if p.ID == "b" {
				return tool.Rewrite{Arguments: object(t, `{"alone":true}`)}, nil
			}
			return next(ctx)
		})
	})
	var ended atomic.Bool
	r.tool(func(_ context.Context, run *tool.Running) (any, error) {
		if run.Call().ID == "a" {
			<-time.After(20 * time.Millisecond) // time for the other to begin, if it did not wait
			ended.Store(true)
		}
		return ended.Load(), nil
	}, func(d *tool.Definition) {
		d.Parallel = func(v value.Value) bool { return v.Get("alone").IsAbsent() }
		d.FinalizeContent = func(_ tool.Call, res tool.Result) ([]session.Part, error) {
			require.Equal(t, "true", res.(tool.Success).Value.String())
			return nil, nil
		}
	})
	require.NoError(t, tool.Batch{Runtime: r.rt, Journal: j}.Run(t.Context(), calls(r, "a", "b")))
	require.Equal(t, []string{"call a a", "ok a", "call b b", "ok b"}, j.lines)
}

func TestParseArguments(t *testing.T) {
	for text, want := range map[string]string{"": `{}`, " \n": `{}`, `{"a":1}`: `{"a":1}`, `{"a":`: `{"a":`, `null`: `null`} {
		require.Equal(t, want, tool.ParseArguments(text).String())
	}
}

// TestWhatIsNotKnownToBeSafeIsExclusive.
func TestWhatIsNotKnownToBeSafeIsExclusive(t *testing.T) {
	r := newRig(t)
	r.tool(returning(nil), parallel, func(d *tool.Definition) { d.Parameters = object(t, `{"type":"string"}`) })
	for arguments, want := range map[any]bool{"fits": true, 1: false, negativeZero: false} {
		in := tool.Input{ID: "1", Tool: "t", Agent: r.scope, Arguments: arguments}
		require.Equal(t, want, r.rt.Parallel(in), arguments)
		if p, _ := r.rt.Propose(t.Context(), in); p != nil {
			require.Equal(t, want, p.Parallel(), arguments)
		}
	}
	require.False(t, r.rt.Parallel(tool.Input{ID: "1", Tool: "nope", Arguments: "fits"}))
}

func TestBatchNeedsAJournal(t *testing.T) {
	require.ErrorContains(t, tool.Batch{Runtime: &tool.Runtime{}}.Run(t.Context(), []tool.Input{{}}), "a batch needs a runtime and a journal")
}
