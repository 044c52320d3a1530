package point

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A FilterField names one way to restrict a handler to some payloads.
type FilterField string

// The fields of a [Filter].
const (
	FilterTool   FilterField = "tool"
	FilterAction FilterField = "action"
	FilterMatch  FilterField = "match"
)

// A Filter restricts a handler to payloads with a certain [Subject]. Each list
// is a choice; an empty one does not restrict. A handler whose filter does not
// fit costs nothing when the point runs.
type Filter struct {
	// Tool lists exact tool names.
	Tool []string
	// Action lists kinds of actions. A payload that does not say what it is about
	// to do passes: nobody knows that it is not one of these.
	Action []string
	// Match lists patterns for the subject's name, as of [path.Match].
	Match []string
}

// A Subject is what a payload shows to filters. Fields that the point does not
// have are empty.
type Subject struct {
	Tool   string // the exact name of the tool
	Action string // the kind of the action, or several kinds separated by spaces
	Name   string // what Match patterns are tested against
}

// Attach says how a handler is attached; the zero value is the usual way. A
// filter on a field that the point does not have fails the installation.
type Attach struct {
	// Filter restricts the handler.
	Filter Filter
	// First makes the handler the outermost of those attached so far.
	First bool
	// Rule names the handler in errors and for observers; empty means the name
	// of the extension.
	Rule string
	// Raw gives an untyped handler plain waterfall power: its answer stands as
	// it is and is not joined with those of the handlers behind it.
	Raw bool
}

func (f Filter) restricts() bool { return len(f.Tool)+len(f.Action)+len(f.Match) > 0 }

// admits refuses a filter on what the payloads of d do not show: nothing would
// ever pass it.
func (d *declared) admits(f Filter) error {
	for _, use := range []struct {
		field FilterField
		list  []string
	}{{FilterTool, f.Tool}, {FilterAction, f.Action}, {FilterMatch, f.Match}} {
		if len(use.list) > 0 && !slices.Contains(d.filters, use.field) {
			return fmt.Errorf("%s cannot be filtered by %s", d.name, use.field)
		}
	}
	return nil
}

// Fits reports whether a payload with subject s passes f.
func (f Filter) Fits(s Subject) bool {
	return oneOf(f.Tool, s.Tool) && anyOf(f.Action, s.Action) && matches(f.Match, s.Name)
}

func oneOf(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }

func anyOf(list []string, kinds string) bool {
	return len(list) == 0 || kinds == "" || slices.ContainsFunc(strings.Fields(kinds), func(k string) bool { return slices.Contains(list, k) })
}

func matches(patterns []string, s string) bool {
	if len(patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, s)
		return ok || err != nil // a pattern that cannot be read restricts nothing
	})
}

// chain returns the handlers that a run of point takes, outermost first: those
// of r and its ancestors whose filter fits. Guards are asked scope by scope,
// from the root down; all others in the order of attachment.
func (r *Registry) chain(point string, subject Subject, byScope bool) []*entry {
	if r == nil {
		return nil
	}
	known := r.known()
	if !slices.Contains(known.points, point) {
		return nil
	}
	bucket := known.bucket(point, subject)
	for l := bucket.Load(); l != nil; l = l.next {
		if l.point == point && l.subject == subject {
			return l.list
		}
	}
	list := r.collect(point, subject)
	slices.SortStableFunc(list, func(a, b *entry) int { return order(a, b, byScope) })
	known.keep(bucket, &link{point: point, subject: subject, list: list})
	return list
}

// Asks reports whether a run for a payload with subject s would reach a handler,
// for a caller to whom it is worth not making the payload.
func (d *declared) Asks(run Run, s Subject) bool {
	return len(run.Handlers.chain(d.name, s, d.kind == GuardKind)) > 0
}

func (r *Registry) collect(point string, subject Subject) (list []*entry) {
	for reg := r; reg != nil; reg = reg.parent {
		reg.mu.RLock()
		for _, e := range reg.entries[point] {
			if !e.at.Filter.restricts() || e.at.Filter.Fits(subject) {
				list = append(list, e)
			}
		}
		reg.mu.RUnlock()
	}
	return list
}

func order(a, b *entry, byScope bool) int {
	if byScope && a.depth != b.depth {
		return cmp.Compare(a.depth, b.depth)
	}
	if a.at.First != b.at.First {
		if a.at.First {
			return -1
		}
		return 1
	}
	if a.at.First {
		return cmp.Compare(b.seq, a.seq)
	}
	return cmp.Compare(a.seq, b.seq)
}
