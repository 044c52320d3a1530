package spec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
	"github.com/dsh-lua/dsh/runtime/value"
)

type pipelineGiven struct {
	Tools         []pipelineTool
	Pre           []pipelineHandler
	Around        []pipelineHandler
	Post          []pipelineHandler
	Guards        []pipelineHandler
	Observers     []pipelineHandler
	Approval      *pipelineApproval
	IdleAgents    []string
	Parents       map[string]string
	TimeoutPolicy bool
	Restrict      []struct {
		Scope  string
		Filter struct{ Allow, Deny []string }
	}
}

type pipelineTool struct {
	Name, Scope string
	Params      value.Value
	Output      struct {
		Schema, DSL  value.Value
		Render       string
		RenderThrows string
		RenderLossy  bool
		Meta         any
	}
	TimeoutMs  int64
	Parallel   any
	Finalize   *pipelineFinalize
	Body       []pipelineOp
	RecordBody string
	RecordFin  string `json:"recordFinalize"`
}

type pipelineFinalize struct {
	Content  []pipelineBlock
	Throws   *string
	Lossy    bool
	Truncate int
}

type pipelineHandler struct {
	ID, Scope, OnlyTool, RecordAs string
	Prepend                       bool
	Do                            []pipelineOp
	Deny                          *string
	AddGuard                      *pipelineHandler
	Throw                         *pipelineOp
	Reject                        *pipelineOp
	Outcome                       string
	Delegate, AbortCaller         bool
}

type pipelineOp struct {
	Op, Text, Plugin, Label, Tool, As, Name, CallID, Record, Arg, Lossy string
	Message                                                             *string
	Code                                                                string
	Raw                                                                 json.RawMessage
	Hostile, Forward, Aborted                                           bool
	Value                                                               value.Value
	Args                                                                value.Value
	Ms                                                                  int64
	Decision                                                            pipelineDecision
	Result                                                              pipelineResult
	Set                                                                 pipelineResult
	Guard                                                               *pipelineHandler
}

type pipelineDecision struct {
	Kind          string
	Reason        *string
	Content       []pipelineBlock
	Feedback      []pipelineBlock
	Value         value.Value
	ValueLossy    string
	ContentLossy  bool
	FeedbackLossy bool
	Contexts      []pipelineContext
}

type pipelineResult struct {
	IsError       bool
	Value, Meta   value.Value
	Content       []pipelineBlock
	Error         struct{ Message, Name, Code string }
	Contexts      []pipelineContext
	ConcludesTurn bool
}

type pipelineBlock struct {
	Type, Text string
}

type pipelineContext struct{ Text, Plugin string }

type pipelineApproval struct {
	Policy    string
	StandIn   *string
	Answerers []pipelineHandler
}

type pipelineCall struct {
	Name, CallID, Agent, RootCallID, Signal, ArgsLossy string
	Args                                               json.RawMessage
	AbortAfterMs                                       int64
	Nested, Mode, CheckCallerArgs                      bool
}

// A world is what one scenario is run in.
type world struct {
	t        *trial
	given    pipelineGiven
	language string
	rt       *tool.Runtime
	scopes   map[string]*tool.Scope
	removers map[string]func()

	mu           sync.Mutex
	phases       []string
	warnings     []string
	notes        map[string]any
	tokens       map[tool.Token]bool
	cancel       context.CancelCauseFunc // of the call under way
	args         any                     // its arguments, as its caller holds them
	cached       tool.Result
	observed     []string
	observedSame bool
}

func newWorld(t *trial, given pipelineGiven, language string) *world {
	w := &world{
		t: t, given: given, language: language, scopes: map[string]*tool.Scope{}, removers: map[string]func(){},
		notes: map[string]any{}, tokens: map[tool.Token]bool{}, observedSame: true,
	}
	w.rt = &tool.Runtime{
		Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}, Live: w}, Tools: new(tool.Registry)},
		Warn: w.warn,
	}
	w.approvals()
	for _, d := range given.Tools {
		remove, err := w.scope(d.Scope).Tools.Register(w.definition(d))
		require.NoError(t, err)
		w.removers[d.Name] = remove
	}
	for _, r := range given.Restrict {
		_, err := w.scope(r.Scope).Tools.Restrict(tool.Restriction{Allow: r.Filter.Allow, Deny: r.Filter.Deny})
		require.NoError(t, err)
	}
	if given.TimeoutPolicy {
		w.install("", wrap.Timeout{})
	}
	w.attachAll()
	return w
}

// scope returns the scope of an agent; the empty name is the root.
func (w *world) scope(agent string) *tool.Scope {
	if agent == "" {
		return &w.rt.Root
	}
	if s := w.scopes[agent]; s != nil {
		return s
	}
	parent := w.scope(w.given.Parents[agent])
	s := &tool.Scope{
		Host:  host.Host{Run: point.Run{Handlers: parent.Host.Run.Handlers.Child()}, Live: w},
		Tools: parent.Tools.Child(), Session: session.Ref{ID: agent},
	}
	w.scopes[agent] = s
	return s
}

func (w *world) install(scope string, ext point.Extension) {
	_, err := w.scope(scope).Host.Run.Handlers.Install(ext)
	require.NoError(w.t, err)
}

func (w *world) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phases = append(w.phases, fmt.Sprintf(format, args...))
}

func (w *world) note(name string, x any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes[name] = x
}

// warn keeps the warnings that the recording is about: handlers whose failure
// makes a failure are told too, which it does not know.
func (w *world) warn(text string) {
	if strings.Contains(text, "observer failed") {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.warnings = append(w.warnings, text)
	}
}

func (w *world) saw(c tool.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tokens[c.Token()] = true
}

// execute makes one call and returns its outcome in the recording's form.
func (w *world) execute(call pipelineCall, index int) any {
	in := tool.Input{ID: call.CallID, Tool: call.Name, Root: call.RootCallID}
	if in.ID == "" {
		in.ID = fmt.Sprintf("c%d", index+1)
	}
	if call.Agent != "" {
		in.Agent = w.scope(call.Agent)
	}
	require.NoError(w.t, json.Unmarshal(call.Args, &in.Arguments))
	if call.ArgsLossy != "" {
		in.Arguments = lossy(w.t, call.ArgsLossy)
	}
	if call.Mode {
		return map[string]any{"executionMode": map[bool]string{true: "parallel", false: "exclusive"}[w.rt.Parallel(in)]}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), callerMark{}, true))
	defer cancel(nil)
	if call.Signal == "preaborted" {
		cancel(nil)
	}
	if call.AbortAfterMs > 0 {
		defer time.AfterFunc(time.Duration(call.AbortAfterMs)*time.Millisecond, func() { cancel(nil) }).Stop()
	}
	w.cancel, w.args, w.observed = cancel, in.Arguments, nil
	if call.Nested {
		in.Parent = w.outerToken()
	}
	before := compact(call.Args)
	result := w.rt.Execute(ctx, in)
	for _, seen := range w.observed {
		w.observedSame = w.observedSame && seen == compact(recorded(result))
	}
	if call.CheckCallerArgs {
		args, _ := in.Arguments.(map[string]any)
		delete(args, "written")
		w.note("callerArgs", map[string]any{"unchanged": compact(args) == before, "frozen": false})
	}
	out := recorded(result)
	if call.ArgsLossy == "deep" && out["value"] != nil {
		out["value"] = "<deep>" // as the recording has it, whatever was returned
	}
	return out
}

// callerMark tells a context that descends from the caller's.
type callerMark struct{}

// outerToken mints the identity of a call that stands around others.
func (w *world) outerToken() (token tool.Token) {
	outer := &tool.Runtime{Root: tool.Scope{Tools: new(tool.Registry)}}
	_, err := outer.Root.Tools.Register(tool.Definition{
		Name: "outer", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(_ context.Context, r *tool.Running) (any, error) { token = r.Call().Token(); return nil, nil },
	})
	require.NoError(w.t, err)
	outer.Execute(context.Background(), tool.Input{ID: "outer", Tool: "outer"})
	return token
}

func (w *world) definition(d pipelineTool) tool.Definition {
	def := tool.Definition{Name: d.Name, Timeout: time.Duration(d.TimeoutMs) * time.Millisecond, Output: tool.Output{Schema: d.Output.Schema}}
	if !d.Params.IsAbsent() {
		schema, err := jsonschema.Parameters(d.Params)
		require.NoError(w.t, err)
		def.Parameters = schema
	}
	if !d.Output.DSL.IsAbsent() {
		schema, err := jsonschema.Value(d.Output.DSL)
		require.NoError(w.t, err)
		def.Output.Schema = schema
	}
	if def.Output.Schema.IsAbsent() {
		def.Output.Schema = value.OfObject()
	}
	w.outputs(&def, d)
	def.Execute = func(ctx context.Context, run *tool.Running) (any, error) { return w.body(ctx, run, d) }
	if d.Parallel != nil {
		def.Parallel = func(value.Value) bool {
			if d.Parallel == "throws" {
				panic("predicate failed")
			}
			return d.Parallel == true
		}
	}
	if d.Finalize != nil {
		def.FinalizeContent = func(c tool.Call, r tool.Result) ([]session.Part, error) { return w.finalize(d, c, r) }
	}
	return def
}

func (w *world) outputs(def *tool.Definition, d pipelineTool) {
	switch {
	case d.Output.RenderThrows != "":
		def.Output.Render = func(_, _ value.Value) ([]session.Part, error) { return nil, errors.New(d.Output.RenderThrows) }
	case d.Output.RenderLossy:
		def.Output.Render = func(_, _ value.Value) ([]session.Part, error) { return []session.Part{nil}, nil }
	case d.Output.Render == "none":
		def.Output.Render = func(_, _ value.Value) ([]session.Part, error) { return nil, nil }
	case d.Output.Render == "prefix":
		def.Output.Render = func(_, v value.Value) ([]session.Part, error) {
			return []session.Part{session.Text{Text: "render:" + v.Get("text").String()}}, nil
		}
	}
	switch d.Output.Meta {
	case true:
		def.Output.Meta = func(_, v value.Value) (any, error) { return map[string]any{"projected": v}, nil }
	case "throws":
		def.Output.Meta = func(_, _ value.Value) (any, error) { return nil, errors.New("meta exploded") }
	case "lossy":
		def.Output.Meta = func(_, _ value.Value) (any, error) { return func() {}, nil }
	}
}

func (w *world) finalize(d pipelineTool, c tool.Call, r tool.Result) ([]session.Part, error) {
	w.saw(c)
	w.trace("finalize:%s:%s", d.Name, okOrError(r))
	if d.RecordFin != "" {
		defer scribble(r)
		w.note(d.RecordFin, map[string]any{"resultFrozen": true, "hasArgs": !c.Arguments.IsAbsent()})
	}
	switch f := d.Finalize; {
	case f.Throws != nil:
		return nil, errors.New(*f.Throws)
	case f.Lossy:
		return []session.Part{nil}, nil
	case f.Truncate > 0:
		text, _ := contentOf(r)[0].(session.Text)
		return []session.Part{session.Text{Text: string([]rune(text.Text)[:min(f.Truncate, len([]rune(text.Text)))])}}, nil
	case f.Content != nil:
		return parts(f.Content), nil
	}
	return nil, nil
}

// scribble writes into what was handed out; nobody else may see it.
func scribble(r tool.Result) {
	if content := contentOf(r); len(content) > 0 {
		content[0] = session.Text{Text: "scribbled"}
	}
}

func contentOf(r tool.Result) []session.Part {
	switch r := r.(type) {
	case tool.Success:
		return r.Content
	case tool.Failure:
		return r.Content
	}
	return nil
}

func okOrError(r tool.Result) string {
	if _, ok := r.(tool.Success); ok {
		return "ok"
	}
	return "error"
}

func okOrCode(r tool.Result) string {
	if f, ok := r.(tool.Failure); ok && f.Code != "" {
		return string(f.Code)
	}
	return okOrError(r)
}

// approvals mounts the approval service of the scenario.
func (w *world) approvals() {
	a := w.given.Approval
	switch {
	case a == nil:
		return
	case a.StandIn != nil:
		w.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			w.trace("approval:stand-in")
			return approvalAnswer(*a.StandIn)
		})}
		return
	}
	w.rt.Approvals = &tool.Approvals{Never: a.Policy == "never", Record: w.record}
}

func (w *world) record(_ context.Context, r tool.ApprovalRecord) error {
	if slices.Contains(w.given.IdleAgents, "A") {
		return errors.New(outsideTurn)
	}
	if r.Outcome == "" {
		w.trace("log:approval/asked")
	} else {
		w.trace("log:approval/decided:%s", r.Outcome)
	}
	return nil
}

// outsideTurn is what the recorded journal said of a question between turns.
const outsideTurn = "approval.request() outside an open turn: the approval/asked + approval/decided audit pair must be turn-enclosed (a bare event between turns is crash-tail garbage on reload). Ask from inside the turn that needs the decision."

func approvalAnswer(outcome string) (tool.ApprovalDecision, error) {
	switch outcome {
	case "allowed-once":
		return tool.Grant{}, nil
	case "rejected":
		return tool.Refuse{}, nil
	case "cancelled":
		return nil, context.Canceled
	case "unavailable":
		return tool.Pass{}, nil
	}
	return nil, nil
}
