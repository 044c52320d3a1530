package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// approvals says who answers for the human: the command line, or he himself at
// the terminal.
func (p *program) approvals() *tool.Approvals {
	a := &tool.Approvals{Never: p.opts.no, Record: p.report.Approval}
	switch {
	case p.opts.yes:
		a.Approver = tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return tool.Grant{}, nil })
	case p.terminal != nil:
		a.Approver = tool.ApproverFunc(p.confirm)
	default:
		a.Approver = tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			p.report.Warn("a call needs approval and there is no terminal to ask at, so it is denied; --yes or --no answer for you")
			return tool.Pass{}, nil
		})
	}
	return a
}

// confirm asks at the terminal.
func (p *program) confirm(ctx context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
	yes, err := p.terminal.Confirm(ctx, p.question(a))
	switch {
	case err != nil:
		return nil, err
	case yes:
		return tool.Grant{}, nil
	}
	return tool.Refuse{}, nil
}

// maxReason bounds what a question shows of a reason, in characters.
const maxReason = 600

// question shows what is to be approved, why, and who wants to know.
func (p *program) question(a tool.Approval) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s %s\n", terminal.Line(a.Call.Tool, 80), terminal.Plain(tool.Preview(a.Call.Arguments)))
	if a.Reason != "" {
		fmt.Fprintf(&text, "  %s\n", terminal.Line(a.Reason, maxReason))
	}
	if d, ok := p.report.Asked(a.Reason); ok {
		fmt.Fprintf(&text, "  (%s)\n", terminal.Line(d.Place(), maxReason))
	}
	return text.String()
}

// careful is a policy that wants every call approved that does more than look.
type careful struct{}

// Name implements [point.Extension].
func (careful) Name() string { return "--ask" }

// Install implements [point.Extension].
func (careful) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(ctx context.Context, call tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		d, err := next(ctx)
		allowed, ok := d.(tool.Allow)
		if err != nil || !ok || allowed.Preapproved {
			return d, err
		}
		switch call.Action.(type) {
		case tool.Read, tool.Search:
			return d, nil
		case tool.Shell, tool.Write, tool.Edit, tool.Delete, tool.Fetch, tool.MCP, tool.Agent, tool.Other:
		}
		return tool.Ask{Reason: "it does more than read and search", Contexts: allowed.Contexts}, nil
	})
	return nil
}
