package codex

import (
	"errors"

	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// fits requires what the client itself requires of new arguments.
func fits(name string, arguments value.Value) error {
	if arguments.Kind() != value.Object {
		return errors.New("want an object, got " + arguments.Kind().String())
	}
	if command := arguments.Get(CommandKey); (name == ShellTool || name == PatchTool) && command.Kind() != value.String {
		return errors.New(CommandKey + ": want a string, got " + command.Kind().String())
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
	switch d := b.Decision.(type) {
	case tool.Deny:
		out.Permission, out.PermissionReason = "deny", serve.Or(d.Reason, serve.DenyReason)
		return out, nil
	case tool.Ask:
		const cannot = "this call needs approval, and a hook of this client cannot ask for it: "
		out.Permission, out.PermissionReason = "deny", cannot+serve.Or(d.Reason, serve.AskReason)
		return out, nil
	case tool.Allow:
		if d.Preapproved {
			b.Note("a hook of this client cannot preapprove a call: its user may be asked")
		}
	}
	if b.Rewrite != nil {
		// The client takes new arguments only together with this word. It spares
		// the user no question: approval comes after this hook.
		out.Permission, out.Input = "allow", b.Rewrite.Arguments
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
	switch d := a.Decision.(type) {
	case tool.Block:
		out.Decision, out.Reason = "block", serve.Or(serve.Text(d.Feedback), serve.BlockReason)
	case tool.Accept:
		content := d.Content
		if !d.Value.IsAbsent() {
			content = serve.Show(d.Value)
		}
		if content == nil {
			return out, nil
		}
		text, err := serve.Replacement(content)
		if err != nil {
			return serve.Output{}, err
		}
		out.Decision, out.Reason = "block", serve.Or(text, "(nothing is shown of this result)")
	}
	return out, nil
}
