package hooks

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Trial is one event to be tried on hooks, without an agent.
type Trial struct {
	Event string
	// Payload is what hooks read: bytes as the client writes them.
	Payload []byte
	// Subject is what matchers are held against.
	Subject string
	// Session has the ID, the Cwd and the Project that the payload tells of.
	Session session.Ref
	// Tool and Input are the call that the event is about; Input is absent if there
	// is none.
	Tool  string
	Input value.Value
}

// A Ran is one hook that ran.
type Ran struct {
	hookproto.Completed
	// Late tells that nobody waits for the hook, and that it decides nothing.
	Late bool
	// Void says what it is that the hook printed, such as "not JSON", if that is no
	// answer and reaches nobody.
	Void string
}

// A Tried is what came of a trial.
type Tried struct {
	Ran     []Ran // in configured order
	Outcome hookproto.Outcome
	Means   Meaning
}

// Try runs the hooks that an event concerns as a session would: which ones, with
// what environment, in what folder, at the same time. It waits for all of them,
// also for those that a session would not wait for, and ends those that are left
// when ctx is done. The outcome is told and nothing is done with it.
func (b *Bridge) Try(ctx context.Context, t Trial) (Tried, error) {
	f := &Firing{Event: t.Event, Subject: t.Subject, Session: t.Session, Main: t.Session, Effort: b.options.Effort, Home: b.home()}
	if !t.Input.IsAbsent() {
		f.Call = &Shown{Name: t.Tool, Input: t.Input}
	}
	selected, _ := b.client.Select(b.options.Config.Handlers, f) // Problems told the errors
	awaited, background := b.split(selected)
	remove, err := b.envFile(f)
	if err != nil {
		return Tried{}, err
	}
	defer remove()
	var late latecomers
	for _, h := range background {
		late.background.Go(b.process, b.command(f, h, t.Payload), late.add(b, t.Event, h))
	}
	left := map[int]bool{}
	done := b.run(ctx, f, awaited, t.Payload, func(at int, d *process.Detached) {
		left[at] = true
		late.background.Adopt(d, late.add(b, t.Event, awaited[at]))
	})
	b.judge(f, done)
	err = late.drain(ctx)
	out := Tried{Outcome: b.client.Dialect.Fold(t.Event, done)}
	out.Means = b.mean(t.Event, out.Outcome)
	for i, c := range done {
		if !left[i] {
			out.Ran = append(out.Ran, Ran{Completed: c, Void: meaningless(c)})
		}
	}
	out.Ran = append(out.Ran, late.ran...)
	slices.SortStableFunc(out.Ran, func(a, b Ran) int { return place(selected, a) - place(selected, b) })
	return out, err
}

func place(all []hookproto.Handler, r Ran) int {
	return slices.IndexFunc(all, func(h hookproto.Handler) bool { return h.ID == r.Handler.ID })
}

// Latecomers are hooks of a trial that nobody would wait for.
type latecomers struct {
	background process.Background
	lock       sync.Mutex
	ran        []Ran
}

// add takes the result of a hook. The line by which a hook asks not to be waited
// for is no part of what it says.
func (l *latecomers) add(b *Bridge, event string, h hookproto.Handler) func(hookproto.Result) {
	return func(r hookproto.Result) {
		c := hookproto.Completed{Handler: h, Result: r}
		if line, rest, cut := bytes.Cut(r.Stdout, []byte("\n")); cut && b.client.Detach != nil && b.client.Detach(line) {
			r.Stdout = rest
		}
		c.Output = b.client.Dialect.Parse(event, r)
		l.lock.Lock()
		defer l.lock.Unlock()
		l.ran = append(l.ran, Ran{Completed: c, Late: true})
	}
}

// drain waits for all, and ends those that are left when ctx is done.
func (l *latecomers) drain(ctx context.Context) error {
	_ = l.background.Drain(ctx) // what is left is ended
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer done()
	if late := l.background.Close(ctx); late != nil {
		return fmt.Errorf("a hook does not end: %w", late)
	}
	return nil
}
