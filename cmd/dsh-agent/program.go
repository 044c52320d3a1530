package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/tools"
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/internal/group"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
)

// client is the name of this program as an agent.
const client = "dsh"

// scripted is the name of the model that follows a script.
const scripted = "scripted"

// A program is one run of the agent.
type program struct {
	opts   runOptions
	std    console.IO
	report *progress.Reporter
	model  model.Model

	cwd, root string
	policies  policies.Set
	hooks     shellHooks
	terminal  *terminal.Terminal // nil if there is none, or none is needed
	log       *session.Log
	source    string
	before    int  // the last turn of an earlier life
	asked     bool // there was a prompt
	agent     *agent.Agent
	crew      crew
	unasked   sync.Once // it was told that nobody can be asked
}

// prepare makes everything that a turn needs. Nothing of it acts.
func (p *program) prepare(ctx context.Context) error {
	if err := p.open(); err != nil {
		return err
	}
	if err := p.load(ctx); err != nil {
		return err
	}
	if err := p.loadHooks(); err != nil {
		return err
	}
	if p.opts.prompt == "" && terminal.Is(p.std.In) || !p.opts.yes && !p.opts.no {
		p.terminal = terminal.Open(p.std.In)
	}
	p.report.Session(p.log.Header(), p.log.Path(), p.source)
	p.report.Mode(p.mode())
	if p.never() && !p.opts.no {
		p.report.Warn("the approval policy of this session is never, which no option loosens: calls are judged as with --no")
	}
	return p.start(ctx)
}

// release gives back what prepare took, as far as it came.
func (p *program) release() {
	p.hooks.close(p.report.Warn)
	if p.log != nil {
		if err := p.log.Close(); err != nil {
			p.report.Warn(fmt.Sprintf("the session's log: %v", err))
		}
	}
	if p.terminal != nil {
		p.terminal.Close()
	}
	p.policies.Close()
}

// place finds out where to work: in --project, else where the session did, else
// here.
func (p *program) place(before session.Header) (err error) {
	p.cwd = p.opts.project
	if p.cwd == "" {
		p.cwd = before.Cwd
	}
	if p.cwd, err = filepath.Abs(p.cwd); err != nil {
		return err
	}
	if p.root, err = policies.FindProject(p.cwd); err != nil {
		return fmt.Errorf("the project cannot be found: %w", err)
	}
	return nil
}

// logOptions are the settings of the log of the agent that report is for.
func (p *program) logOptions(report *progress.Reporter) session.LogOptions {
	return session.LogOptions{
		Sync: session.SyncTurns, Warn: report.Warn,
		Observers: []func(context.Context, session.Entry) error{report.Entry},
	}
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// load loads the policies. An agent without one of them would do what it is there
// to prevent: a policy that does not load ends the program.
func (p *program) load(ctx context.Context) error {
	files, ignored, err := policies.OfProject(p.root)
	if err != nil {
		return fmt.Errorf("the project's policies cannot be listed: %w", err)
	}
	p.policies.Warnings = ignored
	if len(files)+len(p.opts.policies) == 0 {
		p.report.Warn(fmt.Sprintf("no policies in %s", filepath.Join(p.root, policies.Folder)))
	}
	err = p.install(ctx, files)
	for _, w := range p.policies.Warnings {
		p.report.Warn(w)
	}
	if err != nil {
		return fmt.Errorf("the policies cannot be loaded: %w", err)
	}
	return nil
}

// install installs what judges calls, in the order in which it does. Only
// policies that the command line names can have a grant.
func (p *program) install(ctx context.Context, files []policies.File) error {
	if p.opts.ask == askChanges && p.answers() != answerYes { // with --yes the answer is known
		if _, err := p.policies.Registry.Install(careful{p.workspace()}); err != nil {
			return err
		}
	}
	opts := policies.Options{Fires: fires(), Tools: tools.Names(), Services: policies.Services(time.Now), Log: p.report.Print}
	named := opts
	for _, g := range p.opts.grants {
		named.Grants = append(named.Grants, point.Grant(g))
	}
	err := p.policies.Add(ctx, policies.Named(p.opts.policies), named)
	if _, e := p.policies.Registry.Install(policies.NoConsent{Who: "dsh run", Quiet: true}); e != nil {
		return e
	}
	return errors.Join(err, p.policies.Add(ctx, files, opts))
}

// fires lists the points that this program ever fires.
func fires() []point.Point {
	list := append(tool.Points(), subagent.Points()...)
	return append(list, agent.OnSessionStart, agent.OnSessionEnd, agent.PreStep, agent.OnRequest, agent.OnRequestError,
		agent.OnTurnStopping, agent.OnInterrupt, agent.OnStatus, agent.OnError)
}

// toolTime bounds tools that do not bound themselves.
const toolTime = 11 * time.Minute

// start starts the agent.
func (p *program) start(ctx context.Context) error {
	orphans, err := group.Adopt()
	if err != nil {
		p.report.Warn(fmt.Sprintf("what commands leave behind may go on when they end: %v", err))
	}
	home, _ := os.UserHomeDir() // "~" is an ordinary name without one
	all := new(tool.Registry)
	for _, d := range tools.All(tools.Options{
		Cwd: p.cwd, Home: home, Env: group.Scrub(os.Environ(), p.opts.env), More: p.hooks.exported, Orphans: orphans, Agent: p.delegate,
	}) {
		if _, err := all.Register(d); err != nil {
			return err
		}
	}
	p.agent, err = agent.New(ctx, agent.Options{
		Session: session.Ref{
			ID: p.log.Header().ID, Cwd: p.cwd, Project: p.root, Transcript: p.log.Path(), Model: scripted, Client: client,
		},
		Log: p.log, Model: p.model, Config: agent.Config{Model: scripted},
		Handlers: &p.policies.Registry, Extensions: []point.Extension{agent.Backoff{}, wrap.Timeout{Default: toolTime}}, Observer: p.report, Tools: all,
		Pipeline: &tool.Runtime{Warn: p.report.Warn, Approvals: p.approvals(p.report)},
		Prompt:   p.prompt, Source: p.source, TurnTimeout: p.opts.timeout, FlushBeforeEffects: p.opts.durable,
		Tell: p.report.Tell, Warn: p.report.Warn,
		Setup: func(a *agent.Agent) error { p.crew.join(a); return nil },
	})
	return err
}

const system = `You are a coding agent. You work on the user's files with the tools that you have, and answer when you are done.
The working directory is {{cwd}}. Commands and relative paths start there.
Every call of a tool may be denied by a policy, with a reason. A denial is final: find another way, or say what stops you.`

func (p *program) prompt(context.Context, agent.Proposal) (agent.Prompt, error) {
	return agent.Prompt{
		Sections:  []agent.Section{{Name: "role", Text: system}},
		Variables: map[string]string{"cwd": p.cwd},
	}, nil
}
