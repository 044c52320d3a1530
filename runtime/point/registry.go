package point

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// An Extension attaches handlers to points. Scripts, bridges and policies
// written in Go are all extensions; none has a private way in.
type Extension interface {
	// Name identifies the extension in errors and as a message's source.
	Name() string
	// Install attaches the extension's handlers. One extension may be installed
	// in many registries at once, so it keeps no state of an installation.
	Install(in *Installer) error
}

// A Grant is a permission that whoever installs an extension may give it, such
// as the one to spare the user a question. An answer that needs a grant is
// invalid from an extension without it; see [Privileged].
type Grant string

// A Privileged variant of a Decision names the grant that it needs; an empty
// one needs none.
type Privileged interface{ Needs() Grant }

// A Registry holds the handlers of all points for one scope. Its zero value is
// a ready root. A run sees the handlers of its own registry and of its
// ancestors, in the order in which they were attached anywhere in the tree. A
// Registry is safe for concurrent use.
type Registry struct {
	parent *Registry
	tree   atomic.Pointer[tree] // of the root; shared by all its descendants

	mu       sync.RWMutex
	entries  map[string][]*entry // by point; slices are never modified in place
	disposed bool

	chains atomic.Pointer[chains] // those asked for since the tree last changed
}

// A tree is what all registries below one root share.
type tree struct {
	attached atomic.Uint64 // counts attachments: the order of handlers
	version  atomic.Uint64 // counts changes: invalidates cached chains
}

// An owner is one installation of one extension.
type owner struct {
	name    string
	grants  []Grant
	removed atomic.Bool
}

type entry struct {
	owner   *owner
	depth   int // of its registry: 0 for the root
	seq     uint64
	at      Attach
	handler any // a stepFunc, or a Handler of the waterfall's types
}

// Child returns a new registry below r, for instance for one session.
func (r *Registry) Child() *Registry {
	c := &Registry{parent: r}
	c.tree.Store(r.root())
	return c
}

func (r *Registry) root() *tree {
	if t := r.tree.Load(); t != nil {
		return t
	}
	r.tree.CompareAndSwap(nil, new(tree))
	return r.tree.Load()
}

// Dispose removes every handler of r, but not those of its children or
// ancestors. Runs under way keep their handlers. Installing in a disposed
// registry is an error.
func (r *Registry) Dispose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.disposed = nil, true
	r.root().version.Add(1)
}

// ErrDisposed is returned for an installation in a disposed registry.
var ErrDisposed = errors.New("the registry is disposed")

var (
	errNoExtension = errors.New("install: no extension")
	errNoHandler   = errors.New("no handler")
)

// Install installs ext with the given grants. It is all or nothing: on error, a
// panic of the extension included, nothing stays attached. The returned
// function detaches everything and may be called again.
func (r *Registry) Install(ext Extension, grants ...Grant) (remove func(), err error) {
	if ext == nil {
		return nil, errNoExtension
	}
	in := &Installer{reg: r, owner: &owner{grants: slices.Clone(grants)}}
	err = in.collect(ext)
	if err == nil {
		err = in.publish()
	}
	if err != nil {
		in.owner.removed.Store(true)
		return nil, fmt.Errorf("install %s: %w", in.owner.name, err)
	}
	return func() { r.remove(in.owner) }, nil
}

func (r *Registry) remove(o *owner) {
	if !o.removed.CompareAndSwap(false, true) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for point, list := range r.entries {
		r.entries[point] = slices.DeleteFunc(slices.Clone(list), func(e *entry) bool { return e.owner == o })
	}
	r.root().version.Add(1)
}

// An Installer attaches handlers on behalf of one extension. Handlers attached
// while Install runs appear together when it returns; an extension may keep the
// Installer and attach more later, which affects later runs, until it is
// removed, from when on attaching does nothing. It is safe for concurrent use.
//
// What cannot be attached, such as a nil handler, fails Install. Attached later,
// when there is nobody to tell, a nil handler fails its runs, and a filter that
// the point does not have restricts nothing.
type Installer struct {
	reg   *Registry
	owner *owner

	mu        sync.Mutex
	pending   []pending
	published bool
	invalid   error // what was wrong with an attachment before publication
}

type pending struct {
	point string
	entry *entry
}

// Extension returns the name of the extension being installed.
func (in *Installer) Extension() string { return in.owner.name }

func (in *Installer) collect(ext Extension) (err error) {
	defer recovered(&err)
	in.owner.name = ext.Name()
	return ext.Install(in)
}

func (in *Installer) publish() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.invalid != nil {
		return in.invalid
	}
	in.published = true
	return in.reg.add(in.pending)
}

// add attaches handler, which calls a function of the extension. present is
// false if that function is nil.
func (in *Installer) add(d *declared, at Attach, present bool, handler any) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if err := d.admits(at.Filter); err != nil {
		in.invalid = errors.Join(in.invalid, err)
		at.Filter = Filter{} // rather asked too often than never
	}
	if !present {
		in.invalid = errors.Join(in.invalid, fmt.Errorf("%s: %w", d.name, errNoHandler))
		handler = stepFunc(func(context.Context, *step) (any, error) { return nil, errNoHandler })
	}
	p := pending{d.name, &entry{owner: in.owner, at: at, handler: handler}}
	if !in.published {
		in.pending = append(in.pending, p)
		return
	}
	_ = in.reg.add([]pending{p}) // a disposed registry has no later runs
}

func (r *Registry) add(list []pending) error {
	tree := r.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.disposed {
		return ErrDisposed
	}
	if r.entries == nil {
		r.entries = make(map[string][]*entry)
	}
	for _, p := range list {
		if p.entry.owner.removed.Load() {
			continue
		}
		p.entry.depth = r.depth()
		p.entry.seq = tree.attached.Add(1)
		r.entries[p.point] = append(slices.Clip(r.entries[p.point]), p.entry)
	}
	tree.version.Add(1)
	return nil
}

func (r *Registry) depth() (n int) {
	for p := r.parent; p != nil; p = p.parent {
		n++
	}
	return n
}
