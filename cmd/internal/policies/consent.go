package policies

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// NoConsent takes the yes away from what is installed behind it: there a grant at
// tools/approve counts as no answer, so that whoever would be asked is asked.
type NoConsent struct {
	Who string // speaks, such as "dsh hook"
	// Quiet leaves it at that; else the human is told that a grant did not count.
	Quiet bool
}

// Name implements [point.Extension].
func (n NoConsent) Name() string { return n.Who }

// Install implements [point.Extension].
func (n NoConsent) Install(in *point.Installer) error {
	tool.OnApprove.Handle(in, func(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
		d, err := next(ctx)
		if _, grant := d.(tool.Grant); !grant || err != nil {
			return d, err
		}
		if n.Quiet {
			return tool.Pass{}, nil
		}
		return tool.Pass{}, a.Live.Tell(n.Who + ": a policy approves this call; it does not count, because it has no grant to answer for you")
	})
	return nil
}
