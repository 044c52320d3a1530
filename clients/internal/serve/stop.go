package serve

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/subagent"
)

// start tells that a session begins. No client lets a hook refuse that.
func (a *asking) start(ctx context.Context) {
	a.live()
	err := host.Tell(ctx, a.host, agent.OnSessionStart, *a.event.Started)
	a.counts(agent.OnSessionStart, nil, err)
	out := Output{Tell: Told(a.effects)}
	out.Stop, out.StopReason = a.halted()
	context, unfit := join(nil, nil, a.effects)
	for _, fault := range []error{err, unfit} {
		if fault != nil {
			a.served.Fault = fault
			a.note(fault.Error())
		}
	}
	out.Context = context
	a.print(out)
}

// stop tells that a turn is about to end.
func (a *asking) stop(ctx context.Context) {
	a.live()
	err := host.Tell(ctx, a.host, agent.OnTurnStopping, *a.event.Stopping)
	a.stops(agent.OnTurnStopping, a.event.Stopping.StopActive, err)
}

// childStop tells that the turn of a subagent is about to end, and then, unless
// something makes it go on, that the subagent is.
func (a *asking) childStop(ctx context.Context) {
	a.live()
	fault := host.Tell(ctx, a.host, agent.OnTurnStopping, *a.event.Stopping)
	if fault == nil && a.prolonged() {
		a.stops(agent.OnTurnStopping, a.event.Stopping.StopActive, nil)
		return
	}
	ended := *a.event.Ended
	if _, halted := a.effects.Halted(); halted {
		ended.Outcome = subagent.Aborted
	}
	if fault != nil {
		ended.Outcome = subagent.Failed
	}
	err := host.Tell(ctx, a.host, subagent.OnEnd, ended)
	a.stops(subagent.OnEnd, ended.StopActive, cmp.Or(fault, err))
}

// prolonged reports whether somebody makes what is about to end go on.
func (a *asking) prolonged() bool {
	_, halted := a.effects.Halted()
	return !halted && len(a.effects.Steered())+len(a.effects.Injected()) > 0
}

// stops answers whether what is about to end does.
func (a *asking) stops(p point.Point, active bool, fault error) {
	var out Output
	if fault == nil {
		out, fault = a.goingOn(active)
	}
	if fault != nil {
		out = ending(fault)
	}
	a.counts(p, nil, fault)
	out.Tell = lines(append(a.effects.Told(), out.Tell))
	a.print(out)
}

// goingOn writes what makes it go on. A halt stands above all that does.
func (a *asking) goingOn(active bool) (out Output, err error) {
	if out.Stop, out.StopReason = a.halted(); out.Stop {
		return out, nil
	}
	steered, err := textsOf("steer", a.effects.Steered())
	if err != nil {
		return out, err
	}
	injected, err := textsOf("inject", a.effects.Injected())
	switch {
	case err != nil:
		return out, err
	case !a.prolonged():
		return out, nil
	case !a.mayGoOn(active):
		out.Tell = endsAnyway
		a.note(endsAnyway)
		return out, nil
	}
	if a.event.row.Adds {
		out.Context, injected = lines(injected), nil
	}
	if texts := append(injected, steered...); len(texts) > 0 {
		out.Decision, out.Reason = "block", Or(lines(texts), goOnReason)
	}
	return out, nil
}

// endsAnyway is what the human is told of a bound that was reached.
const endsAnyway = "dsh lets this end, although a policy wants it to go on: policies made it go on before, and this client sets no bound of its own"

// mayGoOn holds the bound of a client that has none. How often a turn went on is
// kept where the options remember; where nobody does, it may go on once.
func (a *asking) mayGoOn(active bool) bool {
	limit, ref := a.event.row.GoOn, a.event.Session
	if limit == 0 {
		return true
	}
	if a.options.First == nil || ref.ID == "" || ref.Turn == "" {
		return !active
	}
	key := []string{"goes on", ref.ID, ref.Turn, a.event.Name, ""}
	if ref.Agent != nil {
		key = append(key, ref.Agent.ID)
	}
	for n := range limit {
		key[4] = strconv.Itoa(n)
		if what := strings.Join(key, "\x00"); a.options.First(what) {
			remembered := !a.options.First(what)
			return remembered || !active
		}
	}
	return false
}

// ending lets something end that could not be judged, because what makes it go on
// would fail again, and tells the human.
func ending(fault error) Output {
	return Output{Tell: "dsh lets this end although it could not be judged: " + fault.Error()}
}
