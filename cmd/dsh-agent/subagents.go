package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/tools"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// crew is the agents at work, by their sessions: a tool knows the session of its
// call, and a subagent has to know whom it works for. Its zero value is ready.
type crew struct {
	mu      sync.Mutex
	agents  map[string]*agent.Agent
	started int
}

func (c *crew) join(a *agent.Agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.agents == nil {
		c.agents = map[string]*agent.Agent{}
	}
	c.agents[a.Session().ID] = a
}

func (c *crew) leave(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.agents, id)
}

func (c *crew) find(id string) *agent.Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.agents[id]
}

// label returns how the human tells the next subagent from others.
func (c *crew) label(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started++
	if kind == "" {
		kind = "agent"
	}
	return fmt.Sprintf("%s %d", kind, c.started)
}

// delegate starts a subagent for the agent that makes a call, and waits for it.
func (p *program) delegate(ctx context.Context, task tools.Task) (tools.Report, error) {
	parent := p.crew.find(task.Session)
	if parent == nil {
		return tools.Report{}, errors.New("there is no agent that another one could work for")
	}
	id := newID()
	report := p.report.Of(progress.Agent{ID: id, Label: p.crew.label(task.Type)})
	o := subagent.Options{
		ID: id, Type: task.Type, Prompt: task.Prompt, Log: p.logOptions(report),
		Adapt: func(o *agent.Options) {
			o.Observer, o.Warn, o.Tell = report, report.Warn, report.Tell
			o.Pipeline = &tool.Runtime{Warn: report.Warn, Approvals: p.approvals(report)}
			o.Setup = func(a *agent.Agent) error { p.crew.join(a); return nil }
			if script, ok := o.Model.(*model.Scripted); ok {
				o.Model = script.Child(task.Call)
			}
			report.Session(o.Log.Header(), o.Log.Path(), "subagent")
		},
	}
	if path := p.log.Path(); path != "" {
		o.LogPath = path + "." + id
	}
	run, err := subagent.Start(ctx, parent, o)
	defer p.crew.leave(id)
	if err != nil {
		return tools.Report{}, fmt.Errorf("the agent cannot be started: %w", err)
	}
	result := run.Wait()
	end := run.Agent().Log().Work().End
	err = run.Close(context.WithoutCancel(ctx))
	return tools.Report{
		Session: id, Done: result.Outcome == subagent.Completed, Problem: result.Outcome + progress.Why(end),
		Text: strings.TrimSpace(session.Message{Content: result.Output}.Text()),
	}, err
}
