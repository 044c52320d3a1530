package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Registry holds the tools of one scope. It sees those of its ancestors too;
// a nearer tool shadows a farther one of the same name. The zero value is a
// ready root. It is safe for concurrent use.
type Registry struct {
	parent *Registry

	mu   sync.Mutex           // of whoever writes
	kept atomic.Pointer[kept] // replaced as a whole; nil if there was never anything
}

// kept is what a registry holds at one time. It is never modified: calls read it
// without a lock.
type kept struct {
	tools        map[string]*registered
	order        []string // of tools, as registered
	restrictions []*Restriction
}

// held returns what r holds.
func (r *Registry) held() *kept {
	if k := r.kept.Load(); k != nil {
		return k
	}
	return new(kept)
}

// change replaces what r holds by what edit makes of a copy. The lock is held.
func (r *Registry) change(edit func(k *kept)) {
	old := r.held()
	k := &kept{maps.Clone(old.tools), slices.Clone(old.order), slices.Clone(old.restrictions)}
	if k.tools == nil {
		k.tools = make(map[string]*registered)
	}
	edit(k)
	r.kept.Store(k)
}

// A Restriction hides tools that a scope inherits. Exactly the tools that pass
// every restriction on the way are visible; the scope's own are not concerned.
type Restriction struct {
	// Allow lists the tools that stay visible; nil allows all.
	Allow []string
	// Deny lists tools that do not.
	Deny []string
}

// Child returns a new registry below r, for instance for one agent.
func (r *Registry) Child() *Registry { return &Registry{parent: r} }

// Register adds a tool. The returned function removes it, and nothing else,
// and may be called again. A definition that cannot be kept to, a reserved name
// and a name that this scope already has are errors.
func (r *Registry) Register(d Definition) (remove func(), err error) {
	tool, err := prepare(d)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held().tools[d.Name] != nil {
		return nil, fmt.Errorf("a tool %q is registered already", d.Name)
	}
	r.change(func(k *kept) {
		k.tools[d.Name] = tool
		k.order = append(k.order, d.Name)
	})
	return func() { r.remove(tool) }, nil
}

func (r *Registry) remove(tool *registered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held().tools[tool.Name] != tool {
		return
	}
	r.change(func(k *kept) {
		delete(k.tools, tool.Name)
		k.order = slices.DeleteFunc(k.order, func(name string) bool { return name == tool.Name })
	})
}

// Restrict hides inherited tools from this scope and those below it. The
// returned function lifts the restriction. It is an error at the root, without
// a list, and for a tool that is not visible.
func (r *Registry) Restrict(by Restriction) (lift func(), err error) {
	switch {
	case r.parent == nil:
		return nil, errors.New("tools can be restricted in a scope only, not at the root")
	case by.Allow == nil && by.Deny == nil:
		return nil, errors.New("a restriction needs a list of tools to allow or to deny")
	}
	for _, name := range slices.Concat(by.Allow, by.Deny) {
		if r.lookup(name) == nil && r.parent.lookup(name) == nil {
			return nil, fmt.Errorf("cannot restrict unknown tool %q", name)
		}
	}
	own := &Restriction{slices.Clone(by.Allow), slices.Clone(by.Deny)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change(func(k *kept) { k.restrictions = append(k.restrictions, own) })
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.change(func(k *kept) {
			k.restrictions = slices.DeleteFunc(k.restrictions, func(x *Restriction) bool { return x == own })
		})
	}, nil
}

func (x *Restriction) hides(name string) bool {
	return x.Allow != nil && !slices.Contains(x.Allow, name) || slices.Contains(x.Deny, name)
}

// lookup returns the tool that a call of name runs, or nil. A hidden tool is no
// other than a missing one.
func (r *Registry) lookup(name string) *registered {
	for ; r != nil; r = r.parent {
		k := r.kept.Load()
		if k == nil {
			continue
		}
		tool := k.tools[name]
		if tool != nil || slices.ContainsFunc(k.restrictions, func(x *Restriction) bool { return x.hides(name) }) {
			return tool
		}
	}
	return nil
}

// Lookup returns the definition that a call of name runs.
func (r *Registry) Lookup(name string) (Definition, bool) {
	if tool := r.lookup(name); tool != nil {
		return tool.Definition, true
	}
	return Definition{}, false
}

// A Schema is what a model is told of a tool.
type Schema struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments; of a tool that declares
	// none it describes an object with any members.
	Parameters value.Value
}

var anyObject = value.OfObject(value.Member{Key: "type", Value: value.OfString("object")})

// Schemas lists the visible tools: farthest scope first, in the order of their
// registration. Parameters that JSON cannot carry are an error.
func (r *Registry) Schemas() ([]Schema, error) {
	var out []Schema
	for _, name := range r.names() {
		tool := r.lookup(name)
		if tool == nil {
			continue
		}
		parameters := tool.Parameters
		if parameters.IsAbsent() {
			parameters = anyObject
		}
		if !jsonschema.Lossless(parameters) {
			return nil, fmt.Errorf("tool %q parameters must be lossless JSON before schema projection", name)
		}
		out = append(out, Schema{name, tool.Description, parameters})
	}
	return out, nil
}

func (r *Registry) names() []string {
	if r == nil {
		return nil
	}
	names := r.parent.names()
	seen := maps.Collect(func(yield func(string, bool) bool) {
		for _, name := range names {
			if !yield(name, true) {
				return
			}
		}
	})
	for _, name := range r.held().order {
		if !seen[name] {
			names = append(names, name)
		}
	}
	return names
}
