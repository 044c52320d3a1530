package shell

import (
	"slices"
	"strings"
)

// A variable is what is known of a shell variable.
type variable struct {
	texts    []string // that it may have, with a NUL for each unknown part
	list     []string // items of an array
	isList   bool
	exported bool
	glob     bool  // whether the texts match names of files
	from     []int // commands whose output it holds
}

func (v variable) equal(o variable) bool {
	return slices.Equal(v.texts, o.texts) && slices.Equal(v.list, o.list) && v.isList == o.isList && v.exported == o.exported
}

// A binding is an item of the list of all assignments so far, the latest first. A
// list shares its tail with those it was made from, so that a copy costs nothing.
type binding struct {
	name string
	variable
	next *binding
}

// A body is an item of the list of functions and aliases.
type body struct {
	name  string
	run   func(st *state, args []Word, in Input) output
	alias string
	next  *body
}

// A state is what a shell knows of itself. Copies are independent.
type state struct {
	vars   *binding
	bodies *body
	cwd    string // empty if it is not known
	old    string
	dirs   *directory
	zero   *Word  // the name that the shell is given; nil if it is not known
	args   []Word // positional parameters
	known  bool   // whether args are
	depth  int    // shells within each other
	where  string
	home   string // the value of HOME until the line sets it
}

// A directory is an item of the stack of pushd.
type directory struct {
	path string
	next *directory
}

func (st *state) lookup(name string) (variable, bool) {
	for b := st.vars; b != nil; b = b.next {
		if b.name == name {
			return b.variable, true
		}
	}
	if name == "HOME" && st.home != "" {
		return variable{texts: []string{st.home}, exported: true}, true
	}
	return variable{}, false
}

func (st *state) set(name string, v variable) {
	st.vars = &binding{name, v, st.vars}
}

func (st *state) assign(name string, texts ...string) {
	old, _ := st.lookup(name)
	st.set(name, variable{texts: texts, exported: old.exported})
}

func (st *state) forget(name string) { st.assign(name, unknown) }

func (st *state) move(dir string) {
	st.old, st.cwd = st.cwd, dir
	// What the line gave these itself is gone; the old directory is what PWD said.
	if v, set := st.lookup("PWD"); set {
		st.old = ""
		if len(v.texts) == 1 && !strings.Contains(v.texts[0], unknown) {
			st.old = v.texts[0]
		}
		st.assign("PWD", orUnknown(dir))
	}
	if _, set := st.lookup("OLDPWD"); set {
		st.assign("OLDPWD", orUnknown(st.old))
	}
}

func (st *state) body(name string) *body {
	for b := st.bodies; b != nil; b = b.next {
		if b.name == name {
			return b
		}
	}
	return nil
}

// child returns the state of a new shell: only what is exported reaches it. The
// environment that the line began with may hold any other name.
func (st *state) child() state {
	out := state{home: st.home, cwd: st.cwd, old: st.old, depth: st.depth + 1, where: st.where}
	names := map[string]bool{}
	for b := st.vars; b != nil; b = b.next {
		if names[b.name] {
			continue
		}
		names[b.name] = true
		if b.exported {
			out.set(b.name, b.variable)
		}
	}
	return out
}

// merge makes st what is known if the shell is in either state.
func (st *state) merge(o state) {
	if st.cwd != o.cwd {
		st.cwd = ""
	}
	if st.old != o.old {
		st.old = ""
	}
	if st.dirs != o.dirs {
		st.dirs = nil
	}
	st.known = st.known && o.known && len(st.args) == len(o.args)
	for b := o.bodies; b != nil && b != st.bodies; b = b.next {
		if mine := st.body(b.name); mine == nil {
			st.bodies = &body{b.name, b.run, b.alias, st.bodies}
		}
	}
	st.mergeVars(o)
}

func (st *state) mergeVars(o state) {
	mine, theirs := st.vars, o.vars
	if mine == theirs {
		return
	}
	names := map[string]bool{}
	for _, list := range []*binding{mine, theirs} {
		for b := list; b != nil; b = b.next {
			names[b.name] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		a, hasA := st.lookup(name)
		b, hasB := o.lookup(name)
		if !hasA || !hasB {
			a.texts = append(slices.Clone(a.texts), b.texts...)
			a.texts = append(a.texts, unknown)
		} else if a.equal(b) {
			continue
		} else {
			a.texts = append(slices.Clone(a.texts), b.texts...)
		}
		if hasA && hasB && (len(a.texts) == 0 || len(b.texts) == 0) {
			a.texts = append(a.texts, "")
		}
		a.from = append(slices.Clone(a.from), b.from...)
		a.glob = a.glob || b.glob
		if a.isList || b.isList {
			a = variable{texts: []string{unknown}, from: a.from}
		}
		slices.Sort(a.texts)
		a.texts = slices.Compact(a.texts)
		if len(a.texts) > maxChoices {
			a.texts = []string{unknown}
		}
		st.set(name, a)
	}
}
