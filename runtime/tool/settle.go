package tool

import (
	"context"
	"slices"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
)

// Call returns the call.
func (s *Settled) Call() Call { return s.call }

// Finish judges the result with tools/post-execute, lets the tool finalise its
// content, and tells tools/result. Called again it returns the same result.
func (s *Settled) Finish(ctx context.Context) Result {
	x := (*execution)(s)
	if !x.enter(stageDispatched, stageFinished) {
		return clone(x.result)
	}
	phase := x.begin(phaseResult, ctx)
	defer phase.end()
	if !x.final {
		x.result = x.unlessCancelled(ctx, x.review(ctx, phase))
	}
	x.finalize()
	x.publish(phase)
	return clone(x.result)
}

// done is what the handlers of the last two points are given.
func (x *execution) done() Done {
	return Done{Call: x.call, Result: clone(x.result), Ran: x.ran, DurationMS: x.took.Milliseconds(), Live: x.call.Live}
}

// review runs tools/post-execute and returns the result that it leaves.
func (x *execution) review(ctx context.Context, phase *graceful) Result {
	out := host.Fire(phase, x.asks(), PostExecute, x.done(), func(err error) PostDecision {
		return Block{Feedback: failureOf(err).Content}
	})
	if out.Fault != nil {
		failure := x.faulted(ctx, out.Fault, x.ran)
		if failure.Code == CodeAborted || failure.Code == CodeNotDispatched {
			failure.Contexts = contextsOfResult(x.result)
		}
		return failure
	}
	switch d := out.Decision.(type) {
	case Accept:
		return x.accept(d)
	case Block:
		return x.block(d)
	}
	return failed("invalid post-execute decision", "", "") // the point lets no other pass
}

// accept replaces what d replaces and adds its contexts.
func (x *execution) accept(d Accept) Result {
	contexts := joined(contextsOfResult(x.result), d.Contexts)
	switch {
	case d.Content != nil && !d.Value.IsAbsent():
		return failed(bothReplaced, "", "")
	case d.Content != nil && !losslessParts(d.Content):
		return failed(lossyResult, "", "")
	}
	switch r := x.result.(type) {
	case Success:
		if !d.Value.IsAbsent() {
			return x.revalue(d, contexts)
		}
		if d.Content != nil {
			r.Content = cloneParts(d.Content)
		}
		r.Contexts = contexts
		return r
	case Failure:
		if !d.Value.IsAbsent() {
			return failed(valueOfFailure, "", "")
		}
		if d.Content != nil {
			r.Content = cloneParts(d.Content)
		}
		r.Contexts = contexts
		return r
	}
	return x.result
}

// revalue makes the success anew from the value of d.
func (x *execution) revalue(d Accept, contexts []session.Context) Result {
	tool := x.scope.Tools.lookup(x.call.Tool)
	if tool == nil {
		return unknownTool(x.call.Tool)
	}
	r := tool.normalise(x.call, d.Value)
	if success, ok := r.(Success); ok {
		success.Contexts, success.Concludes = contexts, x.concludes
		return success
	}
	return r
}

// block withholds the result: the model is shown the feedback, and of the
// contexts only what the decision and tools/pre-execute added.
func (x *execution) block(d Block) Result {
	if !losslessParts(d.Feedback) {
		return failed(lossyResult, "", "")
	}
	message := textOf(d.Feedback)
	if message == "" {
		message = blockedText
	}
	out := failed(message, "", "")
	out.Content = cloneParts(d.Feedback)
	out.Contexts = joined(x.before, d.Contexts)
	return out
}

// finalize lets the tool bound what the model is shown, once for every outcome.
func (x *execution) finalize() {
	if x.tool == nil || x.tool.FinalizeContent == nil {
		return
	}
	var content []session.Part
	err := contain(func() (err error) {
		content, err = x.tool.FinalizeContent(x.call, clone(x.result))
		return err
	})
	switch {
	case err != nil:
		x.result = failureOf(err)
	case !losslessParts(content):
		x.result = failed(lossyResult, "", "")
	case content != nil:
		x.result = withContent(x.result, cloneParts(content))
	}
}

func withContent(r Result, content []session.Part) Result {
	switch r := r.(type) {
	case Success:
		r.Content = content
		return r
	case Failure:
		r.Content = content
		return r
	}
	return r
}

// publish tells what came of the call. Nothing that happens there matters to
// the outcome.
func (x *execution) publish(phase *graceful) {
	err := host.Tell(phase, x.asks(), OnResult, x.done())
	for _, err := range unjoined(err) {
		x.warn("tool %q (%s): tools/result observer failed: %s", x.call.Tool, x.call.ID, failureOf(err).Message)
	}
}

// unjoined returns the errors that a notification joined.
func unjoined(err error) []error {
	if err == nil {
		return nil
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // of this very error, not of one behind it
		return slices.Clone(list.Unwrap())
	}
	return []error{err}
}
