package tool

import "context"

// A wrapper may leave a next behind on another goroutine and answer without it.
// The call is over all the same only when its body is, and no body begins after
// that. So the pipeline counts the nexts that are at the centre of a call.

// arrive counts a next in. It fails once the wrappers have answered.
func (x *execution) arrive() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered {
		return false
	}
	x.inner++
	return true
}

// depart counts a next out.
func (x *execution) depart() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.inner--; x.inner == 0 && x.emptied != nil {
		close(x.emptied)
	}
}

// await ends the time for new bodies and waits for those that run. Contexts
// that wrappers derived end with the phase, so that these bodies do not take
// longer than they must.
func (x *execution) await(phase *graceful) {
	x.mu.Lock()
	x.answered = true
	if x.inner > 0 {
		x.emptied = make(chan struct{})
	}
	emptied := x.emptied
	x.mu.Unlock()
	if emptied != nil {
		phase.end()
		<-emptied
	}
}

// centre is what the wrappers wrap. The result it hands out is a copy: what the
// pipeline itself made of the body is kept apart, where no wrapper can write.
func (x *execution) centre(inner context.Context, phase *graceful) Result {
	if !x.arrive() {
		return Aborted(false) // for nobody to see
	}
	defer x.depart()
	ctx, release := join(inner, phase)
	defer release()
	o := x.perform(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.canonical = &o
	return o.copy()
}
