package hooks

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/session"
)

// detached starts a handler that nobody waits for. The main agent's session owns
// it.
func (b *Bridge) detached(f *Firing, h hookproto.Handler, payload []byte) {
	b.lock.Lock()
	closed := b.closed
	b.lock.Unlock()
	if closed {
		return
	}
	b.state(f.Main).background.Go(b.process, b.command(f, h, payload), func(r hookproto.Result) { b.late(f, h, r) })
}

// adopt takes over a handler that asked not to be waited for in its first line.
func (b *Bridge) adopt(f *Firing, h hookproto.Handler, d *process.Detached) {
	b.state(f.Main).background.Adopt(d, func(r hookproto.Result) {
		_, r.Stdout, _ = bytes.Cut(r.Stdout, []byte("\n"))
		b.late(f, h, r)
	})
}

// late takes what a handler says that nobody waited for: texts for the model and
// the human, and no decision.
func (b *Bridge) late(f *Firing, h hookproto.Handler, r hookproto.Result) {
	if r.Canceled || f.Live == nil {
		return
	}
	if h.AsyncRewake && r.Exit == 2 {
		b.wake(f, h, strings.TrimSpace(hookproto.UTF8(r.Stderr)))
		return
	}
	out := b.client.Dialect.Parse(f.Event, r)
	if out.SystemMessage != "" {
		b.say(f.Live, fmt.Sprintf("%s hook: %s", f.Event, out.SystemMessage))
	}
	if why := b.failure(hookproto.Completed{Handler: h, Result: r, Output: out}); why != "" {
		b.say(f.Live, fmt.Sprintf("%s: the %s hook failed: %s", h.At, f.Event, why))
	}
	texts := out.Contexts
	if out.Plain && !b.client.LatePlain {
		texts = nil
	}
	if b.client.LateMessages {
		texts = append([]string{out.SystemMessage}, texts...)
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		if err := f.Live.Inject(session.FromExtension(b.Name(), text)); err != nil {
			b.warn(fmt.Sprintf("%s: %v", h.At, err))
		}
	}
}

// wake lets the agent go on with what the handler says.
func (b *Bridge) wake(f *Firing, h hookproto.Handler, text string) {
	if text == "" {
		text = "The hook " + h.Command + " has something to say, but said nothing."
	}
	if err := f.Live.Steer(session.FromExtension(b.Name(), text)); err != nil {
		b.warn(fmt.Sprintf("%s: %v", h.At, err))
	}
}
