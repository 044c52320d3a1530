// Package host is the one way to fire a point. A host is whoever asks: the tool
// pipeline, the agent loop, the command that a client runs as its hook, a replay
// of a transcript. All of them fire through [Fire] and [Tell], so a policy that
// works in one works in all.
package host

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
)

// A Host is who asks, on behalf of one session.
type Host struct {
	// Run says who is asked.
	Run point.Run
	// Live acts on the session; it is put into every payload that has a field
	// for it. It may be nil.
	Live session.Live
	// Fires lists the points that this host ever fires. A script that attaches
	// to another one is told so when it loads.
	Fires []point.Point
}

// An Outcome is what came of firing a waterfall.
type Outcome[D any] struct {
	// Decision is the answer; if there was a fault, what the host makes of it.
	Decision D
	// Fault is why there is no answer from the extensions; nil if there is one.
	Fault error
}

// Fire runs w on payload. A fault is turned into a Decision by onFault, which
// says what a failing extension means to this host: at a point that can deny, it
// must be a denial.
func Fire[P, D any](ctx context.Context, h Host, w *point.Waterfall[P, D], payload P, onFault func(error) D) Outcome[D] {
	d, err := w.Run(ctx, h.run(), payload)
	return outcome(d, err, onFault)
}

// FireTo is [Fire] for a point that wraps work: core is what stands behind the
// handlers; see [point.Waterfall.RunTo].
func FireTo[P, D any](ctx context.Context, h Host, w *point.Waterfall[P, D], payload P, core func(context.Context) D, onFault func(error) D) Outcome[D] {
	d, err := w.RunTo(ctx, h.run(), payload, core)
	return outcome(d, err, onFault)
}

// FireGuard is [Fire] for a guard.
func FireGuard[P, D any](ctx context.Context, h Host, g *point.Guard[P, D], payload P, onFault func(error) D) Outcome[D] {
	d, err := g.Run(ctx, h.run(), payload)
	return outcome(d, err, onFault)
}

func outcome[D any](d D, err error, onFault func(error) D) Outcome[D] {
	if err != nil {
		return Outcome[D]{onFault(err), err}
	}
	return Outcome[D]{d, nil}
}

// Tell runs n on payload. The error is for a log, unless n stops on errors.
func Tell[P any](ctx context.Context, h Host, n *point.Notification[P], payload P) error {
	return n.Run(ctx, h.run(), payload)
}

// run says who is asked, and with what live handle. The point puts it into payloads:
// it alone knows whether anybody is attached.
func (h Host) run() point.Run {
	run := h.Run
	if h.Live != nil {
		run.Live = h.Live
	}
	return run
}
