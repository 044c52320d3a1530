package spec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A scene is what surrounds a list of ops.
type scene struct {
	ctx      context.Context
	vars     map[string]string
	messages []session.Message
}

// A listener is one declared listener of a case, an extension of its own.
type listener struct {
	world *loopWorld
	spec  value.Value
	name  string

	mu    sync.Mutex
	seen  int
	fired int
}

func (l *listener) point() string         { return l.spec.Get("point").String() }
func (l *listener) flag(name string) bool { b, _ := l.spec.Get(name).Bool(); return b }

// Name implements [point.Extension].
func (l *listener) Name() string { return l.name }

// waits reports whether the listener holds up whoever waits for it.
func (l *listener) waits() bool {
	return slices.ContainsFunc(items(l.spec.Get("do")), func(op value.Value) bool { return !op.Get("wait").IsAbsent() })
}

// matches decides whether the listener acts on this occasion.
func (l *listener) matches(s *scene) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen++
	for key, want := range l.spec.Get("match").Members() {
		switch key {
		case "nth":
			if intOf(want) != l.seen {
				return false
			}
		case "textIncludes":
			if !strings.Contains(s.vars["text"], want.String()) {
				return false
			}
		default:
			if s.vars[key] != want.String() {
				return false
			}
		}
	}
	if times := l.spec.Get("times"); !times.IsAbsent() && l.fired >= intOf(times) {
		return false
	}
	l.fired++
	return true
}

// fire runs the ops if the listener matches; then does what answer says.
func (l *listener) fire(s *scene, answer func(returns value.Value) error) error {
	if !l.matches(s) {
		return errDelegate
	}
	if err := l.world.do(s, l.spec.Get("do")); err != nil {
		return err
	}
	if answer != nil {
		return answer(l.spec.Get("return"))
	}
	return nil
}

// errDelegate is what fire returns if the listener has no part in it.
var errDelegate = errors.New("delegate")

// passive turns the answer of fire into that of a notification.
func passive(err error) error {
	if errors.Is(err, errDelegate) {
		return nil
	}
	return err
}

func (l *listener) observe(ctx context.Context, e session.Entry) error {
	vars := map[string]string{"type": string(e.Type), "turn": fmt.Sprint(e.Turn()), "step": fmt.Sprint(e.Step())}
	return passive(l.fire(&scene{ctx: ctx, vars: vars}, nil))
}

func (l *listener) check(e session.Entry) error {
	return passive(l.fire(&scene{ctx: context.Background(), vars: map[string]string{"type": string(e.Type)}}, nil))
}

// Install implements [point.Extension].
func (l *listener) Install(in *point.Installer) error {
	switch l.point() {
	case "agent/session-start":
		agent.OnSessionStart.Handle(in, func(ctx context.Context, p agent.Started) error {
			return passive(l.fire(&scene{ctx: ctx, vars: map[string]string{"source": p.Source}}, nil))
		})
	case "agent/status":
		agent.OnStatus.Handle(in, func(ctx context.Context, p agent.Status) error {
			return passive(l.fire(&scene{ctx: ctx, vars: map[string]string{"status": p.Status}}, nil))
		})
	case "agent/error":
		agent.OnError.Handle(in, func(ctx context.Context, p agent.Error) error {
			return passive(l.fire(&scene{ctx: ctx, vars: map[string]string{"turn": fmt.Sprint(p.Turn), "step": fmt.Sprint(p.Step), "message": p.Message}}, nil))
		})
	case "agent/turn-stopping":
		agent.OnTurnStopping.Handle(in, func(ctx context.Context, p agent.Stopping) error {
			return passive(l.fire(&scene{ctx: ctx, vars: map[string]string{"turn": fmt.Sprint(p.Turn)}}, nil))
		})
	case "agent/pre-step":
		agent.PreStep.Handle(in, l.preStep)
	case "agent/request":
		agent.OnRequest.Handle(in, l.request)
	case "agent/request-error":
		agent.OnRequestError.Handle(in, l.requestError)
	case "tools/pre-execute":
		tool.PreExecute.Handle(in, l.preExecute)
	case "tools/post-execute":
		tool.PostExecute.Handle(in, l.postExecute)
	case "tools/result":
		tool.OnResult.Handle(in, func(ctx context.Context, d tool.Done) error {
			return passive(l.fire(&scene{ctx: ctx, vars: doneVars(d)}, nil))
		})
	case "session/event", "pre-commit", "system-prompt/assemble", "agent/inbox/inserted", "agent/inbox/claimed", "agent/inbox/discarded":
	default:
		return fmt.Errorf("there is no point %q", l.point())
	}
	return nil
}

func callVars(c tool.Call) map[string]string {
	return map[string]string{"callId": c.ID, "name": c.Tool}
}

func doneVars(d tool.Done) map[string]string {
	vars := callVars(d.Call)
	failure, failed := d.Result.(tool.Failure)
	vars["isError"], vars["code"] = fmt.Sprint(failed), string(failure.Code)
	return vars
}

func (l *listener) preStep(ctx context.Context, p agent.Step, next point.Next[agent.StepDecision]) (out agent.StepDecision, err error) {
	var texts []string
	for _, m := range p.Messages {
		texts = append(texts, m.Text())
	}
	s := &scene{ctx: ctx, messages: p.Messages, vars: map[string]string{
		"turn": fmt.Sprint(p.Turn), "step": fmt.Sprint(p.Step), "n": fmt.Sprint(len(p.Messages)), "text": strings.Join(texts, "\n"),
	}}
	err = l.fire(s, func(r value.Value) error {
		out, err = l.stepAnswer(ctx, s, p, r, next)
		if err != nil {
			return err
		}
		return l.world.do(s, l.spec.Get("after"))
	})
	if errors.Is(err, errDelegate) {
		return next(ctx)
	}
	return out, err
}

func (l *listener) stepAnswer(ctx context.Context, s *scene, p agent.Step, r value.Value, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
	if r.String() == "reject" {
		return agent.Reject{Reason: "rejected"}, nil
	}
	if enter := r.Get("enter"); !enter.IsAbsent() {
		if enter.String() == "claimed" {
			return agent.Enter{Messages: p.Messages}, nil
		}
		return agent.Enter{Messages: l.world.messages(enter, s.vars)}, nil
	}
	d, err := next(ctx)
	if err != nil {
		return d, err
	}
	if twice, _ := r.Get("nextTwice").Bool(); twice {
		_, again := next(ctx)
		l.world.trace(fmt.Sprintf("next:enter/%v", again == nil))
		return d, again
	}
	enter, ok := d.(agent.Enter)
	if !ok {
		return d, nil
	}
	if empty, _ := r.Get("empty").Bool(); empty {
		return agent.Enter{}, nil
	}
	if text := r.Get("rewriteFirst"); !text.IsAbsent() && len(enter.Messages) > 0 {
		enter.Messages[0].Content = []session.Part{session.Text{Text: text.String()}}
	}
	enter.Messages = append(enter.Messages, l.world.messages(r.Get("appendMessages"), s.vars)...)
	enter.Messages = append(l.world.messages(r.Get("prependMessages"), s.vars), enter.Messages...)
	return enter, nil
}

func (w *loopWorld) messages(list value.Value, vars map[string]string) []session.Message {
	var out []session.Message
	for _, v := range items(list) {
		out = append(out, w.message(v, vars))
	}
	return out
}

func (l *listener) request(ctx context.Context, p agent.Request, next point.Next[agent.RequestDecision]) (agent.RequestDecision, error) {
	err := l.fire(&scene{ctx: ctx, vars: map[string]string{"turn": fmt.Sprint(p.Turn), "step": fmt.Sprint(p.Step)}}, nil)
	if err != nil && !errors.Is(err, errDelegate) {
		return nil, err
	}
	d, nextErr := next(ctx)
	if nextErr != nil || err != nil || l.spec.Get("config").IsAbsent() {
		return d, nextErr
	}
	send := d.(agent.Send)
	if name := l.spec.Get("config").Get("model"); !name.IsAbsent() {
		send.Config.Model = "mock/" + name.String()
	}
	if most := l.spec.Get("config").Get("maxTokens"); !most.IsAbsent() {
		send.Config.MaxTokens = intOf(most)
	}
	return send, nil
}

func (l *listener) requestError(ctx context.Context, p agent.RequestFailure, next point.Next[agent.RequestErrorDecision]) (out agent.RequestErrorDecision, err error) {
	l.world.trace(fmt.Sprintf("request-error:%d/%d:%s", p.Turn, p.Step, p.Failure.Code))
	err = l.fire(&scene{ctx: ctx, vars: map[string]string{"turn": fmt.Sprint(p.Turn), "step": fmt.Sprint(p.Step), "code": p.Failure.Code}}, func(r value.Value) error {
		switch r.String() {
		case "retry":
			out = agent.Retry{}
		case "none":
			out = agent.Fail{}
		default:
			return errDelegate
		}
		return nil
	})
	if errors.Is(err, errDelegate) {
		return next(ctx)
	}
	return out, err
}

func (l *listener) preExecute(ctx context.Context, c tool.Call, next tool.PreNext) (out tool.PreDecision, err error) {
	err = l.fire(&scene{ctx: ctx, vars: callVars(c)}, func(r value.Value) error {
		switch {
		case !r.Get("deny").IsAbsent():
			out = tool.Deny{Reason: r.Get("deny").String()}
		case !r.Get("ask").IsAbsent():
			out = tool.Ask{Reason: r.Get("ask").String()}
		default:
			return errDelegate
		}
		return nil
	})
	if errors.Is(err, errDelegate) {
		return next(ctx)
	}
	return out, err
}

func (l *listener) postExecute(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (out tool.PostDecision, err error) {
	vars := doneVars(d)
	err = l.fire(&scene{ctx: ctx, vars: vars}, func(r value.Value) error {
		if accept := r.Get("accept"); !accept.IsAbsent() {
			a := tool.Accept{Contexts: l.contexts(accept.Get("additionalContexts"), vars)}
			if text := accept.Get("content"); !text.IsAbsent() {
				a.Content = []session.Part{session.Text{Text: text.String()}}
			}
			out = a
			return nil
		}
		if block := r.Get("block"); !block.IsAbsent() {
			out = tool.Block{Feedback: []session.Part{session.Text{Text: block.Get("feedback").String()}}, Contexts: l.contexts(block.Get("additionalContexts"), vars)}
			return nil
		}
		own := l.contexts(r.Get("addContexts"), vars)
		if out, err = next(ctx); err != nil {
			return err
		}
		switch d := out.(type) {
		case tool.Accept:
			d.Contexts = append(own, d.Contexts...)
			out = d
		case tool.Block:
			d.Contexts = append(own, d.Contexts...)
			out = d
		}
		return nil
	})
	if errors.Is(err, errDelegate) {
		return next(ctx)
	}
	return out, err
}

func (l *listener) contexts(list value.Value, vars map[string]string) []session.Context {
	var out []session.Context
	for _, v := range items(list) {
		out = append(out, session.Context{Text: expand(v.Get("text").String(), vars), Extension: strings.TrimPrefix(v.Get("source").String(), "plugin:")})
	}
	return out
}
