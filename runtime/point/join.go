package point

import (
	"context"
	"fmt"
)

// A Join says how the answer of an untyped handler that did not ask the rest of
// the chain is merged with what the rest says, so that no policy's yes hides
// another's no. Handlers written in Go, and those attached raw, are not joined.
type Join[P, D any] struct {
	// Refuses reports whether d ends the chain: nothing behind can be stricter.
	Refuses func(d D) bool
	// Merge returns the stricter of both answers to payload, with what either adds
	// for the model. An error is a conflict that no order can settle; it is a
	// fault.
	Merge func(payload P, own, rest D) (D, error)
}

// joiner is a Join without types.
type joiner struct {
	refuses func(d any) bool
	merge   func(payload, own, rest any) (any, error)
}

func (j *Join[P, D]) untyped() *joiner {
	if j == nil {
		return nil
	}
	return &joiner{
		refuses: func(d any) bool { return j.Refuses(d.(D)) },
		merge:   func(p, own, rest any) (any, error) { return j.Merge(*p.(*P), own.(D), rest.(D)) },
	}
}

// join merges own, which was given without next, with the rest of the chain.
func (s *step) join(ctx context.Context, own any) (any, error) {
	j := s.run.point.joins
	if j == nil || s.entry().at.Raw {
		return own, nil
	}
	own, err := s.judge(own) // an invalid yes must not be hidden by a no
	if err != nil || j.refuses(own) {
		return own, err
	}
	rest, err := s.nextFor(ctx)
	if err != nil {
		return nil, err
	}
	d, err := j.merge(s.run.payload, own, rest)
	if origin := s.run.origin.Load(); err != nil && origin != nil {
		err = fmt.Errorf("%w (the other answer is from %s)", err, *origin)
	}
	return d, err
}
