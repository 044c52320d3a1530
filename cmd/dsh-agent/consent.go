package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// What is asked about: calls that do more than look at the workspace, unless a
// policy has the grant to preapprove them and does; or nothing but what policies
// want approved.
const (
	askChanges  = "changes"
	askPolicies = "policies"
)

// askModes lists the values of --ask.
var askModes = []string{askChanges, askPolicies}

// Who answers.
const (
	answerYes      = "yes"
	answerNo       = "no"
	answerTerminal = "terminal"
	answerNobody   = "nobody"
)

// never reports whether nobody may be asked: the command line or the session says
// so, and neither can loosen what the other says.
func (p *program) never() bool {
	return p.opts.no || p.log.ApprovalPolicy() == session.PolicyNever
}

func (p *program) answers() string {
	switch {
	case p.never():
		return answerNo
	case p.opts.yes:
		return answerYes
	case p.terminal != nil:
		return answerTerminal
	}
	return answerNobody
}

// modes says in words what holds.
var modes = map[[2]string]string{
	{askChanges, answerTerminal}:  "calls that change something, run commands or leave %s are asked about at the terminal",
	{askChanges, answerNobody}:    "calls that change something, run commands or leave %s are denied: there is no terminal to ask at; --yes or --no answers for you",
	{askChanges, answerYes}:       "--yes: every call runs that no policy denies",
	{askChanges, answerNo}:        "--no: calls that change something, run commands or leave %s are denied",
	{askPolicies, answerTerminal}: "every call runs that no policy denies; what a policy wants approved is asked about at the terminal",
	{askPolicies, answerNobody}:   "every call runs that no policy denies; what a policy wants approved is denied: there is no terminal to ask at",
	{askPolicies, answerYes}:      "--yes: every call runs that no policy denies",
	{askPolicies, answerNo}:       "--no: every call runs that no policy denies or wants approved",
}

// mode is what the program says when it begins.
func (p *program) mode() progress.Mode {
	m := progress.Mode{Ask: p.opts.ask, Answer: p.answers(), Workspace: p.workspace()}
	m.Text = strings.ReplaceAll(modes[[2]string{m.Ask, m.Answer}], "%s", terminal.Line(m.Workspace, maxReason))
	return m
}

// workspace is the project with all links resolved.
func (p *program) workspace() string {
	if real, err := filepath.EvalSymlinks(p.root); err == nil {
		return real
	}
	return p.root
}

// careful is a policy that wants every call approved that does more than look at
// the workspace. It has to stand before the policies that may preapprove one.
type careful struct{ workspace string }

// Name implements [point.Extension].
func (careful) Name() string { return "--ask=" + askChanges }

// Install implements [point.Extension].
func (c careful) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(ctx context.Context, call tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		d, err := next(ctx)
		allowed, ok := d.(tool.Allow)
		if err != nil || !ok || allowed.Preapproved || call.Fault != "" { // a fault runs nothing
			return d, err
		}
		if what := c.deed(call); what != "" {
			return tool.Ask{Reason: what, Contexts: allowed.Contexts}, nil
		}
		return d, nil
	})
	return nil
}

// deed says what a call does beyond looking at the workspace; empty if nothing.
func (c careful) deed(call tool.Call) string {
	switch a := call.Action.(type) {
	case tool.Read:
		return c.look(a.Files, a.Partial)
	case tool.Search:
		return c.look(a.Files, a.Partial)
	case tool.Agent:
		return "" // its own calls are judged
	case tool.Shell:
		return "it runs a command"
	case tool.Write:
		return "it writes " + c.names(a.Files)
	case tool.Edit:
		return "it changes " + c.names(a.Files)
	case tool.Delete:
		return "it deletes " + c.names(a.Files)
	case tool.Fetch:
		return "it uses the network"
	case tool.MCP, tool.Other:
	}
	return "nobody can tell what it does"
}

// look says why a call that reads is not about the workspace alone.
func (c careful) look(files []tool.File, partial bool) string {
	for _, f := range files {
		if f.Real == "" {
			return "nobody can tell what it looks at: " + f.Path
		}
		if !c.inside(f.Real) {
			return "it looks outside of the workspace, at " + f.Real
		}
	}
	if partial || len(files) == 0 {
		return "nobody can tell all that it looks at"
	}
	return ""
}

func (c careful) names(files []tool.File) string {
	if len(files) != 1 {
		return fmt.Sprintf("%d files", len(files))
	}
	switch f := files[0]; {
	case f.Real == "":
		return "a file, and nobody can tell where: " + f.Path
	case c.inside(f.Real):
		return "a file"
	}
	return "outside of the workspace, at " + files[0].Real
}

func (c careful) inside(path string) bool {
	below, err := filepath.Rel(c.workspace, path)
	return err == nil && filepath.IsLocal(below)
}
