// Package point implements extension points: named places where the runtime
// hands a payload to extensions and acts on what they answer.
//
// There are three kinds. A [Waterfall] asks for a Decision: each handler may
// answer, or delegate with next and adjust the answer. A [Guard] asks too, but
// its union has no "yes": handlers can only refuse, in order, until one does. A
// [Notification] only tells. A package that owns a concept declares its points
// as package variables; an extension written in Go names the variable to attach
// a typed handler, and scripts attach through [Point], which carries the same
// declaration without static types.
//
// # What every run guarantees
//
//   - The first handler attached is the outermost. Handlers are fixed when a run
//     starts; attaching and detaching affect later runs only.
//   - An error, a panic or an answer outside the union ends the run with a
//     [*HandlerError], and this fault is sticky: no outer handler can turn it
//     into an answer. What a fault means is up to the caller of the point; this
//     package has no idea of consent.
//   - next can be called once (at repeatable points a few times), only while the
//     handler runs, and takes nothing but a context: a payload cannot be
//     changed on its way.
//   - No goroutine is started here.
package point

import (
	"context"
	"sync"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Kind tells the kinds of a [Point] apart.
type Kind int

// The kinds of points.
const (
	WaterfallKind Kind = iota + 1
	GuardKind
	NotificationKind
)

var kindNames = map[Kind]string{WaterfallKind: "waterfall", GuardKind: "guard", NotificationKind: "notification"}

// String returns the name of k as the reference page has it.
func (k Kind) String() string { return kindNames[k] }

// A Point is an extension point with its static types erased. Only this package
// implements it.
type Point interface {
	// Name returns the name, such as "tools/pre-execute".
	Name() string
	// Kind returns the kind.
	Kind() Kind
	// Doc returns the doc comment of the declaration.
	Doc() string
	// Payload describes what handlers are given.
	Payload() *schema.Type
	// Decision describes what handlers answer; nil for a notification.
	Decision() *schema.Type
	// Tags lists the kinds of answers, without the cost of describing them. The
	// caller must not change the slice.
	Tags() []string
	// Filters lists the fields of a [Filter] that apply here.
	Filters() []FilterField
	// MaxNext returns how often a handler may call next: 0 where there is no
	// next, 1 at most waterfalls.
	MaxNext() int
	// Joined reports whether an answer given without having called next is
	// joined with what the handlers behind would have said; see [Join].
	Joined() bool
	// Refusals lists the kinds of answers that end the chain where answers are
	// joined or guards are asked: nothing behind can be stricter.
	Refusals() []string

	// HandleValue attaches an untyped handler. What it answers is converted and
	// judged by the point before anyone else sees it.
	HandleValue(in *Installer, h ValueHandler, at Attach)

	// RunValue runs the point on an untyped payload. If the payload type has a
	// live handle, live is put there, or run.Live if it is nil. A payload that does not fit is a
	// [*schema.Error]. The answer of a notification is absent.
	RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error)

	sealed()
}

// A Run says who takes part in one run of a point.
type Run struct {
	// Handlers is the registry to ask; nil means that nobody is attached.
	Handlers *Registry
	// Observer is told of every handler that ran; it may be nil.
	Observer Observer
	// Live is put into the field Live of the payload that handlers get, if there is
	// such a field and Live fits it. Where nobody is attached nothing is put anywhere.
	Live any
}

// declared is a point without its static types. Waterfalls, guards and
// notifications embed it; it implements [Point].
type declared struct {
	name     string
	kind     Kind
	decls    *schema.Decls
	payload  shape
	decision shape // of none for a notification
	tags     func(*schema.Decls) []string
	tagged   sync.Once
	tagList  []string // what tags made, once
	filters  []FilterField
	subject  func(payload any) Subject  // a payload is passed as a pointer to it
	blank    func(d *declared) *running // a run of an empty payload

	shield    func(payload any) Shielded             // nil where there is nothing to protect
	standard  func(payload any) any                  // the answer if nobody has one
	attribute func(answer any, extension string) any // names who adds contexts
	joins     *joiner                                // of waterfalls
	maxNext   int                                    // of waterfalls
	forgiving bool                                   // of waterfalls
	stops     func(answer any, err error) bool       // of the others: the last one asked
}

// Name implements [Point].
func (d *declared) Name() string { return d.name }

// Kind implements [Point].
func (d *declared) Kind() Kind { return d.kind }

// Doc implements [Point].
func (d *declared) Doc() string { return d.decls.Doc(d.name) }

// Payload implements [Point].
func (d *declared) Payload() *schema.Type { return d.payload.get(d.decls) }

// Decision implements [Point].
func (d *declared) Decision() *schema.Type { return d.decision.get(d.decls) }

// Tags implements [Point].
func (d *declared) Tags() []string {
	d.tagged.Do(func() { d.tagList = d.tags(d.decls) })
	return d.tagList
}

// Filters implements [Point].
func (d *declared) Filters() []FilterField { return d.filters }

// MaxNext implements [Point].
func (d *declared) MaxNext() int { return d.maxNext }

// Joined implements [Point].
func (d *declared) Joined() bool { return d.joins != nil }

// Refusals implements [Point].
func (d *declared) Refusals() []string {
	var refuses func(answer any) bool
	switch {
	case d.joins != nil:
		refuses = d.joins.refuses
	case d.kind == GuardKind:
		refuses = func(answer any) bool { return d.stops(answer, nil) }
	default:
		return nil
	}
	var list []string
	tags := d.Tags()
	for i, variant := range d.decls.Variants(d.Decision().Name()) {
		if refuses(variant) {
			list = append(list, tags[i])
		}
	}
	return list
}

func (d *declared) sealed() {}
