package point

import "context"

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

// join merges own, which was given without next, with the rest of the chain.
func (s *step[P, D]) join(ctx context.Context, own D) (D, error) {
	j := s.run.point.spec.Join
	if j == nil || s.entry.at.Raw {
		return own, nil
	}
	own, err := s.run.point.judge(own, s) // an invalid yes must not be hidden by a no
	if err != nil || j.Refuses(own) {
		return own, err
	}
	rest, err := s.next(ctx)
	if err != nil {
		return own, err
	}
	return j.Merge(s.run.payload, own, rest)
}
