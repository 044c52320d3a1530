package spec_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
)

// prompt gives the agent a message of the human, and waits for the turn to end.
func (w *hookWorld) prompt(text string) (session.End, error) {
	if err := w.agent.Followup(context.Background(), agent.Said(text)); err != nil {
		return session.End{}, err
	}
	return w.idle()
}

// idle waits until the agent has nothing to do, and returns how its last turn
// ended.
func (w *hookWorld) idle() (session.End, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hookPatience)
	defer cancel()
	if err := w.agent.WhenIdle(ctx); err != nil {
		return session.End{}, fmt.Errorf("waited in vain for the end of the turn: %w", err)
	}
	var end session.End
	for e, err := range w.log.Entries() {
		if err != nil {
			return end, err
		}
		if e.Type == session.EventTurnEnd {
			end = e.End()
		}
	}
	return end, nil
}

// end ends the session.
func (w *hookWorld) end(reason string) error {
	if w.agent == nil {
		return nil
	}
	a := w.agent
	w.agent = nil
	ctx, cancel := context.WithTimeout(context.Background(), hookPatience)
	defer cancel()
	for _, run := range w.subagents() {
		run.Wait()
		if err := run.Close(ctx); err != nil {
			return err
		}
	}
	if err := a.Close(ctx, reason); err != nil {
		return err
	}
	return w.log.Close()
}

// spawn starts a subagent for a call. Its answers are those of the first text of
// children that its task holds.
func (w *hookWorld) spawn(ctx context.Context, kind, task string) (*subagent.Run, error) {
	w.mu.Lock()
	w.spawned++
	id := fmt.Sprintf("a-%d-%s", w.spawned, filepath.Base(w.dir))
	w.mu.Unlock()
	known := ""
	for text := range w.children {
		if strings.Contains(task, text) {
			known = text
		}
	}
	o := subagent.Options{ID: id, Type: kind, Prompt: task, Adapt: func(o *agent.Options) { o.Model = w.script(id, known, w.children[known]) }}
	if !w.keepsNoLog {
		o.LogPath = filepath.Join(w.dir, id+".jsonl")
	}
	run, err := subagent.Start(ctx, w.agent, o)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs[id] = run
	return run, nil
}

// A stoppable is what handlers do to a session between its turns: a halt is kept.
type stoppable struct {
	session.Live
	halted bool
}

// Halt implements [session.Live].
func (s *stoppable) Halt(string) error {
	s.halted = true
	return nil
}

// compact summarises the conversation, as a client does it between two turns. It
// reports whether extensions stopped it, before or after the summary.
func (w *hookWorld) compact(trigger string) (stopped bool, err error) {
	a := w.agent
	live := &stoppable{Live: a.Live()}
	h := a.Host()
	h.Live = live
	err = a.Maintain(context.Background(), func(ctx context.Context) error {
		out := host.Fire(ctx, h, agent.PreCompact, agent.Compaction{Session: a.Session(), Trigger: trigger},
			func(err error) agent.CompactionDecision { return agent.Cancel{Reason: err.Error()} })
		if _, no := out.Decision.(agent.Cancel); no || out.Fault != nil || live.halted {
			live.halted = true
			return out.Fault
		}
		r := model.Request{Model: w.model, Messages: w.log.History(), Session: a.Session().ID}
		var summary strings.Builder
		for c, err := range a.Options().Model.Stream(ctx, r) {
			if err != nil {
				return err
			}
			if d, ok := c.(model.TextDelta); ok {
				summary.WriteString(d.Text)
			}
		}
		told := host.Tell(ctx, h, agent.OnCompacted, agent.Compacted{Session: a.Session(), Trigger: trigger, Summary: summary.String()})
		began := host.Tell(ctx, a.Host(), agent.OnSessionStart, agent.Started{Session: a.Session(), Source: "compact"})
		return errors.Join(told, began)
	})
	return live.halted, err
}

// subagents returns those that were started, by their ID.
func (w *hookWorld) subagents() map[string]*subagent.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.runs)
}

// until waits until a condition holds that nobody tells of.
func (w *hookWorld) until(what string, met func() bool) error {
	deadline, tick := time.NewTimer(hookPatience), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Errorf("waited in vain for %s", what)
		}
	}
	return nil
}

// bodies counts the bodies of tools that began.
func (w *hookWorld) bodies() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ran)
}

// settled waits until every scripted hook that began has come to its end.
func (w *hookWorld) settled() error {
	return w.until("hooks in the background", func() bool {
		calls, err := w.calls()
		return err == nil && len(calls) > 0 && !slices.ContainsFunc(calls, func(c hookRun) bool { return c.End == 0 })
	})
}

// say gives the agent a message of the human and does not wait.
func (w *hookWorld) say(text string) error {
	return w.agent.Followup(context.Background(), agent.Said(text))
}

// steer gives the turn under way a message of the human, and waits for its end.
func (w *hookWorld) steer(text string) error {
	if err := w.agent.Steer(context.Background(), agent.Said(text)); err != nil {
		return err
	}
	_, err := w.idle()
	return err
}
