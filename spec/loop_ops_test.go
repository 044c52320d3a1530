package spec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// do runs ops one after another until one fails. As long as none waits they are
// one stretch, in which no other driver comes to anything.
func (w *loopWorld) do(s *scene, ops value.Value) error {
	if ops.Len() == 0 {
		return nil
	}
	stretch := 1
	w.update(func() { w.busy++ })
	defer func() { w.update(func() { w.busy -= stretch }) }()
	for _, op := range items(ops) {
		for name, arg := range op.Members() {
			if (name == "wait" || name == "waitAbort") && stretch == 1 {
				w.update(func() { w.busy-- })
				stretch = 0
			}
			if err := w.op(s, name, arg); err != nil {
				return err
			}
		}
	}
	return nil
}

func causeOf(v value.Value) (session.Cause, bool) {
	keep, _ := v.Get("keepInbox").Bool()
	if c := v.Get("cause"); !c.IsAbsent() {
		v = c
	}
	return session.Cause{Kind: session.CauseKind(v.Get("kind").String()), Reason: v.Get("reason").String()}, keep
}

// op runs one op.
func (w *loopWorld) op(s *scene, name string, arg value.Value) error {
	a := w.agent
	switch name {
	case "trace":
		w.trace(expand(arg.String(), s.vars))
	case "throw":
		return thrownError(arg)
	case "signal":
		w.update(func() { w.signals[arg.String()] = true })
	case "wait":
		return w.wait(context.Background(), "gate "+arg.String(), func() bool { return w.gates[arg.String()] })
	case "waitAbort":
		err := w.wait(s.ctx, "the abort", func() bool { return s.ctx.Err() != nil })
		w.passHold()
		return err
	case "tick":
	case "mutateMessage":
		if len(s.messages) > 0 {
			s.messages[0].Content[0] = session.Text{Text: "changed"}
			w.trace("mutate:refused") // a copy was changed; that it stays without effect, the events show
		}
	case "registerTool":
		return w.register(a.Options().Tools, arg)
	case "unregisterTool":
		w.removals[arg.String()]()
	case "release":
		w.update(func() { w.gates[arg.String()] = true })
	case "setCtx":
		w.update(func() { w.contexts[arg.Get("name").String()] = arg.Get("text").String() })
	case "removeListener":
		w.names[arg.String()]()
	case "snapshot":
		w.trace(w.snapshot(arg.String()))
	case "maintenance":
		return w.maintain(arg)
	case "dispose":
		w.dispose()
	default:
		return w.inboxOp(s, name, arg)
	}
	return nil
}

// inboxOp runs an op on the inbox, or one that cancels.
func (w *loopWorld) inboxOp(s *scene, name string, arg value.Value) error {
	a := w.agent
	switch name {
	case "followup":
		return a.Followup(s.ctx, w.message(arg, s.vars))
	case "steer":
		return w.steer(s, arg)
	case "inject":
		return a.Inject(s.ctx, w.message(arg, s.vars))
	case "cancel":
		cause, keep := causeOf(arg)
		a.Cancel(cause, keep)
	case "tryCancel":
		cause, keep := causeOf(arg)
		a.Cancel(cause, keep)
		w.trace("cancel:ok")
	case "remove":
		ok, err := a.Remove(s.ctx, arg.String())
		w.trace(fmt.Sprintf("remove:%s:%t", arg.String(), ok))
		return err
	case "replace":
		ok, err := a.Replace(s.ctx, arg.Get("id").String(), w.message(arg.Get("with"), s.vars))
		w.trace(fmt.Sprintf("replace:%s:%t", arg.Get("id").String(), ok))
		return err
	case "clear":
		return a.Clear(s.ctx)
	case "prepend":
		return a.Prepend(s.ctx, session.Target(arg.Get("target").String()), w.message(arg.Get("message"), s.vars))
	default:
		return fmt.Errorf("there is no op %q", name)
	}
	return nil
}

// steer steers as an extension does if the message is one's.
func (w *loopWorld) steer(s *scene, arg value.Value) error {
	m := w.message(arg, s.vars)
	if _, human := m.Source.(session.User); human {
		return w.agent.Steer(s.ctx, m)
	}
	return w.agent.Live().Steer(m)
}

func (w *loopWorld) maintain(arg value.Value) error {
	began := make(chan error, 1)
	w.tasks.Add(1)
	go func() {
		defer w.tasks.Done()
		ran := false
		err := w.agent.Maintain(context.Background(), func(ctx context.Context) error {
			ran = true
			w.trace("maintenance:start")
			began <- nil
			if err := w.do(&scene{ctx: ctx}, arg.Get("do")); err != nil {
				return err
			}
			w.trace("maintenance:end")
			return nil
		})
		switch {
		case !ran:
			began <- err
		case err == nil:
			w.trace("maintenance:resolved")
		default:
			w.trace("maintenance:rejected:" + err.Error())
		}
	}()
	return <-began
}

// dispose begins to close the agent, and leaves it to a goroutine to wait.
func (w *loopWorld) dispose() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.agent.Close(now, "disposed")
	w.update(func() {
		if w.disposed == nil {
			w.disposed = make(chan struct{})
			go func() {
				defer close(w.disposed)
				_ = w.agent.Close(context.Background(), "disposed")
			}()
		}
	})
}

// synchronising actions end a burst.
var synchronising = []string{"idle", "waitHang", "waitRequests", "waitTrace", "waitFor", "awaitMaintenance", "awaitDisposal", "disposeHandle", "tick"}

// act runs one action of a case.
func (w *loopWorld) act(action value.Value) error {
	for name, arg := range action.Members() {
		if slices.Contains(synchronising, name) {
			w.update(func() { w.held = false })
			if err := w.synchronise(name, arg); err != nil {
				return err
			}
			continue
		}
		w.update(func() { w.held = true })
		if err := w.op(&scene{ctx: context.Background()}, name, arg); err != nil {
			w.trace("action-threw:" + name + ":" + plainText(err.Error()))
		}
	}
	return nil
}

// traced reports whether a line was traced. Where it is the beginning of a body,
// those of the calls before it must have begun too, as they have in a runtime that
// starts them one after another.
func (w *loopWorld) traced(line string) bool {
	if !slices.Contains(w.traces, line) {
		return false
	}
	for _, r := range w.given.Get("model").Items() {
		for _, c := range r.Get("tools").Items() {
			if begins := "body:" + c.Get("id").String(); begins == line {
				return true
			} else if strings.HasPrefix(line, "body:") && !slices.Contains(w.traces, begins) {
				return false
			}
		}
	}
	return true
}

func (w *loopWorld) synchronise(name string, arg value.Value) error {
	background := context.Background()
	switch name {
	case "idle":
		ctx, cancel := context.WithTimeout(background, w.patience)
		defer cancel()
		return w.agent.WhenIdle(ctx)
	case "waitHang":
		return w.wait(background, "the model to hang", func() bool { return w.hangs >= intOf(arg) })
	case "waitRequests":
		return w.wait(background, "requests", func() bool { return w.asked >= intOf(arg) })
	case "waitTrace":
		return w.wait(background, "trace "+arg.String(), func() bool { return w.traced(arg.String()) })
	case "waitFor":
		return w.wait(background, "signal "+arg.String(), func() bool { return w.signals[arg.String()] })
	case "awaitMaintenance":
		w.tasks.Wait()
	case "awaitDisposal":
		<-w.disposed
	case "disposeHandle":
		w.dispose()
		<-w.disposed
	}
	return nil
}
