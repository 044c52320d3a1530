package codex

import "github.com/dsh-lua/dsh/hookproto"

// Select returns the handlers that an event with a subject concerns, in
// configured order. Two that are the same both run. The errors tell of matchers
// that could not be honoured.
func Select(handlers []hookproto.Handler, event, subject string) ([]hookproto.Handler, []error) {
	var (
		out  []hookproto.Handler
		errs []error
	)
	for _, h := range handlers {
		if h.Event != event {
			continue
		}
		fits, err := matches(h, subject)
		if err != nil {
			errs = append(errs, err)
		}
		if fits {
			out = append(out, h)
		}
	}
	return out, errs
}
