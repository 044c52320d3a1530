package spec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/value"
)

// runResume stores a log in a file, opens it again and goes on.
func runResume(c loopScenario) (d []string) {
	dir, err := os.MkdirTemp("", "resume")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "log.jsonl")
	stored := c.given.Get("stored")
	if stored.Kind() == value.List {
		if err := store(path, stored); err != nil {
			return []string{err.Error()}
		}
	}
	w := newLoopWorld(c.given)
	var starts []string
	w.given = value.OfObject(value.Member{Key: "model", Value: c.given.Get("model")})
	err = w.start(func(o session.LogOptions) (*session.Log, error) { return session.OpenLog(path, o) }, "resume")
	if refused := strings.HasPrefix(c.then.Get("trace").At(0).String(), "threw:"); refused || err != nil {
		if refused && err != nil {
			return nil
		}
		return []string{fmt.Sprintf("refused: want %t, got %v", refused, err)}
	}
	starts = append(starts, w.agent.Options().Source)
	var diff mismatches
	for _, action := range items(c.when) {
		if !action.Get("resume").IsAbsent() {
			w.trace("resumed:" + strings.Join(typesOf(w.log), ","))
			continue
		}
		if err := w.act(action); err != nil {
			diff = append(diff, err.Error())
		}
	}
	w.update(func() { w.held = false })
	diff.compare("session starts", stringsOf(c.then.Get("sessionStart")), starts)
	diff.compare("trace", stringsOf(c.then.Get("trace")), w.traces)
	lines, err := w.eventLines()
	if err != nil {
		return []string{err.Error()}
	}
	diff.compare("events", storedIDs(recordedLines(c.then.Get("events"))), storedIDs(lines))
	var requests, got []string
	for i, r := range items(c.then.Get("requests")) {
		for _, m := range r.Items() {
			requests = append(requests, fmt.Sprintf("%d %s", i, recordedShort(m.String())))
		}
	}
	for i, r := range w.requests {
		for _, m := range r.Messages {
			got = append(got, fmt.Sprintf("%d %s:%s", i, m.Role, shortFlat(m.Content)))
		}
	}
	diff.compare("requests", requests, got)
	w.dispose()
	<-w.disposed
	return diff
}

// shortFlat writes content as the cases of resumption do.
func shortFlat(parts []session.Part) string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case session.ToolCall:
			out = append(out, "<tool-call:"+p.ID+">")
		case session.ToolResult:
			out = append(out, fmt.Sprintf("<result:%s:%t>", p.Call, p.Failed))
		case session.Text, session.Reasoning, session.Image:
			out = append(out, flat([]session.Part{p}))
		}
	}
	return strings.Join(out, "|")
}

// recordedShort brings "role:text" into one form.
func recordedShort(s string) string {
	role, text, _ := strings.Cut(s, ":")
	return role + ":" + plainText(recordedFlat(text))
}

// storedIDs replaces the IDs of messages that the notation does not give.
func storedIDs(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range out {
		if words := strings.SplitN(line, " ", 3); len(words) == 3 && words[0] == string(session.EventUser) && strings.HasPrefix(words[1], "u") {
			out[i] = words[0] + " * " + words[2]
		}
	}
	return out
}

// store writes a log whose entries need not fit, as a process that died might
// have left it.
func store(path string, list value.Value) error {
	log, err := session.CreateLog(path, session.Header{ID: "a1", Cwd: "/proj"}, session.LogOptions{Unchecked: true})
	if err != nil {
		return err
	}
	unknown := false
	for i, v := range items(list) {
		ev, err := noted(v, int64(i))
		if err != nil {
			return err
		}
		if !slices.Contains(session.KnownEvents(), ev.Type) {
			unknown, ev.Ignorable = true, true // it is made up, and taken back below
		}
		if _, err := log.Append(context.Background(), ev); err != nil {
			return err
		}
	}
	if err := log.Close(); err != nil || !unknown {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(text, []byte(`,"ignorable":true`), nil), 0o600)
}

// runScopes runs two agents of one program: b, then a, which has a listener of
// its own beside the program's.
func runScopes(c loopScenario) []string {
	var trace []string
	say := func(s string) { trace = append(trace, s) }
	program := new(point.Registry)
	create := func(id string, own ...point.Extension) *agent.Agent {
		log, err := session.NewLog(session.Header{ID: id}, session.LogOptions{})
		if err != nil {
			say(err.Error())
		}
		a, err := agent.New(context.Background(), agent.Options{
			Session: session.Ref{ID: id}, Log: log, Config: agent.Config{Model: "m"}, Handlers: program, Extensions: own,
			Model: &model.Scripted{Replies: []model.Reply{{Text: "x"}}},
		})
		if err != nil {
			say(err.Error())
		}
		return a
	}
	a := create("a", heard{"scoped-a", say})
	if _, err := program.Install(heard{"global", say}); err != nil {
		return []string{err.Error()}
	}
	b := create("b")
	for _, x := range []*agent.Agent{b, a} {
		_ = x.Followup(context.Background(), agent.Said("go"))
		_ = x.WhenIdle(context.Background())
	}
	for _, x := range []*agent.Agent{b, a} {
		_ = x.Close(context.Background(), "")
	}
	want := slices.DeleteFunc(creationTrace(c.then.Get("trace")), func(s string) bool { return !strings.Contains(s, ":running") && !strings.Contains(s, ":idle") })
	var d mismatches
	d.compare("who heard what", want, trace)
	return d
}

// heard says what it hears.
type heard struct {
	name string
	say  func(string)
}

func (h heard) Name() string { return h.name }

func (h heard) Install(in *point.Installer) error {
	agent.OnStatus.Handle(in, func(_ context.Context, s agent.Status) error {
		h.say(h.name + ":" + s.Session.ID + ":" + s.Status)
		return nil
	})
	return nil
}

// creationTrace leaves out the second phase of the setup.
func creationTrace(list value.Value) []string {
	var out []string
	for _, line := range stringsOf(list) {
		switch {
		case strings.HasPrefix(line, "commit:"):
		case strings.HasPrefix(line, "turn/end:"):
			v, _ := value.ParseString(strings.TrimPrefix(line, "turn/end:"))
			out = append(out, "turn/end:"+recordedEnd(v))
		default:
			out = append(out, line)
		}
	}
	return out
}

type started struct{ say func(string) }

func (started) Name() string { return "started" }

func (s started) Install(in *point.Installer) error {
	agent.OnSessionStart.Handle(in, func(_ context.Context, p agent.Started) error {
		s.say("agent/session-start:" + p.Source)
		return nil
	})
	return nil
}

// lives records the life of a subagent.
type lives struct {
	world *loopWorld
	given value.Value
}

func (lives) Name() string { return "hooks" }

func (l lives) Install(in *point.Installer) error {
	subagent.OnStart.Handle(in, func(_ context.Context, p subagent.Started) error {
		l.world.trace("subagent/start " + p.ID)
		return l.act(l.given.Get("onStart"), p.Live)
	})
	subagent.OnEnd.Handle(in, func(_ context.Context, p subagent.Ended) error {
		l.world.trace(fmt.Sprintf("subagent/end %s %s %s", p.ID, p.Outcome, p.LastMessage))
		return l.act(l.given.Get("onEnd"), p.Live)
	})
	return nil
}

func (l lives) act(v value.Value, live session.Live) error {
	if text, throws := v.Get("throw").Str(); throws {
		return errors.New(text)
	}
	if inject := v.Get("inject"); !inject.IsAbsent() {
		return live.Inject(l.world.message(inject, nil))
	}
	return nil
}

func runSubagent(c loopScenario) []string {
	w := newLoopWorld(c.given)
	err := w.start(func(o session.LogOptions) (*session.Log, error) {
		return session.NewLog(session.Header{ID: "parent", Cwd: "/proj"}, o)
	}, "startup")
	if err != nil {
		return []string{err.Error()}
	}
	if _, err := w.agent.Handlers().Install(lives{world: w, given: c.given}); err != nil {
		return []string{err.Error()}
	}
	background := context.Background()
	if prompt := c.given.Get("parentPrompt"); !prompt.IsAbsent() {
		_ = w.agent.Followup(background, agent.Said(prompt.String()))
		_ = w.agent.WhenIdle(background)
	}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	got := runSubagentActions(ctx, cancel, w, c)
	var d mismatches
	d.compare("life", subagentLife(c.then), w.traces)
	want := subagentResult(c.then)
	if len(got) > 0 && want[0] == "refused" { // the recording gives not every error a code
		got[0], _, _ = strings.Cut(got[0], " ")
	}
	d.compare("result", want, got)
	d.compare("contained", make([]string, c.then.Get("contained").Len()), make([]string, len(w.warned)))
	w.dispose()
	<-w.disposed
	return d
}

func runSubagentActions(ctx context.Context, cancel func(), w *loopWorld, c loopScenario) []string {
	var run *subagent.Run
	var got []string
	providers := subagent.InProcess()
	for _, action := range items(c.when) {
		for name, arg := range action.Members() {
			switch name {
			case "start":
				provider := subagent.Spawn
				if forks, _ := c.given.Get("fork").Bool(); forks {
					provider = subagent.Fork
				}
				if named, ok := arg.Get("provider").Str(); ok {
					provider = named
				}
				o := subagent.Options{ID: "child", Prompt: "child task"}
				if most, ok := arg.Get("maxDepth").Int(); ok {
					if o.MaxDepth = int(most); most == 0 {
						o.MaxDepth = -1
					}
				}
				var err error
				if run, err = providers.Start(ctx, provider, w.agent, o); err != nil {
					return []string{refusedStart(err)}
				}
			case "abort":
				cancel()
			case "result":
				r := run.Wait()
				got = []string{r.Outcome, flat(r.Output)}
				h := run.Agent().Log().Header()
				got = append(got, fmt.Sprintf("%s %s %s %d %d", h.Cwd, h.Parent, h.Origin, h.Depth, h.Seed))
				child := &loopWorld{log: run.Agent().Log(), from: h.Seed}
				lines, _ := child.eventLines()
				for _, line := range lines {
					if strings.HasPrefix(line, "turn/end ") || strings.HasPrefix(line, "assistant/message ") {
						got = append(got, line)
					}
				}
			case "dispose":
				if run != nil {
					_ = run.Close(context.Background())
				}
			default:
				if err := w.act(action); err != nil {
					return []string{err.Error()}
				}
			}
		}
	}
	return got
}

// refusedStart says why a subagent was not started, as the recordings do.
func refusedStart(err error) string {
	var typed *subagent.Error
	if errors.As(err, &typed) {
		return "refused " + typed.Code
	}
	return "refused"
}

// subagentLife is what a recording says of the two notifications.
func subagentLife(then value.Value) []string {
	var out []string
	for _, e := range items(then.Get("lifecycle")) {
		if e.Get("event").String() == "subagent/start" {
			out = append(out, "subagent/start child")
			continue
		}
		last := flat(foreignMessage(value.OfObject(value.Member{Key: "content", Value: e.Get("lastAssistantMessage")})).Content)
		out = append(out, fmt.Sprintf("subagent/end child %s %s", e.Get("stopReason"), last))
	}
	return out
}

func subagentResult(then value.Value) []string {
	r := then.Get("result")
	if r.Kind() != value.Object {
		for _, line := range stringsOf(then.Get("trace")) {
			if rest, typed := strings.CutPrefix(line, "threw:SubagentError:"); typed {
				code, _, _ := strings.Cut(rest, ":")
				return []string{"refused " + code}
			}
		}
		return []string{"refused"}
	}
	h := then.Get("childHeader")
	out := []string{
		r.Get("stopReason").String(), flat(foreignMessage(value.OfObject(value.Member{Key: "content", Value: r.Get("output")})).Content),
		fmt.Sprintf("%s %s %s %d %d", h.Get("cwd"), h.Get("parentSession"), h.Get("origin"), intOf(h.Get("delegationDepth")), intOf(h.Get("seedLength"))),
	}
	for _, line := range recordedLines(then.Get("childEvents")) {
		if strings.HasPrefix(line, "turn/end ") || strings.HasPrefix(line, "assistant/message ") {
			out = append(out, line)
		}
	}
	return out
}
