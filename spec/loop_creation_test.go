package spec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

func runCreation(c loopScenario) []string {
	if two, _ := c.given.Get("twoAgents").Bool(); two {
		return runScopes(c)
	}
	w := &creation{given: c.given}
	w.live()
	var d mismatches
	d.compare("trace", creationTrace(c.then.Get("trace")), w.trace)
	return d
}

// creation is the life of one agent, or of one that nobody lets live.
type creation struct {
	given     value.Value
	directory agent.Directory
	trace     []string
	quiet     bool // the recording has ended
}

func (w *creation) say(s string) {
	if !w.quiet {
		w.trace = append(w.trace, s)
	}
}

// found says what of the agent can be found.
func (w *creation) found() string {
	_, there := w.directory.Agent("a")
	_, stored := w.directory.Log("a")
	return fmt.Sprintf(":agent=%t,session=%t", there, stored)
}

func (w *creation) live() {
	background := context.Background()
	retry, _ := w.given.Get("retry").Bool()
	hang := w.given.Get("run").String() == "hang"
	a, err := w.create(true)
	if err != nil {
		w.say("rejected:" + creationError(err) + w.found())
		if !retry {
			return
		}
		if a, err = w.create(false); err != nil {
			w.say(err.Error())
			return
		}
	}
	_ = a.WhenStarted(background)
	if retry {
		w.say("retry ok" + w.found())
	} else {
		w.say("created")
	}
	if hang {
		_ = a.Followup(background, agent.Said("go"))
	}
	w.quiet = !retry && !hang
	_ = a.Close(background, "disposed")
	if hang {
		w.say("dispose resolved" + w.found())
	}
}

// creationError leaves out whose announcement an error comes from.
func creationError(err error) string {
	text := err.Error()
	for _, kind := range []string{agent.SessionCreated, agent.AgentCreated} {
		text = strings.TrimPrefix(text, kind+": ")
	}
	return text
}

func (w *creation) create(failing bool) (*agent.Agent, error) {
	log, err := session.NewLog(session.Header{ID: "a"}, session.LogOptions{Observers: []func(context.Context, session.Entry) error{
		func(_ context.Context, e session.Entry) error {
			if e.Type == session.EventTurnEnd {
				w.say("turn/end:" + endText(e.End()))
			}
			return nil
		},
	}})
	if err != nil {
		return nil, err
	}
	return agent.New(context.Background(), agent.Options{
		Session: session.Ref{ID: "a"}, Log: log, Config: agent.Config{Model: "m"}, Directory: &w.directory,
		Model:    &model.Scripted{Replies: []model.Reply{{Text: "x", Hang: true}}},
		Setup:    func(a *agent.Agent) error { return w.setup(a, failing) },
		Announce: []func(agent.Announcement) error{w.announced},
	})
}

// setup has one phase where the recording has two.
func (w *creation) setup(a *agent.Agent, failing bool) error {
	setup, commit := w.given.Get("setup"), w.given.Get("commit")
	if !setup.IsAbsent() && failing {
		w.say("setup" + w.found())
	}
	_, err := a.Handlers().Install(started{w.say})
	for _, stage := range []value.Value{setup.Get("throw"), commit.Get("throw")} {
		if text, throws := stage.Str(); throws && failing {
			return errors.New(text)
		}
	}
	return err
}

func (w *creation) announced(what agent.Announcement) error {
	w.say(what.Kind + w.found())
	objection := map[string]string{agent.SessionCreated: "sessionCreatedThrows", agent.AgentCreated: "agentCreatedThrows"}[what.Kind]
	if text, throws := w.given.Get(objection).Str(); throws {
		return errors.New(text)
	}
	return nil
}
