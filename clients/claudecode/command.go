package claudecode

import (
	"errors"

	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// fits requires an object: the client ignores anything else and would run the
// call as the model wrote it.
func fits(_ string, arguments value.Value) error {
	if arguments.Kind() != value.Object {
		return errors.New("want an object, got " + arguments.Kind().String())
	}
	return nil
}

// before writes what was decided about a call that is about to run.
func before(b *serve.Before) (serve.Output, error) {
	context, err := b.Contexts()
	if err != nil {
		return serve.Output{}, err
	}
	out := serve.Output{Tell: serve.Told(b.Effects), Context: context}
	if reason, halted := b.Effects.Halted(); halted {
		out.Stop, out.StopReason = true, serve.Or(reason, serve.HaltReason)
	}
	switch d := b.Decision.(type) {
	case tool.Deny:
		out.Permission, out.PermissionReason = "deny", serve.Or(d.Reason, serve.DenyReason)
		return out, nil
	case tool.Ask:
		out.Permission, out.PermissionReason = "ask", serve.Or(d.Reason, serve.AskReason)
	case tool.Allow:
		if d.Preapproved {
			out.Permission = "allow"
		}
	}
	if b.Rewrite != nil {
		out.Input = b.Rewrite.Arguments
	}
	return out, nil
}

// after writes what was decided about a result.
func after(a *serve.After) (serve.Output, error) {
	context, err := a.Contexts()
	if err != nil {
		return serve.Output{}, err
	}
	out := serve.Output{Tell: serve.Told(a.Effects), Context: context}
	if reason, halted := a.Effects.Halted(); halted {
		out.Stop, out.StopReason = true, serve.Or(reason, serve.HaltReason)
	}
	switch d := a.Decision.(type) {
	case tool.Block:
		block(&out, a, serve.Or(serve.Text(d.Feedback), serve.BlockReason))
	case tool.Accept:
		out.ToolOutput, err = replaced(a.Done, d)
	}
	return out, err
}

func block(out *serve.Output, a *serve.After, feedback string) {
	out.Decision, out.Reason = "block", feedback
	shown, ok := showing(a.Done, feedback)
	if ok {
		out.ToolOutput = shown
		return
	}
	const cannot = "the result itself could not be withheld: the shape in which its tool returns it is not known"
	out.Reason += "\n(" + cannot + ")"
	a.Note(a.Done.Call.Tool + ": " + cannot)
}

// replaced is the result that the model is shown instead; absent if it is the
// tool's own.
func replaced(done tool.Done, d tool.Accept) (value.Value, error) {
	switch {
	case d.Content != nil:
		text, err := serve.Replacement(d.Content)
		if err != nil {
			return value.Value{}, err
		}
		if shown, ok := showing(done, text); ok {
			return shown, nil
		}
	case !d.Value.IsAbsent():
		if shown, ok := returning(done, d.Value); ok {
			return shown, nil
		}
	default:
		return value.Value{}, nil
	}
	return value.Value{}, errors.New("accept: the client would not take this in place of a result of " + done.Call.Tool)
}
