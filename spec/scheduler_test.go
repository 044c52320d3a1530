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
	"github.com/dsh-lua/dsh/runtime/value"
)

// A loopCase is one recorded turn of an agent with a scripted model. What it
// says of the order of calls is the batch's; the turn around it is played here.
type loopCase struct {
	ID, Title string
	Given     struct {
		Tools []struct {
			Name        string
			Parallel    bool
			Ms          int64
			Cooperative bool
		}
		Model []struct {
			Calls     []loopCall
			Text      string
			MaxTokens bool
		}
		MaxParallel                                 int
		DenyCall, ThrowPre, AbortInPre, AbortInPost string
		PreDelay, InterruptAfterMs                  int64
		SteerAtStop                                 string
	}
	Then loopThen
}

type loopThen struct {
	Trace         []string
	Log           [][]any
	PendingInbox  [][]string
	ModelRequests int
}

// UnmarshalJSON refuses what the runner does not compare.
func (t *loopThen) UnmarshalJSON(text []byte) error {
	type plain loopThen
	return strictly(text, (*plain)(t))
}

type loopCall struct {
	ID, Name string
	Args     json.RawMessage
	RawArgs  *string
}

func loadScheduler(dir string) ([]testCase, error) {
	file, err := readPipelineFile(dir)
	var cases []testCase
	for _, c := range file.LoopScenarios {
		cases = append(cases, testCase{
			id: c.id, applicable: true, virtual: true, run: c.play(runLoopCase),
		})
	}
	return cases, err
}

func runLoopCase(t *trial, c loopCase) string {
	l := newTurn(t, c)
	l.play()
	var d differences
	ordered := []string{"pre", "post", "result", "turn-stopping"}
	d.compare("order of phases", only(c.Then.Trace, ordered), only(l.trace, ordered))
	begun := []string{"pre", "start"}
	d.compare("order of policies and bodies", only(c.Then.Trace, begun), only(l.trace, begun))
	// Bodies that overlap are on threads of their own: which of them is first to
	// end is up to timers.
	want, got := only(c.Then.Trace, []string{"end"}), only(l.trace, []string{"end"})
	slices.Sort(want)
	slices.Sort(got)
	d.compare("bodies: end", want, got)
	d.compare("number of tokens", len(c.Then.Trace), len(l.trace))
	d.compare("log", c.Then.Log, l.log)
	d.compare("model requests", c.Then.ModelRequests, l.requests)
	pending := [][]string{}
	for _, m := range l.inbox {
		pending = append(pending, []string{m.Extension, m.Text})
	}
	d.compare("pending inbox", append([][]string{}, c.Then.PendingInbox...), pending)
	return d.String()
}

// only keeps the tokens of the given kinds.
func only(trace, kinds []string) []string {
	out := []string{}
	for _, token := range trace {
		kind, _, _ := strings.Cut(token, ":")
		if slices.Contains(kinds, kind) {
			out = append(out, token)
		}
	}
	return out
}

// A turn plays one turn of an agent around the batches of a case.
type turn struct {
	t      *trial
	c      loopCase
	rt     *tool.Runtime
	scope  tool.Scope
	ctx    context.Context
	cancel context.CancelFunc

	mu        sync.Mutex
	trace     []string
	log       [][]any
	inbox     []session.Context
	requests  int
	exclusive map[string]bool // tools that a body made exclusive
	removers  map[string]func()
	concludes bool
	steered   bool
	began     map[string]chan struct{} // by token, the bodies that should; closed once one has
}

func newTurn(t *trial, c loopCase) *turn {
	l := &turn{t: t, c: c, exclusive: map[string]bool{}, removers: map[string]func(){}, began: map[string]chan struct{}{}}
	for _, token := range only(c.Then.Trace, []string{"start"}) {
		l.began[token] = make(chan struct{})
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.rt = &tool.Runtime{Root: tool.Scope{Tools: new(tool.Registry)}}
	l.scope = tool.Scope{
		Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: l.rt.Root.Tools, Session: session.Ref{ID: "agent"},
	}
	for _, d := range c.Given.Tools {
		def := tool.Definition{
			Name: d.Name, Output: tool.Output{Schema: value.OfObject()},
			Execute: func(ctx context.Context, r *tool.Running) (any, error) { return l.body(ctx, r, d.Ms, d.Cooperative) },
		}
		if d.Parallel {
			def.Parallel = func(value.Value) bool { return !l.isExclusive(d.Name) }
		}
		remove, err := l.rt.Root.Tools.Register(def)
		require.NoError(t, err)
		l.removers[d.Name] = remove
	}
	_, err := l.scope.Host.Run.Handlers.Install(extension{"scenario", l.install})
	require.NoError(t, err)
	return l
}

func (l *turn) isExclusive(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exclusive[name]
}

func (l *turn) saw(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	token := fmt.Sprintf(format, args...)
	if began := l.began[token]; began != nil && !slices.Contains(l.trace, token) {
		close(began)
	}
	l.trace = append(l.trace, token)
}

// startsInTime is how long the policy of a call waits for bodies that began
// before it where the case was recorded.
const startsInTime = 10 * time.Second

// awaitStarts lets the bodies say that they began that did so before the policy
// of call id was asked. A batch that starts them only afterwards keeps it waiting
// to no avail, and the order of the trace is wrong.
func (l *turn) awaitStarts(id string) {
	late := time.NewTimer(startsInTime)
	defer late.Stop()
	before := l.c.Then.Trace[:max(0, slices.Index(l.c.Then.Trace, "pre:"+id))]
	for _, token := range only(before, []string{"start"}) {
		select {
		case <-l.began[token]:
		case <-late.C:
			return
		}
	}
}

func (l *turn) install(in *point.Installer) {
	g := l.c.Given
	tool.PreExecute.Handle(in, func(ctx context.Context, call tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		l.awaitStarts(call.ID)
		l.saw("pre:%s", call.ID)
		if g.PreDelay > 0 {
			pause(ctx, g.PreDelay)
		}
		switch call.ID {
		case g.AbortInPre:
			l.interrupt()
		case g.ThrowPre:
			return nil, errors.New(l.broke())
		case g.DenyCall:
			return tool.Deny{Reason: "no"}, nil
		}
		return next(ctx)
	})
	tool.PostExecute.Handle(in, func(ctx context.Context, done tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
		l.saw("post:%s", done.Call.ID)
		if done.Call.ID == g.AbortInPost {
			l.interrupt()
		}
		return next(ctx)
	})
	tool.OnResult.Handle(in, func(_ context.Context, done tool.Done) error {
		l.saw("result:%s", done.Call.ID)
		return nil
	})
}

// broke is what the policy says that throws. The recording has it in the log alone.
func (l *turn) broke() string {
	for _, record := range l.c.Then.Log {
		if text, failed := recordedAt(record, 3), recordedAt(record, 1) == l.c.Given.ThrowPre; failed && record[0] == "tool/result" {
			return strings.TrimPrefix(text, "Error: ")
		}
	}
	return "policy broke"
}

// steerer is who steers at the end of a turn, which the log alone tells as well;
// empty is the user.
func (l *turn) steerer() string {
	for _, record := range l.c.Then.Log {
		if record[0] == "user/message" && recordedAt(record, 2) == l.c.Given.SteerAtStop {
			name, _ := strings.CutPrefix(recordedAt(record, 1), "plugin:")
			return strings.TrimPrefix(name, "user")
		}
	}
	return "steer"
}

// recordedAt returns the text at place i of a record of the log.
func recordedAt(record []any, i int) string {
	if i >= len(record) {
		return ""
	}
	text, _ := record[i].(string)
	return text
}

// interrupt is the user who cancels: what waits in the inbox is dropped.
func (l *turn) interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inbox = nil
	l.cancel()
}

func pause(ctx context.Context, ms int64) {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// body does what its arguments say.
func (l *turn) body(ctx context.Context, run *tool.Running, ms int64, cooperative bool) (any, error) {
	call := run.Call()
	l.saw("start:%s", call.ID)
	defer l.saw("end:%s", call.ID)
	args := call.Arguments
	if text, ok := args.Str(); ok {
		return "raw:" + text, nil
	}
	if own, ok := args.Get("ms").Int(); ok {
		ms = own
	}
	if ms > 0 && cooperative {
		pause(ctx, ms)
	} else if ms > 0 {
		pause(context.WithoutCancel(ctx), ms)
	}
	l.mu.Lock()
	if name, ok := args.Get("makeExclusive").Str(); ok {
		l.exclusive[name] = true
	}
	l.mu.Unlock()
	if name, ok := args.Get("unregister").Str(); ok {
		l.removers[name]()
	}
	if text, ok := args.Get("defer").Str(); ok {
		run.DeferContext(session.Context{Text: text, Extension: "tool"})
	}
	if yes, _ := args.Get("conclude").Bool(); yes {
		run.ConcludeTurn()
	}
	if text, ok := args.Get("fail").Str(); ok {
		return nil, errors.New(text)
	}
	if text, ok := args.Get("reply").Str(); ok {
		return text, nil
	}
	return "ok", nil
}

// Called implements [tool.Journal].
func (l *turn) Called(call tool.Call, _ value.Value, _ string) error {
	l.wrote("tool/call", call.ID)
	return nil
}

// Returned implements [tool.Journal].
func (l *turn) Returned(call tool.Call, r tool.Result) error {
	text := ""
	for _, part := range contentOf(r) {
		text += part.(session.Text).Text
	}
	var code any
	var list []session.Context
	switch r := r.(type) {
	case tool.Success:
		l.concludes, list = l.concludes || r.Concludes, r.Contexts
		l.wrote("tool/result", call.ID, false, text, nil)
	case tool.Failure:
		if list = r.Contexts; r.Code != "" {
			code = r.Code
		}
		l.wrote("tool/result", call.ID, true, text, code)
	}
	l.mu.Lock()
	l.inbox = append(l.inbox, list...)
	l.mu.Unlock()
	return nil
}

func (l *turn) wrote(record ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, record)
}

// play runs the turn: steps until nothing is left to do.
func (l *turn) play() {
	if ms := l.c.Given.InterruptAfterMs; ms > 0 {
		defer time.AfterFunc(time.Duration(ms)*time.Millisecond, l.interrupt).Stop()
	}
	defer l.cancel()
	reason := "completed"
	for step := 0; ; step++ {
		l.enter(step)
		require.Less(l.t, l.requests, len(l.c.Given.Model), "the model is asked more often than it answers")
		answer := l.c.Given.Model[l.requests]
		l.requests++
		again := false
		if !answer.MaxTokens {
			batch := tool.Batch{Runtime: l.rt, Limit: l.c.Given.MaxParallel, Journal: l}
			require.NoError(l.t, batch.Run(l.ctx, l.inputs(answer.Calls)))
			again = len(answer.Calls) > 0 && !l.concludes
		} else {
			reason = "max-tokens"
		}
		if l.ctx.Err() != nil {
			l.wrote("turn/end", "aborted")
			return
		}
		if again || l.waiting() {
			continue
		}
		l.saw("turn-stopping")
		if text := l.c.Given.SteerAtStop; text != "" && !l.steered {
			l.steered = true
			l.inbox = append(l.inbox, session.Context{Text: text, Extension: l.steerer()})
			continue
		}
		l.wrote("turn/end", reason)
		return
	}
}

func (l *turn) waiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.inbox) > 0
}

// enter starts a step with what waits.
func (l *turn) enter(step int) {
	l.wrote("step/start")
	if step == 0 {
		l.wrote("user/message", "user", "go")
	}
	l.concludes = false
	l.mu.Lock()
	waiting := l.inbox
	l.inbox = nil
	l.mu.Unlock()
	for _, m := range waiting {
		source := "user"
		if m.Extension != "" {
			source = "plugin:" + m.Extension
		}
		l.wrote("user/message", source, m.Text)
	}
}

func (l *turn) inputs(calls []loopCall) []tool.Input {
	var out []tool.Input
	for _, c := range calls {
		text := string(c.Args)
		if c.RawArgs != nil {
			text = *c.RawArgs
		}
		out = append(out, tool.Input{ID: c.ID, Tool: c.Name, Arguments: tool.ParseArguments(text), Agent: &l.scope})
	}
	return out
}
