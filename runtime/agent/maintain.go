package agent

import (
	"context"
	"fmt"
)

// A maintenance is work on a session between its turns.
type maintenance struct{ cancel context.CancelCauseFunc }

// Maintain runs task while no turn does. Messages that arrive meanwhile wait, and
// wakes take effect when it is over. It fails at once if the agent has work
// already. [Agent.Cancel] cancels the context of task.
func (a *Agent) Maintain(ctx context.Context, task func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.mu.Lock()
	if a.run != nil || a.task != nil || a.ending {
		a.mu.Unlock()
		return fmt.Errorf("agent %q already has active work", a.ref.ID)
	}
	a.task = &maintenance{cancel}
	a.occupy()
	a.mu.Unlock()
	err := task(ctx)
	a.mu.Lock()
	a.task = nil
	var opened *turn
	if a.latch && a.pending() && !a.ending {
		opened = a.wake()
	}
	a.latch = false
	a.mu.Unlock()
	if opened != nil {
		a.begin(a.base, opened)
	}
	a.release()
	return err
}
