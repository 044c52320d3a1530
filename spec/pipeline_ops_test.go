package spec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// extension is one handler of a scenario.
type extension struct {
	name    string
	install func(in *point.Installer)
}

func (e extension) Name() string { return e.name }

func (e extension) Install(in *point.Installer) error { e.install(in); return nil }

// attachAll attaches the handlers of the scenario, each as an extension.
func (w *world) attachAll() {
	for _, h := range w.given.Pre {
		w.attach(h, "pre", func(in *point.Installer, at point.Attach) { tool.PreExecute.HandleWith(in, w.pre(h), at) })
	}
	for _, h := range w.given.Around {
		w.attach(h, "around", func(in *point.Installer, at point.Attach) { tool.OnExecute.HandleWith(in, w.around(h), at) })
	}
	for _, h := range w.given.Post {
		w.attach(h, "post", func(in *point.Installer, at point.Attach) { tool.PostExecute.HandleWith(in, w.post(h), at) })
	}
	for _, h := range w.given.Guards {
		w.addGuard(h)
	}
	for _, h := range w.given.Observers {
		w.attach(h, "observer", func(in *point.Installer, at point.Attach) { tool.OnResult.HandleWith(in, w.observe(h), at) })
	}
	if w.given.Approval != nil {
		for _, h := range w.given.Approval.Answerers {
			w.attach(h, "answerer", func(in *point.Installer, at point.Attach) { tool.OnApprove.HandleWith(in, w.answer(h), at) })
		}
	}
}

func (w *world) addGuard(h pipelineHandler) {
	w.attach(h, "guard", func(in *point.Installer, at point.Attach) { tool.OnGuard.HandleWith(in, w.guard(h), at) })
}

func (w *world) attach(h pipelineHandler, kind string, inGo func(*point.Installer, point.Attach)) {
	if w.language == "lua" && w.scripted(h, kind) {
		return
	}
	w.install(h.Scope, extension{h.ID, func(in *point.Installer) { inGo(in, point.Attach{First: h.Prepend}) }})
}

// do runs an op that all kinds of handlers share.
func (w *world) do(op pipelineOp, call tool.Call) error {
	switch op.Op {
	case "trace":
		w.trace("%s", op.Label)
	case "throw":
		return op.thrown()
	case "abortCaller":
		w.cancel(nil)
	case "unregister":
		w.removers[op.Tool]()
	case "mutateArgs":
		w.trace("mutate-args:%v", w.written(call.Arguments))
	case "sleep":
		time.Sleep(time.Duration(op.Ms) * time.Millisecond)
	default:
		return fmt.Errorf("the runner has no op %q", op.Op)
	}
	return nil
}

// written writes into the arguments that the caller still holds, and reports
// whether the call saw it.
func (w *world) written(arguments value.Value) bool {
	args, ok := w.args.(map[string]any)
	if ok {
		args["written"] = true
	}
	return !arguments.Get("written").IsAbsent()
}

// thrown is the error that the op raises; what is no error is a panic, as a body
// in Go would have it.
func (op pipelineOp) thrown() error {
	switch {
	case op.Hostile:
		return hostile{}
	case op.Raw != nil:
		var x any
		_ = json.Unmarshal(op.Raw, &x)
		panic(x)
	case op.Code != "":
		name := op.Name
		if name == "" {
			name = "HarnessError"
		}
		return &tool.Error{Message: *op.Message, Name: name, Code: tool.Code(op.Code)}
	case op.Message == nil:
		return errors.New("")
	}
	return errors.New(*op.Message)
}

// hostile is an error that fails when it is asked what it says.
type hostile struct{}

func (hostile) Error() string { panic("no") }

func (w *world) pre(h pipelineHandler) tool.PreHandler {
	return func(ctx context.Context, call tool.Call, next tool.PreNext) (last tool.PreDecision, err error) {
		w.saw(call)
		w.trace("pre:%s", h.ID)
		if h.OnlyTool != "" && h.OnlyTool != call.Tool {
			return next(ctx)
		}
		for _, op := range h.Do {
			switch op.Op {
			case "next":
				last, err = next(ctx)
			case "decide":
				return op.Decision.pre(), nil
			case "returnNext":
				return last, nil
			case "addGuard":
				w.addGuard(*op.Guard)
			default:
				err = w.do(op, call)
			}
			if err != nil {
				return nil, err
			}
		}
		return last, nil
	}
}

func (d pipelineDecision) pre() tool.PreDecision {
	reason := ""
	if d.Reason != nil {
		reason = *d.Reason
	}
	switch d.Kind {
	case "allow":
		return tool.Allow{}
	case "deny":
		return tool.Deny{Reason: reason}
	case "ask":
		return tool.Ask{Reason: reason}
	}
	return nil
}

func (w *world) guard(h pipelineHandler) point.GuardHandler[tool.Call, tool.GuardDecision] {
	return func(_ context.Context, call tool.Call) (tool.GuardDecision, error) {
		w.saw(call)
		w.trace("guard:%s", h.ID)
		if h.AddGuard != nil {
			w.addGuard(*h.AddGuard)
		}
		switch {
		case h.OnlyTool != "" && h.OnlyTool != call.Tool:
		case h.Throw != nil:
			return nil, h.Throw.thrown()
		case h.Deny != nil:
			return tool.Forbid{Reason: *h.Deny}, nil
		}
		return tool.Abstain{}, nil
	}
}

func (w *world) answer(h pipelineHandler) point.Handler[tool.Approval, tool.ApprovalDecision] {
	return func(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
		w.trace("ask:%s", h.ID)
		if h.RecordAs != "" {
			w.note(h.RecordAs, map[string]any{"toolName": a.Call.Tool, "callId": a.Call.ID, "reason": a.Reason})
		}
		if h.AbortCaller {
			w.cancel(nil)
		}
		switch {
		case h.Throw != nil:
			return nil, h.Throw.thrown()
		case h.Delegate:
			return next(ctx)
		}
		return approvalAnswer(h.Outcome)
	}
}

func (w *world) around(h pipelineHandler) point.Handler[tool.Call, tool.Result] {
	return func(ctx context.Context, call tool.Call, next point.Next[tool.Result]) (last tool.Result, err error) {
		w.saw(call)
		w.trace("around:%s", h.ID)
		inner, abort := ctx, context.CancelCauseFunc(nil)
		for _, op := range h.Do {
			switch op.Op {
			case "when":
				if op.Tool != call.Tool {
					return next(ctx)
				}
			case "next":
				if last, err = next(inner); err == nil {
					w.trace("around-after:%s:%s", h.ID, okOrCode(last))
				}
			case "decide":
				return op.Result.result(), nil
			case "returnNext":
				return last, nil
			case "patch":
				last = patched(last, op.Set)
			case "replaceSignal":
				inner, abort = context.WithCancelCause(context.Background())
				defer abort(nil)
				if op.Aborted {
					abort(nil)
				}
			case "abortReplacement":
				abort(nil)
			case "abortReplacementIn":
				defer time.AfterFunc(time.Duration(op.Ms)*time.Millisecond, func() { abort(nil) }).Stop()
			case "cache":
				w.cached = last
			case "returnCached":
				return w.cached, nil
			case "mutateResult":
				w.trace("mutate-result:%v", false)
				contentOf(last)[0] = session.Text{Text: "written"}
			default:
				err = w.do(op, call)
			}
			if err != nil {
				return nil, err
			}
		}
		return last, nil
	}
}

func (r pipelineResult) result() tool.Result {
	if r.IsError {
		return tool.Failure{
			Message: r.Error.Message, Name: r.Error.Name, Code: tool.Code(r.Error.Code),
			Content: parts(r.Content), Meta: r.Meta, Contexts: contexts(r.Contexts),
		}
	}
	return tool.Success{Value: r.Value, Content: parts(r.Content), Meta: r.Meta, Contexts: contexts(r.Contexts), Concludes: r.ConcludesTurn}
}

func patched(r tool.Result, set pipelineResult) tool.Result {
	switch r := r.(type) {
	case tool.Success:
		if !set.Value.IsAbsent() {
			r.Value = set.Value
		}
		if set.Content != nil {
			r.Content = parts(set.Content)
		}
		if !set.Meta.IsAbsent() {
			r.Meta = set.Meta
		}
		r.Contexts = slices.Concat(r.Contexts, contexts(set.Contexts))
		return r
	case tool.Failure:
		if set.Content != nil {
			r.Content = parts(set.Content)
		}
		r.Contexts = slices.Concat(r.Contexts, contexts(set.Contexts))
		return r
	}
	return r
}

func (w *world) post(h pipelineHandler) point.Handler[tool.Done, tool.PostDecision] {
	return func(ctx context.Context, done tool.Done, next point.Next[tool.PostDecision]) (last tool.PostDecision, err error) {
		w.saw(done.Call)
		w.trace("post:%s:%s", h.ID, okOrCode(done.Result))
		if h.OnlyTool != "" && h.OnlyTool != done.Call.Tool {
			return next(ctx)
		}
		for _, op := range h.Do {
			switch op.Op {
			case "next":
				last, err = next(ctx)
			case "decide":
				return op.Decision.post(), nil
			case "returnNext":
				return last, nil
			case "prependContext", "appendContext":
				last = folded(last, op)
			case "recordSignal":
				w.note(op.As, map[string]any{"isCaller": ctx.Value(callerMark{}) == true && ctx.Err() == nil})
			case "mutateResult":
				w.trace("mutate-result:%v", false)
				contentOf(done.Result)[0] = session.Text{Text: "written"}
			default:
				err = w.do(op, done.Call)
			}
			if err != nil {
				return nil, err
			}
		}
		return last, nil
	}
}

func folded(d tool.PostDecision, op pipelineOp) tool.PostDecision {
	own := []session.Context{{Text: op.Text, Extension: op.Plugin}}
	with := func(list []session.Context) []session.Context {
		if op.Op == "appendContext" {
			return slices.Concat(list, own)
		}
		return slices.Concat(own, list)
	}
	switch d := d.(type) {
	case tool.Accept:
		d.Contexts = with(d.Contexts)
		return d
	case tool.Block:
		d.Contexts = with(d.Contexts)
		return d
	}
	return d
}

func (d pipelineDecision) post() tool.PostDecision {
	switch d.Kind {
	case "accept":
		out := tool.Accept{Value: d.Value, Contexts: contexts(d.Contexts)}
		if d.Content != nil {
			out.Content = parts(d.Content)
		}
		if d.ValueLossy != "" {
			out.Value, _ = value.ParseString("-0")
		}
		if d.ContentLossy {
			out.Content = []session.Part{nil}
		}
		return out
	case "block":
		out := tool.Block{Feedback: parts(d.Feedback), Contexts: contexts(d.Contexts)}
		if d.FeedbackLossy {
			out.Feedback = []session.Part{nil}
		}
		return out
	}
	return nil
}

func (w *world) observe(h pipelineHandler) func(context.Context, tool.Done) error {
	return func(_ context.Context, done tool.Done) error {
		w.saw(done.Call)
		w.trace("result:%s:%s", h.ID, okOrError(done.Result))
		w.mu.Lock()
		w.observed = append(w.observed, compact(recorded(done.Result)))
		w.mu.Unlock()
		if h.RecordAs != "" {
			defer scribble(done.Result)
			w.note(h.RecordAs, map[string]any{
				"execFrozen": true, "resultFrozen": true, "contentFrozen": true,
				"argsDefined": !done.Call.Arguments.IsAbsent(), "name": done.Call.Tool,
			})
		}
		switch {
		case h.Throw != nil:
			return h.Throw.thrown()
		case h.Reject != nil:
			return h.Reject.thrown()
		}
		return nil
	}
}

// body runs the ops of a tool's body.
func (w *world) body(ctx context.Context, run *tool.Running, d pipelineTool) (any, error) {
	call := run.Call()
	w.saw(call)
	w.trace("body:%s", d.Name)
	if d.RecordBody != "" {
		w.note(d.RecordBody, map[string]any{
			"argsFrozen": true, "args": call.Arguments, "callId": call.ID, "rootCallId": call.Root(), "hasParent": call.Nested(),
		})
	}
	for _, op := range d.Body {
		switch op.Op {
		case "return":
			if op.Lossy != "" {
				return lossy(w.t, op.Lossy), nil
			}
			return op.Value, nil
		case "returnArgs":
			return call.Arguments, nil
		case "returnArg":
			return call.Arguments.Get(op.Arg), nil
		case "defer":
			run.DeferContext(session.Context{Text: op.Text, Extension: op.Plugin})
		case "conclude":
			run.ConcludeTurn()
		case "recordSignal":
			w.note(op.As, map[string]any{"isCaller": ctx.Value(callerMark{}) == true})
		case "awaitAbort":
			<-ctx.Done()
			w.trace("body-saw-abort:true")
		case "nested":
			w.nest(ctx, run, op)
		default:
			if err := w.do(op, call); err != nil {
				return nil, err
			}
		}
	}
	return value.Value{}, nil
}

// nest makes a call from within a body.
func (w *world) nest(ctx context.Context, run *tool.Running, op pipelineOp) {
	args := any(op.Args)
	if op.Args.IsAbsent() {
		args = value.OfObject()
	}
	r := run.Execute(ctx, tool.Input{ID: op.CallID, Tool: op.Name, Arguments: args})
	w.trace("nested:%s:%s", op.Name, okOrError(r))
	var meta, concludes bool
	var list []session.Context
	note := map[string]any{}
	switch r := r.(type) {
	case tool.Success:
		meta, concludes, list = !r.Meta.IsAbsent(), r.Concludes, r.Contexts
		note["isError"], note["value"] = false, r.Value
	case tool.Failure:
		meta, list = !r.Meta.IsAbsent(), r.Contexts
		note["isError"], note["message"] = true, r.Message
	}
	note["meta"] = meta
	if op.Record != "" {
		w.note(op.Record, note)
	}
	if op.Forward {
		for _, c := range list {
			run.DeferContext(c)
		}
		if concludes {
			run.ConcludeTurn()
		}
	}
}

// Live: scripts reach the world through their session.

func (w *world) Inject(session.Message) error { return nil }
func (w *world) Steer(session.Message) error  { return nil }
func (w *world) Halt(string) error            { return nil }
