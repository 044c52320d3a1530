package agent

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
)

// Backoff is an extension that sends failed requests again, each time after a
// longer wait. It answers only if nobody else does.
type Backoff struct {
	// Tries is how often a request is sent in all; 0 means 6.
	Tries int
	// Codes are the failures that may go away by themselves; nil means
	// [TransientCodes].
	Codes []string
	// First and Most bound the wait, in milliseconds; 0 means 500 and 10,000. A
	// provider that asks for more is not asked again.
	First, Most int
}

// TransientCodes are failures that may go away by themselves.
func TransientCodes() []string {
	return []string{"EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT"}
}

// Name implements [point.Extension].
func (b Backoff) Name() string { return "backoff" }

// Install implements [point.Extension].
func (b Backoff) Install(in *point.Installer) error {
	b = b.filled()
	OnRequestError.Handle(in, func(ctx context.Context, f RequestFailure, next point.Next[RequestErrorDecision]) (RequestErrorDecision, error) {
		d, err := next(ctx)
		if _, failed := d.(Fail); err != nil || !failed {
			return d, err
		}
		return b.decide(f.Failure), nil
	})
	return nil
}

func (b Backoff) filled() Backoff {
	if b.Tries == 0 {
		b.Tries = 6
	}
	if b.Codes == nil {
		b.Codes = TransientCodes()
	}
	if b.First == 0 {
		b.First = 500
	}
	if b.Most == 0 {
		b.Most = 10_000
	}
	return b
}

func (b Backoff) decide(f ModelFailure) RequestErrorDecision {
	if f.Attempt >= b.Tries || f.RetryAfter > b.Most || !slices.Contains(b.Codes, f.Code) {
		return Fail{}
	}
	wait := min(b.First<<min(f.Attempt-1, 20), b.Most)
	wait += int(float64(wait) * 0.1 * rand.Float64()) // so that agents do not come back together
	return Retry{After: max(wait, f.RetryAfter)}
}
