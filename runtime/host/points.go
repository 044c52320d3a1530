package host

import (
	"errors"
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

//go:generate go run ../internal/pointgen

// Event is something that happened in a client and for which there is no point
// of its own.
type Event struct {
	// Session is the session it happened in.
	Session session.Ref `json:"session"`
	// Name is the client's own name of the event, such as "Notification".
	Name string `json:"name"`
	// Payload is what the client sent, as it was.
	Payload value.Value `json:"payload"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// EventDecision answers an event.
//
//sumtype:decl
type EventDecision interface{ isEventDecision() }

// Pass has nothing to say.
type Pass struct{}

// Refuse stops what the client is about to do, where it lets a hook do that.
type Refuse struct {
	// Reason tells the model or the human why.
	Reason string `json:"reason"`
}

// Note adds something for the model.
type Note struct {
	// Contexts are the texts to add.
	Contexts []session.Context `json:"contexts"`
}

func (Pass) isEventDecision()   {}
func (Refuse) isEventDecision() {}
func (Note) isEventDecision()   {}

// Validate requires a reason.
func (d Refuse) Validate() error {
	if d.Reason == "" {
		return errors.New("refuse needs a reason")
	}
	return nil
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Note) Attribute(extension string) EventDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

// OnEvent runs for every event of a client that has no point of its own, so that
// nothing a client sends is out of reach. Filter with match on the event's name.
// The default is pass. A refusal where the client lets nobody refuse is a fault.
var OnEvent = point.NewWaterfall("host/event", decls, point.Spec[Event, EventDecision]{
	Default: func(Event) EventDecision { return Pass{} },
	Join:    &point.Join[Event, EventDecision]{Refuses: refuses, Merge: merge},
	Filters: []point.FilterField{point.FilterMatch},
	Subject: func(e Event) point.Subject { return point.Subject{Name: e.Name} },
})

func refuses(d EventDecision) bool {
	_, no := d.(Refuse)
	return no
}

func merge(_ Event, own, rest EventDecision) (EventDecision, error) {
	a, noting := own.(Note)
	b, both := rest.(Note)
	switch {
	case noting && both:
		return Note{slices.Concat(a.Contexts, b.Contexts)}, nil
	case noting && !refuses(rest):
		return own, nil
	}
	return rest, nil
}

// Points lists the extension points of this package.
func Points() []point.Point { return []point.Point{OnEvent} }
