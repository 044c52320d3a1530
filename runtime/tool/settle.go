package tool

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Call returns the call.
func (s *Settled) Call() Call { return (*execution)(s).shown() }

// Finish judges the result with tools/post-execute, lets the tool finalise its
// content, and tells tools/result. Called again it returns the same result.
func (s *Settled) Finish(ctx context.Context) Result {
	x := (*execution)(s)
	switch {
	case x.enter(stageDispatched, stageFinished):
	case x.stage.Load() == stageFinished:
		return x.out.copy()
	default: // it was made by a conversion of an earlier stage
		return x.misused("Finish").Finish(ctx)
	}
	if !x.final {
		if x.asked(PostExecute) {
			x.review(ctx)
		}
		x.unlessCancelled(ctx)
	}
	x.finalize()
	if x.asked(OnResult) {
		x.publish(ctx)
	}
	return x.out.result()
}

// done is what the handlers of the last two points are given.
func (x *execution) done() Done {
	return Done{Call: x.shown(), Result: x.out.copy(), Ran: x.ran, DurationMS: x.took.Milliseconds(), Live: x.call.Live}
}

// review lets tools/post-execute judge the outcome.
func (x *execution) review(ctx context.Context) {
	phase := begin(ctx, resultGrace)
	defer phase.end()
	out := host.Fire(phase, x.asks(), PostExecute, x.done(), func(err error) PostDecision {
		return Block{Feedback: failureOf(err).Content}
	})
	if out.Fault != nil {
		contexts := x.out.contexts()
		x.out = lost(x.faulted(ctx, out.Fault, x.ran))
		if code := x.out.failure.Code; code == CodeAborted || code == CodeNotDispatched {
			x.out.setContexts(contexts)
		}
		return
	}
	switch d := out.Decision.(type) {
	case Accept:
		if misuse := x.accept(d); misuse != nil {
			x.out = lost(*misuse)
		}
	case Block:
		x.out = lost(x.block(d))
	}
}

// accept replaces what d replaces and adds its contexts. It returns the failure
// that a misuse makes of the call.
func (x *execution) accept(d Accept) (misuse *Failure) {
	contexts := joined(x.out.contexts(), d.Contexts)
	switch {
	case d.Content != nil && !d.Value.IsAbsent():
		return misused(bothReplaced)
	case d.Content != nil && !losslessParts(d.Content):
		return misused(lossyResult)
	case d.Content != nil:
		x.out.setContent(cloneParts(d.Content))
	case d.Value.IsAbsent():
	case x.out.failed:
		return misused(valueOfFailure)
	default:
		if misuse := x.revalue(d.Value); misuse != nil {
			return misuse
		}
	}
	x.out.setContexts(contexts)
	return nil
}

func misused(text string) *Failure {
	f := failed(text, "", "")
	return &f
}

// revalue makes the success anew from another value.
func (x *execution) revalue(v value.Value) (wrong *Failure) {
	tool := x.scope.Tools.lookup(x.call.Tool)
	if tool == nil {
		f := unknownTool(x.call.Tool)
		return &f
	}
	o := tool.normalise(x, v)
	if o.failed {
		return &o.failure
	}
	o.success.Concludes = x.out.success.Concludes
	x.out = o
	return nil
}

// block is the failure of a result that is withheld: the model is shown the
// feedback, and of the contexts only what the decision and tools/pre-execute
// added.
func (x *execution) block(d Block) Failure {
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
		content, err = x.tool.FinalizeContent(x.shown(), x.out.copy())
		return err
	})
	switch {
	case err != nil:
		x.confess("FinalizeContent", err)
		x.out = lost(failureOf(err))
	case !losslessParts(content):
		x.out = lost(failed(lossyResult, "", ""))
	case content != nil:
		x.out.setContent(cloneParts(content))
	}
}

// publish tells what came of the call. Nothing that happens there matters to
// the outcome.
func (x *execution) publish(ctx context.Context) {
	phase := begin(ctx, resultGrace)
	defer phase.end()
	err := host.Tell(phase, x.asks(), OnResult, x.done())
	for _, err := range unjoined(err) {
		x.warn("tool %q (%s): tools/result observer failed: %s", x.call.Tool, x.call.ID, observed(err))
	}
}

// observed is what the log is told of an observer that failed: its message, or who
// it was if it has none but that of a panic.
func observed(err error) string {
	if message := failureOf(err).Message; message != internalError {
		return message
	}
	return told(err)
}

// unjoined returns the errors that a notification joined.
func unjoined(err error) []error {
	if err == nil {
		return nil
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()
	}
	return []error{err}
}
