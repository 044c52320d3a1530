package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// approvals says who answers for the human: the command line, or he himself at
// the terminal. report is that of the agent whose calls they are.
func (p *program) approvals(report *progress.Reporter) *tool.Approvals {
	answer := map[string]tool.ApproverFunc{
		answerYes: func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return tool.Grant{}, nil },
		answerTerminal: func(ctx context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
			return p.confirm(ctx, report, a)
		},
		answerNobody: func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			p.unasked.Do(func() {
				report.Warn("a call needs approval and there is no terminal to ask at, so it is denied, as the next ones will be; --yes or --no answers for you")
			})
			return tool.Pass{}, nil
		},
	}
	a := &tool.Approvals{Never: p.opts.no, Record: report.Approval}
	if f := answer[p.answers()]; f != nil {
		a.Approver = f
	}
	return a
}

// confirm asks at the terminal.
func (p *program) confirm(ctx context.Context, report *progress.Reporter, a tool.Approval) (tool.ApprovalDecision, error) {
	yes, err := p.terminal.Confirm(ctx, question(report, a))
	switch {
	case err != nil:
		return nil, err
	case yes:
		return tool.Grant{}, nil
	}
	return tool.Refuse{}, nil
}

const (
	// maxReason bounds what a question shows of a reason, and maxArguments what it
	// shows of arguments, in characters. Nobody can agree to what he cannot see.
	maxReason    = 600
	maxArguments = 8000
)

// question shows what is to be approved, why, and who wants to know.
func question(report *progress.Reporter, a tool.Approval) string {
	var text strings.Builder
	arguments := terminal.Line(string(a.Call.Arguments.AppendJSON(nil)), maxArguments)
	fmt.Fprintf(&text, "\n%s%s %s\n", report.Prefix(), terminal.Line(a.Call.Tool, 80), arguments)
	if a.Reason != "" {
		fmt.Fprintf(&text, "  %s\n", terminal.Line(a.Reason, maxReason))
	}
	if d, ok := report.Asked(a.Reason); ok {
		fmt.Fprintf(&text, "  (%s)\n", terminal.Line(d.Place(), maxReason))
	}
	return text.String()
}
