package action

import (
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Args are the arguments of one call, read in search of its action. The first
// argument that is missing or has the wrong type makes them partial.
type Args struct {
	Place
	values  value.Value
	partial bool
}

// Partial reports whether something could not be read so far. Ask it after the
// last argument was read.
func (a *Args) Partial() bool { return a.partial }

// Doubt makes the arguments partial.
func (a *Args) Doubt() { a.partial = true }

// Has reports whether the argument is there, and not null.
func (a *Args) Has(key string) bool {
	k := a.values.Get(key).Kind()
	return k != value.Absent && k != value.Null
}

// Text returns an argument that must be there and be a string.
func (a *Args) Text(key string) string {
	s, ok := a.values.Get(key).Str()
	if !ok {
		a.partial = true
	}
	return s
}

// Option returns an argument that may be missing or null, but else must be a
// string.
func (a *Args) Option(key string) string {
	if a.Has(key) {
		return a.Text(key)
	}
	if a.values.Kind() != value.Object {
		a.partial = true
	}
	return ""
}

// Member reads on in an argument that is an object.
func (a *Args) Member(key string) *Args { return &Args{Place: a.Place, values: a.values.Get(key)} }

// Named returns what an argument names. It must be there.
func (a *Args) Named(key string, change tool.Change) []tool.File {
	path := a.Text(key)
	if path == "" {
		a.partial = true
		return nil
	}
	return a.at(path, change)
}

// Folder returns what an argument names, or the working directory without it.
func (a *Args) Folder(key string) []tool.File {
	path := a.Option(key)
	if path == "" {
		path = "."
	}
	return a.at(path, tool.ChangeRead)
}

func (a *Args) at(path string, change tool.Change) []tool.File {
	files, ok := a.Files(path, change)
	if !ok {
		a.partial = true
	}
	return files
}
