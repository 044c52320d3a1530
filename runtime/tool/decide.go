package tool

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Preapprove is the grant to allow a call in the user's place.
const Preapprove point.Grant = "preapprove"

// Grants are all that an answer of a point of this package may need.
func Grants() []point.Grant { return []point.Grant{Preapprove} }

// Needs names the grant to preapprove.
func (d Allow) Needs() point.Grant {
	if d.Preapproved {
		return Preapprove
	}
	return ""
}

// Validate refuses an answer that replaces both content and value.
func (d Accept) Validate() error {
	if d.Content != nil && !d.Value.IsAbsent() {
		return &Error{Message: bothReplaced}
	}
	return nil
}

// Validate requires new arguments, which are an object: the parameters of every
// tool are, and a client ignores anything else and would run the call as the
// model wrote it.
func (d Rewrite) Validate() error {
	switch {
	case d.Arguments.IsAbsent():
		return errors.New("rewrite needs arguments")
	case d.Arguments.Kind() != value.Object:
		return fmt.Errorf("rewrite.arguments: want an object, got %s", d.Arguments.Kind())
	}
	return nil
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Allow) Attribute(extension string) PreDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Deny) Attribute(extension string) PreDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Ask) Attribute(extension string) PreDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Accept) Attribute(extension string) PostDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

// Attribute names the extension of contexts that have none; nil if all have.
func (d Block) Attribute(extension string) PostDecision {
	contexts, filled := session.Attributed(d.Contexts, extension)
	if !filled {
		return nil
	}
	d.Contexts = contexts
	return d
}

func denies(d PreDecision) bool { _, no := d.(Deny); return no }

// mergePre takes the stricter of two answers (deny, then ask, then allow) and
// keeps the contexts of both. A preapproval survives only among allowances.
func mergePre(_ Call, own, rest PreDecision) (PreDecision, error) {
	contexts := slices.Concat(contextsOf(own), contextsOf(rest))
	switch {
	case denies(own):
		return withContexts(own, contexts), nil
	case denies(rest):
		return withContexts(rest, contexts), nil
	case asks(own):
		return withContexts(own, contexts), nil
	case asks(rest):
		return withContexts(rest, contexts), nil
	}
	return Allow{Preapproved: preapproves(own) || preapproves(rest), Contexts: contexts}, nil
}

func asks(d PreDecision) bool { _, ask := d.(Ask); return ask }

func preapproves(d PreDecision) bool {
	a, ok := d.(Allow)
	return ok && a.Preapproved
}

func contextsOf(d PreDecision) []session.Context {
	switch d := d.(type) {
	case Allow:
		return d.Contexts
	case Deny:
		return d.Contexts
	case Ask:
		return d.Contexts
	}
	return nil
}

func withContexts(d PreDecision, contexts []session.Context) PreDecision {
	switch d := d.(type) {
	case Allow:
		d.Contexts = contexts
		return d
	case Deny:
		d.Contexts = contexts
		return d
	case Ask:
		d.Contexts = contexts
		return d
	}
	return d
}

var errTwoRewrites = errors.New("two extensions rewrite this call in different ways; let one ask the other with next")

// mergeRewriting keeps the one rewrite there is. Two that differ were both made
// from the original call: neither can stand without losing the other.
func mergeRewriting(_ Proposal, own, rest Rewriting) (Rewriting, error) {
	a, mine := own.(Rewrite)
	b, theirs := rest.(Rewrite)
	switch {
	case mine && theirs && !a.Arguments.Equal(b.Arguments):
		return own, errTwoRewrites
	case mine:
		return own, nil
	}
	return rest, nil
}

func refusesApproval(d ApprovalDecision) bool { _, no := d.(Refuse); return no }

// mergeApproval takes the stricter answer: refuse, then grant, then pass.
func mergeApproval(_ Approval, own, rest ApprovalDecision) (ApprovalDecision, error) {
	if _, pass := own.(Pass); pass || refusesApproval(rest) {
		return rest, nil
	}
	return own, nil
}

func blocks(d PostDecision) bool { _, no := d.(Block); return no }

var errTwoContents = errors.New("two extensions replace this result in different ways; let one ask the other with next")

// mergePost keeps a block before an acceptance. Two different replacements were
// both made from the original result: to take one would show what the other
// meant to hide.
func mergePost(_ Done, own, rest PostDecision) (PostDecision, error) {
	a, mine := own.(Accept)
	b, theirs := rest.(Accept)
	if !mine || !theirs {
		if blocks(own) {
			return own, nil
		}
		return rest, nil
	}
	out := a
	switch {
	case replaces(a) && replaces(b) && !sameReplacement(a, b):
		return own, errTwoContents
	case replaces(b):
		out = b
	}
	out.Contexts = slices.Concat(a.Contexts, b.Contexts)
	return out, nil
}

func replaces(d Accept) bool { return d.Content != nil || !d.Value.IsAbsent() }

func sameReplacement(a, b Accept) bool {
	return a.Value.Equal(b.Value) && reflect.DeepEqual(a.Content, b.Content)
}
