package spec_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// loopWorld is one agent with a scripted model and declared listeners, driven by
// the actions of one case.
type loopWorld struct {
	given  value.Value
	agent  *agent.Agent
	log    *session.Log
	model  *model.Scripted
	names  map[string]func() // removes a listener
	states map[string]*listener

	mu       sync.Mutex
	changed  *sync.Cond
	traces   []string
	signals  map[string]bool
	gates    map[string]bool
	held     bool // between the actions of a burst
	busy     int  // lists of ops that are run in one stretch
	hangs    int
	asked    int
	requests []model.Request
	statuses []string
	errors   []agent.Error
	inbox    []string
	warned   []string
	contexts map[string]string
	disposed chan struct{}
	tasks    sync.WaitGroup
	patience time.Duration
	from     int64             // the first entry that counts
	removals map[string]func() // of tools
}

// loopPatience bounds every wait of a case.
const loopPatience = 20 * time.Second

// impatience bounds the waits of a case in which this program must wait where
// the recorded one does not.
const impatience = 300 * time.Millisecond

func newLoopWorld(given value.Value) *loopWorld {
	w := &loopWorld{
		given: given, names: map[string]func(){}, states: map[string]*listener{}, signals: map[string]bool{}, gates: map[string]bool{},
		contexts: map[string]string{}, removals: map[string]func(){}, patience: loopPatience,
	}
	w.changed = sync.NewCond(&w.mu)
	for name, text := range given.Get("contexts").Members() {
		w.contexts[name] = text.String()
	}
	return w
}

// update changes what waits look at.
func (w *loopWorld) update(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	w.changed.Broadcast()
}

// wait waits until a condition holds, and fails after a while.
func (w *loopWorld) wait(ctx context.Context, what string, met func() bool) error {
	late := false
	timer := time.AfterFunc(w.patience, func() { w.update(func() { late = true }) })
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { w.update(func() {}) })()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !met() {
		if late {
			return fmt.Errorf("waited in vain for %s", what)
		}
		w.changed.Wait()
	}
	return nil
}

func (w *loopWorld) trace(text string) { w.update(func() { w.traces = append(w.traces, text) }) }

// passHold waits while a burst of actions is under way.
func (w *loopWorld) passHold() {
	_ = w.wait(context.Background(), "the burst", func() bool { return !w.held && w.busy == 0 })
}

// start makes the agent.
func (w *loopWorld) start(logOf func(session.LogOptions) (*session.Log, error), source string) error {
	var listeners []*listener
	for i, v := range items(w.given.Get("listeners")) {
		listeners = append(listeners, &listener{world: w, spec: v, name: fmt.Sprintf("listener-%d", i)})
	}
	slices.SortStableFunc(listeners, func(a, b *listener) int { return boolOrder(b.flag("prepend")) - boolOrder(a.flag("prepend")) })
	options := session.LogOptions{Warn: w.warn}
	for _, l := range listeners {
		switch l.point() {
		case "session/event":
			options.Observers = append(options.Observers, l.observe)
		case "pre-commit":
			options.Checks = append(options.Checks, l.check)
		}
	}
	log, err := logOf(options)
	if err != nil {
		return err
	}
	w.log = log
	o := agent.Options{
		Session: session.Ref{ID: log.Header().ID}, Log: log, Source: source,
		Model: w.script(), Prompt: w.prompt(listeners), Inbox: w.notify(listeners), Warn: w.warn, Tools: new(tool.Registry),
		MaxParallel: intOf(w.given.Get("maxParallelToolCalls")),
	}
	if o.Config, err = w.config(); err != nil {
		return err
	}
	for _, t := range items(w.given.Get("tools")) {
		if err := w.register(o.Tools, t); err != nil {
			return err
		}
	}
	o.Setup = func(a *agent.Agent) error {
		w.agent = a
		if _, err := a.Handlers().Install(recorder{w}); err != nil {
			return err
		}
		for _, l := range listeners {
			remove, err := a.Handlers().Install(l)
			if err != nil {
				return err
			}
			w.names[l.spec.Get("name").String()] = remove
		}
		return nil
	}
	waiting := slices.ContainsFunc(listeners, func(l *listener) bool { return l.point() == "agent/session-start" && l.waits() })
	if waiting {
		w.patience = impatience
	}
	if _, err := agent.New(context.Background(), o); err != nil {
		return err
	}
	if !waiting {
		return w.agent.WhenStarted(context.Background())
	}
	return nil
}

// config is what the first request of a case asks of the model.
func (w *loopWorld) config() (agent.Config, error) {
	out := agent.Config{Model: "mock/mock"}
	opts := w.given.Get("agentOptions")
	if opts.Kind() == value.Null {
		return agent.Config{}, nil
	}
	if most := opts.Get("maxTokens"); !most.IsAbsent() {
		n, ok := most.Int()
		if !ok {
			return out, errors.New("the limit must be a positive integer")
		}
		out.MaxTokens = int(n)
	}
	return out, nil
}

func (w *loopWorld) warn(text string) { w.update(func() { w.warned = append(w.warned, text) }) }

// recorder keeps what is published.
type recorder struct{ world *loopWorld }

func (recorder) Name() string { return "recorder" }

func (r recorder) Install(in *point.Installer) error {
	agent.OnStatus.Handle(in, func(_ context.Context, s agent.Status) error {
		r.world.update(func() { r.world.statuses = append(r.world.statuses, s.Status) })
		return nil
	})
	agent.OnError.Handle(in, func(_ context.Context, e agent.Error) error {
		r.world.update(func() { r.world.errors = append(r.world.errors, e) })
		return nil
	})
	return nil
}

// script makes the model.
func (w *loopWorld) script() *model.Scripted {
	replies := items(w.given.Get("model"))
	m := &model.Scripted{}
	for _, r := range replies {
		m.Replies = append(m.Replies, loopReply(r))
	}
	m.Before = func(ctx context.Context, n int, r model.Request) error {
		r.Messages = session.CloneMessages(r.Messages)
		w.update(func() { w.requests = append(w.requests, r); w.asked++ })
		if n <= len(replies) {
			return w.do(&scene{ctx: ctx}, replies[n-1].Get("do"))
		}
		return nil
	}
	m.Hanging = func(ctx context.Context, _ int) {
		if ctx.Err() == nil {
			w.update(func() { w.hangs++ })
			return
		}
		w.passHold()
	}
	w.model = m
	return m
}

func loopReply(r value.Value) model.Reply {
	out := model.Reply{Reasoning: r.Get("reasoning").String(), Text: r.Get("text").String(), Finish: model.FinishReason(r.Get("finish").String())}
	out.Hang, _ = r.Get("hang").Bool()
	out.Open, _ = r.Get("open").Bool()
	if slow, ok := r.Get("slow").Int(); ok {
		out.Delay = time.Duration(slow) * time.Millisecond
	}
	for _, c := range items(r.Get("tools")) {
		args := c.Get("args")
		if text, ok := args.Str(); ok {
			args = model.Arguments(text)
		} else if args.IsAbsent() {
			args = value.OfObject()
		}
		out.Calls = append(out.Calls, session.ToolCall{ID: c.Get("id").String(), Tool: c.Get("name").String(), Arguments: args})
	}
	if p := r.Get("partialTool"); !p.IsAbsent() {
		out.Partial = &model.CallDelta{ID: p.Get("id").String(), Tool: p.Get("name").String(), Arguments: p.Get("delta").String()}
	}
	if u := r.Get("usage"); !u.IsAbsent() {
		out.Usage = &model.Usage{Input: intOf(u.Get("inputTokens")), Output: intOf(u.Get("outputTokens"))}
	}
	if f := r.Get("failure"); !f.IsAbsent() {
		failure := loopFailure(f)
		out.Failure = &failure
	}
	if t := r.Get("throw"); !t.IsAbsent() {
		out.Throw = thrownError(t)
	}
	return out
}

func loopFailure(f value.Value) session.Failure {
	return session.Failure{
		Message: f.Get("message").String(), Code: f.Get("code").String(), Status: intOf(f.Get("status")),
		RetryAfterMS: intOf(f.Get("providerRetryAfterMs")), RequestID: f.Get("requestId").String(),
	}
}

// thrownError is what an op "throw" returns.
func thrownError(v value.Value) error {
	if text, ok := v.Str(); ok {
		return errors.New(text)
	}
	if raw := v.Get("raw"); !raw.IsAbsent() {
		return errors.New(raw.String())
	}
	if harness, _ := v.Get("harness").Bool(); harness {
		return &tool.Error{Message: v.Get("message").String(), Name: "HarnessError", Code: tool.Code(v.Get("code").String())}
	}
	if v.Get("code").IsAbsent() {
		return errors.New(v.Get("message").String())
	}
	return &model.Error{Failure: loopFailure(v)}
}

// prompt makes the sections and contexts of a case, and holds the driver.
func (w *loopWorld) prompt(listeners []*listener) func(context.Context, agent.Proposal) (agent.Prompt, error) {
	return func(ctx context.Context, p agent.Proposal) (agent.Prompt, error) {
		w.passHold()
		out := agent.Prompt{Variables: map[string]string{"model": "mock", "provider": "mock"}}
		if persona := w.given.Get("persona"); !persona.IsAbsent() {
			out.Sections = append(out.Sections, agent.Section{Name: "persona", Text: persona.String()})
		}
		for _, s := range items(w.given.Get("sections")) {
			out.Sections = append(out.Sections, agent.Section{Name: s.Get("name").String(), Order: intOf(s.Get("order")), Text: s.Get("text").String()})
		}
		for _, l := range listeners {
			if l.point() != "system-prompt/assemble" {
				continue
			}
			if err := l.fire(&scene{ctx: ctx, vars: map[string]string{"turn": fmt.Sprint(p.Turn), "step": fmt.Sprint(p.Step)}}, nil); err != nil {
				return out, err
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for name := range w.given.Get("contexts").Members() {
			out.Contexts = append(out.Contexts, w.contexts[name])
		}
		return out, nil
	}
}

// notify records what happens to messages, and fires the listeners to it.
func (w *loopWorld) notify(listeners []*listener) func(agent.InboxEvent) {
	return func(e agent.InboxEvent) {
		line := e.Kind + ":" + w.id(e.Message)
		if e.Kind == agent.Claimed {
			line += fmt.Sprintf("@%d", e.Turn)
		}
		w.update(func() { w.inbox = append(w.inbox, line) })
		for _, l := range listeners {
			if l.point() != "agent/inbox/"+e.Kind {
				continue
			}
			err := l.fire(&scene{ctx: context.Background(), vars: map[string]string{"id": w.id(e.Message), "turn": fmt.Sprint(e.Turn)}}, nil)
			if err != nil {
				w.warn(err.Error())
			}
		}
	}
}

// register adds a tool of a case.
func (w *loopWorld) register(to *tool.Registry, t value.Value) error {
	name := t.Get("name").String()
	d := tool.Definition{
		Name: name, Output: tool.Output{Schema: value.OfObject()},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) { return w.body(ctx, run, t) },
	}
	if concurrent, _ := t.Get("concurrent").Bool(); concurrent {
		d.Parallel = func(value.Value) bool { return true }
	}
	remove, err := to.Register(d)
	w.removals[name] = remove
	return err
}

func (w *loopWorld) body(ctx context.Context, run *tool.Running, t value.Value) (any, error) {
	id := run.Call().ID
	w.trace("body:" + id)
	if gated, _ := t.Get("gatePerCall").Bool(); gated {
		if err := w.wait(context.Background(), "the gate of "+id, func() bool { return w.gates["call:"+id] }); err != nil {
			return nil, err
		}
	}
	for _, c := range items(t.Get("contexts")) {
		run.DeferContext(session.Context{Text: c.Get("text").String(), Extension: strings.TrimPrefix(c.Get("source").String(), "plugin:")})
	}
	if err := w.do(&scene{ctx: ctx, vars: map[string]string{"callId": id}}, t.Get("do")); err != nil {
		return nil, err
	}
	if concludes, _ := t.Get("concludeTurn").Bool(); concludes {
		run.ConcludeTurn()
	}
	w.trace("body-end:" + id)
	if result := t.Get("result"); !result.IsAbsent() {
		return result, nil
	}
	return "ran " + t.Get("name").String(), nil
}

func items(v value.Value) []value.Value {
	var list []value.Value
	for _, item := range v.Items() {
		list = append(list, item)
	}
	return list
}

func intOf(v value.Value) int { i, _ := v.Int(); return int(i) }

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// message reads a message of a case.
func (w *loopWorld) message(v value.Value, vars map[string]string) session.Message {
	m := session.Message{ID: expand(v.Get("id").String(), vars), Content: []session.Part{session.Text{Text: expand(v.Get("text").String(), vars)}}}
	m.Role, m.Source = session.RoleUser, sourceOf(v.Get("source").String())
	return m
}

func sourceOf(text string) session.Source {
	if name, ok := strings.CutPrefix(text, "plugin:"); ok {
		return session.Extension{Name: name}
	}
	return session.User{}
}

var variable = regexp.MustCompile(`\$[a-zA-Z]+`)

func expand(text string, vars map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := vars[name[1:]]; ok {
			return v
		}
		return name
	})
}
