package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A fired is what came of one event.
type fired struct {
	hookproto.Outcome
	kind     kind                // what that is on the point of the event
	handlers []hookproto.Handler // in configured order: what the outcome's indexes mean
	done     []hookproto.Completed
}

// fire runs the hooks that f concerns and waits for them. An error means that
// they could not be asked.
func (b *Bridge) fire(ctx context.Context, f *Firing) (fired, error) {
	if !b.events[f.Event] {
		return b.none(f.Event), nil
	}
	b.state(f.Session)
	f.Main, f.Effort, f.Home = b.main(f.Session), b.options.Effort, b.home()
	if f.Agent == nil {
		f.Agent = f.Session.Agent
	}
	selected, errs := b.client.Select(b.options.Config.Handlers, f)
	for _, err := range errs {
		b.once(fmt.Sprintf("%s: %v", b.Name(), err))
	}
	awaited, background := b.split(selected)
	if len(awaited)+len(background) == 0 {
		return b.none(f.Event), nil
	}
	remove, err := b.envFile(f)
	if err != nil {
		return fired{}, err
	}
	defer remove()
	payload, err := b.client.Payload(f)
	if err != nil {
		return fired{}, fmt.Errorf("the payload of %s: %w", f.Event, err)
	}
	for _, h := range background {
		b.detached(f, h, payload)
	}
	b.record(f, awaited, func(h hookproto.Handler) (session.EventType, any) {
		return session.EventHookInvoked, hookproto.NewInvoked(f.TurnNumber(), b.client.Dialect.Name(), h)
	})
	done := b.run(ctx, f, awaited, payload, func(at int, d *process.Detached) { b.adopt(f, awaited[at], d) })
	b.judge(f, done)
	b.recordResults(f, done)
	if b.options.Observe != nil && len(done) > 0 {
		b.options.Observe(f.Event, slices.Clone(done))
	}
	outcome := b.client.Dialect.Fold(f.Event, done)
	out := fired{outcome, b.client.kind(f.Event, outcome), awaited, done}
	b.tell(f, out)
	return out, nil
}

func (b *Bridge) none(event string) fired {
	outcome := b.client.Dialect.Fold(event, nil)
	return fired{Outcome: outcome, kind: b.client.kind(event, outcome)}
}

// split separates what is waited for from what is not, and drops what is not
// run.
func (b *Bridge) split(selected []hookproto.Handler) (awaited, background []hookproto.Handler) {
	for _, h := range selected {
		switch {
		case h.NotRun != "" || h.Kind == hookproto.MCPToolHandler && b.options.MCP == nil:
		case h.Kind != hookproto.CommandHandler && h.Kind != hookproto.MCPToolHandler:
		case (h.Async || h.AsyncRewake) && h.Kind == hookproto.CommandHandler:
			background = append(background, h)
		default:
			awaited = append(awaited, h)
		}
	}
	return awaited, background
}

// run runs handlers at the same time. What it returns is in configured order.
// leaves takes over the handlers that ask not to be waited for.
func (b *Bridge) run(
	ctx context.Context, f *Firing, handlers []hookproto.Handler, payload []byte, leaves func(at int, d *process.Detached),
) []hookproto.Completed {
	done := make([]hookproto.Completed, len(handlers))
	var (
		jobs   []process.Job
		places []int // of the jobs
		others sync.WaitGroup
		lock   sync.Mutex
		rank   int // of what is no command, behind all that are
	)
	for i, h := range handlers {
		done[i] = hookproto.Completed{Handler: h, Configured: i}
		if h.Kind == hookproto.CommandHandler {
			jobs = append(jobs, process.Job{Command: b.command(f, h, payload), Detach: b.client.Detach})
			places = append(places, i)
			continue
		}
		others.Go(func() {
			r := b.mcp(ctx, h, payload)
			lock.Lock()
			defer lock.Unlock()
			done[i].Result, done[i].Rank = r, len(handlers)+rank
			rank++
		})
	}
	var enough func(int, hookproto.Result) bool
	if b.client.Enough != nil {
		enough = func(_ int, r hookproto.Result) bool {
			return b.client.Enough(f.Event, b.client.Dialect.Parse(f.Event, r))
		}
	}
	for _, ran := range b.process.RunAll(ctx, jobs, enough) {
		at := places[ran.Configured]
		done[at].Result, done[at].Rank = ran.Result, ran.Rank
		if ran.Detached != nil {
			leaves(at, ran.Detached)
		}
	}
	others.Wait()
	return done
}

// command is how a handler is run.
func (b *Bridge) command(f *Firing, h hookproto.Handler, payload []byte) process.Command {
	if b.client.Expand != nil {
		h = b.client.Expand(h, f)
	}
	var added []string
	if b.client.Env != nil {
		added = b.client.Env(f)
	}
	return process.Command{
		Line: h.Command, Args: h.Args, Shell: h.Shell, Dir: b.folder(f), Env: overlay(b.environ(), append(added, h.Env...)...),
		Stdin: payload, Timeout: h.Timeout, Mark: "DSH_HOOK_RUN=" + token(),
	}
}

// mcp runs a handler that is a tool of an MCP server. Its text is taken for what
// a command prints.
func (b *Bridge) mcp(ctx context.Context, h hookproto.Handler, payload []byte) hookproto.Result {
	began := time.Now()
	if h.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.Timeout)
		defer cancel()
	}
	input := value.OfObject()
	if len(h.Input) > 0 {
		input, _ = value.Parse(h.Input)
	}
	all, _ := value.Parse(payload)
	text, err := b.options.MCP(ctx, h.Server, h.Tool, fill(input, all))
	r := hookproto.Result{Stdout: []byte(text), Took: time.Since(began)}
	if err != nil {
		r.Exit, r.Err, r.TimedOut = -1, err, ctx.Err() != nil
	}
	return r
}

// judge says what the results mean, with texts that fit the model.
func (b *Bridge) judge(f *Firing, done []hookproto.Completed) {
	for i := range done {
		c := &done[i]
		c.Output = b.client.Dialect.Parse(f.Event, c.Result)
		if b.options.Strict {
			b.harden(f, c)
		}
		if b.client.Spill == nil {
			continue
		}
		if err := b.client.Spill(f.Event, c.Handler, &c.Output, b.save); err != nil {
			b.warn(fmt.Sprintf("%s: %s: %v", c.Handler.At, f.Event, err))
		}
	}
}

// harden makes a denial of a hook that failed to guard something.
func (b *Bridge) harden(f *Firing, c *hookproto.Completed) {
	decision, guards := b.client.Guards[f.Event]
	if !guards || c.Result.Canceled {
		return
	}
	why := b.failure(*c)
	if why == "" && c.Output.Decision == hookproto.NoDecision && rubbish(c.Result) {
		why = "its output is no answer"
	}
	if why != "" {
		c.Output = hookproto.Output{
			Status: hookproto.StatusBlocked, Decision: decision, Reason: fmt.Sprintf("the %s hook in %s failed: %s", f.Event, c.Handler.At, why),
			SystemMessage: c.Output.SystemMessage,
		}
	}
}

// rubbish reports whether a hook printed what begins like an answer and is none,
// be it behind lines that are none.
func rubbish(r hookproto.Result) bool {
	text := hookproto.Trim(hookproto.UTF8(r.Stdout))
	begins := func(line string) bool { return strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") }
	if r.Cut || !begins(text) {
		return r.Cut || slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return begins(strings.TrimSpace(line)) })
	}
	v, err := value.ParseString(text)
	return err != nil || v.Kind() != value.Object
}

// failure says why a run was passed over; "" if it was not.
func (b *Bridge) failure(c hookproto.Completed) string {
	switch {
	case c.Output.Status != hookproto.StatusFailed:
		return ""
	case c.Result.TimedOut:
		return fmt.Sprintf("it timed out after %s", c.Handler.Timeout)
	}
	why := c.Output.Failure
	if said := hookproto.Summary(firstLine(c.Result.Stderr), shownStderr); said != "" {
		why += ": " + said
	}
	return why
}

// shownStderr is how many characters of standard error a human is shown.
const shownStderr = 200

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(hookproto.Trim(hookproto.UTF8(text)), "\n")
	return line
}

// tell shows the human what hooks say to them, and which ones failed.
func (b *Bridge) tell(f *Firing, out fired) {
	for _, m := range out.SystemMessages {
		b.say(f.Live, fmt.Sprintf("%s hook: %s", f.Event, m.Text))
	}
	for _, c := range out.done {
		if why := b.failure(c); why != "" && !c.Result.Canceled {
			b.say(f.Live, fmt.Sprintf("%s: the %s hook failed: %s", c.Handler.At, f.Event, why))
		}
		if b.client.Ignored != nil {
			for _, what := range b.client.Ignored(f.Event, c.Output) {
				b.once(fmt.Sprintf("%s: %s of the %s hook has no effect here", c.Handler.At, what, f.Event))
			}
		}
		if what := meaningless(c); what != "" {
			b.once(fmt.Sprintf("%s: what the %s hook prints is %s and means nothing", c.Handler.At, f.Event, what))
		}
	}
}

// meaningless says what it is that a hook printed, if that is no answer.
func meaningless(c hookproto.Completed) string {
	text := hookproto.Trim(hookproto.UTF8(c.Result.Stdout))
	if c.Output.Status != hookproto.StatusCompleted || text == "" || len(c.Output.Contexts) > 0 || c.Result.Exit != 0 {
		return ""
	}
	switch v, err := value.ParseString(text); {
	case err != nil:
		return "not JSON"
	case v.Kind() != value.Object:
		return "no JSON object"
	}
	return ""
}

// say shows text to the human, or else to whoever reads warnings.
func (b *Bridge) say(live session.Live, text string) {
	if live == nil || live.Tell(text) != nil {
		b.warn(text)
	}
}

// contexts returns what hooks have to tell the model.
func (b *Bridge) contexts(out fired) []session.Context {
	var list []session.Context
	for _, c := range out.Contexts {
		list = append(list, session.Context{Text: c.Text, Extension: b.Name()})
	}
	return list
}

// messages makes of contexts what enters the conversation.
func (b *Bridge) messages(list []session.Context) []session.Message {
	var out []session.Message
	for _, c := range list {
		if c.Text != "" {
			out = append(out, session.FromExtension(b.Name(), c.Text))
		}
	}
	return out
}

// reason is why a hook decided as it did.
func reason(out fired) string { return trimmed(out.Reason) }

// trimmed is a reason without the end of its last line.
func trimmed(text string) string { return strings.TrimRight(text, " \t\r\n") }
