package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Definition is a tool. It must not change once it is registered. Its
// functions are called from many goroutines at once; a panic in one counts as
// an error.
type Definition struct {
	// Name is what the model calls.
	Name string
	// Description tells the model what the tool is for.
	Description string
	// Parameters is the JSON Schema of the arguments. Absent means that any JSON
	// will do. Arguments that do not fit never reach Execute.
	Parameters value.Value
	// Unchecked hands arguments to Execute without comparing them with
	// Parameters, which then may be any JSON Schema.
	Unchecked bool
	// Output says what the tool returns.
	Output Output
	// Execute is the body. What it returns must pass [Snapshot] and fit
	// Output.Schema. It is always waited for: it should end soon after ctx does,
	// and one that ignores ctx holds up its agent.
	Execute func(ctx context.Context, run *Running) (any, error)
	// FinalizeContent may replace what the model is shown, whatever the outcome,
	// for instance to bound its size; nil content keeps it. It is called once for
	// every call of the tool, also for one that was denied; the arguments of call
	// are absent if they were not JSON.
	FinalizeContent func(call Call, result Result) ([]session.Part, error)
	// Timeout is how long the body may take, for a wrapper that enforces it; 0
	// means that there is no limit.
	Timeout time.Duration
	// Parallel reports whether a call with these arguments may overlap with
	// others. nil means never.
	Parallel func(arguments value.Value) bool
	// Action says what a call with these arguments would do; nil means that
	// nobody knows, which is [Other].
	Action func(arguments value.Value) Action
}

// Output is the contract of what a tool returns.
type Output struct {
	// Schema is the JSON Schema of the value, in the subset that package
	// jsonschema describes; the empty object takes any JSON. It must be there.
	Schema value.Value
	// Render makes what the model is shown of a value; nil shows a string as it
	// is and anything else as compact JSON.
	Render func(arguments, v value.Value) ([]session.Part, error)
	// Meta makes what a front end is shown beside the content, of calls that the
	// model made itself; nil means nothing.
	Meta func(arguments, v value.Value) (any, error)
}

// Running is what a body knows of its call and may do beside returning a
// value. It is safe for concurrent use; after the body has returned it does
// nothing, even if a wrapper has the tool run again.
type Running struct {
	x      *execution
	inside context.Context //nolint:containedctx // the body's, while it runs; under the lock of x
}

// Call returns the call.
func (r *Running) Call() Call { return r.x.shown() }

// Arguments returns the arguments of the call.
func (r *Running) Arguments() value.Value { return r.x.call.Arguments }

// DeferContext adds a text for the model to the result, whatever becomes of the
// body. Without an extension it is the tool's own.
func (r *Running) DeferContext(c session.Context) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	if r.inside != nil {
		r.x.deferred = append(r.x.deferred, attributed(r.x.call.Tool, c))
	}
}

// ConcludeTurn asks to end the turn without another request to the model, if
// the call succeeds.
func (r *Running) ConcludeTurn() {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	if r.inside != nil {
		r.x.concludes = true
	}
}

// Execute makes a nested call: it passes the whole pipeline, has no meta, and
// hands neither its contexts nor its wish to conclude to this call. in.Parent,
// in.Root and, if nil, in.Agent are those of this call; an empty in.ID is
// numbered. It is cancelled by ctx and, whatever ctx is, with the body; once the
// body has returned it is cancelled from the start.
func (r *Running) Execute(ctx context.Context, in Input) Result {
	ctx, release := r.within(ctx)
	defer release()
	in.Parent, in.Root = r.x.call.token, r.x.id.root
	if in.Agent == nil && r.x.scope != &r.x.rt.Root {
		in.Agent = r.x.scope
	}
	if in.ID == "" {
		in.ID = fmt.Sprintf("%s:%d", r.x.call.ID, r.x.nested.Add(1))
	}
	return r.x.rt.Execute(ctx, in)
}

// within ends ctx with the body, so that no body can detach what it calls.
func (r *Running) within(ctx context.Context) (context.Context, func()) {
	r.x.mu.Lock()
	body := r.inside
	r.x.mu.Unlock()
	if same(body, ctx) {
		return ctx, func() {}
	}
	joined, cancel := context.WithCancelCause(ctx)
	if body == nil {
		cancel(context.Canceled)
		return joined, func() {}
	}
	if body.Err() != nil {
		cancel(context.Cause(body))
	}
	stop := context.AfterFunc(body, func() { cancel(context.Cause(body)) })
	return joined, func() { stop(); cancel(context.Canceled) }
}

// same reports whether two contexts are known to be one. Not every context can
// be compared.
func same(a, b context.Context) (is bool) {
	defer func() { _ = recover() }()
	return a == b
}

// registered is a definition with its schemas compiled.
type registered struct {
	Definition
	parameters *jsonschema.Schema // nil if arguments are not checked
	output     *jsonschema.Schema
}

// reserved are names that no tool may have.
var reserved = []string{"run_code"}

func prepare(d Definition) (*registered, error) {
	switch {
	case d.Name == "" || !utf8.ValidString(d.Name):
		return nil, errors.New("a tool needs a name")
	case slices.Contains(reserved, d.Name):
		return nil, fmt.Errorf("the tool name %q is reserved", d.Name)
	case d.Execute == nil:
		return nil, fmt.Errorf("tool %q has no body", d.Name)
	case d.Output.Schema.IsAbsent():
		return nil, fmt.Errorf("tool %q: Output.Schema is missing; the empty object takes any value", d.Name)
	case d.Timeout < 0:
		return nil, fmt.Errorf("tool %q: Timeout is negative", d.Name)
	}
	r := &registered{Definition: d}
	var err error
	if r.output, err = jsonschema.Compile(d.Output.Schema); err != nil {
		return nil, fmt.Errorf("tool %q: output: %w", d.Name, err)
	}
	if !d.Parameters.IsAbsent() && !d.Unchecked {
		if r.parameters, err = jsonschema.Compile(d.Parameters); err != nil {
			return nil, fmt.Errorf("tool %q: parameters: %w", d.Name, err)
		}
	}
	return r, nil
}

// faultPrefix begins the fault of a call whose arguments do not fit.
const faultPrefix = "invalid-arguments: "

// FaultUnknown is the [Call.Fault] of a call whose tool is not there.
const FaultUnknown = "unknown-tool"

// fault says why a call with these arguments will fail; empty if nothing is
// known against it. d may be nil.
func (d *registered) fault(arguments value.Value) string {
	if d == nil {
		return FaultUnknown
	}
	if d.parameters == nil {
		return ""
	}
	if violations := d.parameters.Check(arguments, ""); len(violations) > 0 {
		return faultPrefix + strings.Join(violations, "; ")
	}
	return ""
}

// action asks the tool what it is about to do. A definition that cannot tell
// says nothing.
func (d *registered) action(arguments value.Value) (a Action) {
	if d == nil || d.Action == nil {
		return Other{}
	}
	err := contain(func() error { a = d.Action(arguments); return nil })
	if err != nil || a == nil {
		return Other{}
	}
	return a
}

// parallel reports whether the tool is sure that a call may overlap.
func (d *registered) parallel(arguments value.Value) (yes bool) {
	if d == nil || d.Parallel == nil || d.fault(arguments) != "" {
		return false
	}
	err := contain(func() error { yes = d.Parallel(arguments); return nil })
	return yes && err == nil
}

// normalise checks what a body returned and makes its success, which has no
// contexts and does not conclude. What is wrong with it makes a failure.
func (d *registered) normalise(x *execution, returned any) outcome {
	v, err := Snapshot(returned)
	if err != nil {
		return lost(invalidOutput(d.Name, ErrLossy.Error()))
	}
	if violations := d.output.Check(v, "value"); len(violations) > 0 {
		return lost(invalidOutput(d.Name, strings.Join(violations, "; ")))
	}
	out := outcome{success: Success{Value: v}}
	if d.Output.Render == nil {
		out.success.Content = defaultContent(v)
	} else if what := d.render(x, v, &out.success); what != "" {
		return lost(invalidOutput(d.Name, what))
	}
	if d.Output.Meta != nil && !x.call.Nested() {
		if what := d.meta(x, v, &out.success); what != "" {
			return lost(invalidOutput(d.Name, what))
		}
	}
	return out
}

// render makes the content of out, or says what is wrong with it.
func (d *registered) render(x *execution, v value.Value, out *Success) (wrong string) {
	var content []session.Part
	err := contain(func() (err error) { content, err = d.Output.Render(x.call.Arguments, v); return err })
	switch {
	case err != nil:
		x.confess("Output.Render", err)
		return "output.render failed: " + failureOf(err).Message
	case !losslessParts(content):
		return "output.render returned non-lossless JSON"
	}
	out.Content = cloneParts(content)
	return ""
}

// meta makes the meta of out, or says what is wrong with it.
func (d *registered) meta(x *execution, v value.Value, out *Success) (wrong string) {
	var meta any
	err := contain(func() (err error) { meta, err = d.Output.Meta(x.call.Arguments, v); return err })
	if err != nil {
		x.confess("Output.Meta", err)
		return "output.presentationMeta failed: " + failureOf(err).Message
	}
	if out.Meta, err = Snapshot(meta); err != nil {
		return "output.presentationMeta returned non-lossless JSON"
	}
	return ""
}

// defaultContent shows text as it is and everything else as compact JSON.
func defaultContent(v value.Value) []session.Part {
	return []session.Part{session.Text{Text: v.String()}}
}
