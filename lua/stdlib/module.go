package stdlib

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// A Module is what a script gets from require, declared once.
type Module struct {
	// Name is what require takes.
	Name string
	// Doc says in a few sentences what the module is for.
	Doc string
	// Classes are the types that its functions speak of.
	Classes []Class
	// Fields are members that are not functions; Open makes their values.
	Fields []Field
	// Functions are its functions.
	Functions []Function
	// Open makes the values of Fields, by name. It runs once in each Lua state
	// and may be nil if there are none.
	Open func(env *Env) map[string]lua.LValue
}

// A Class is a LuaCATS class.
type Class struct {
	// Name is the whole name, such as "dsh.re.Match".
	Name string
	// Doc says what it is.
	Doc string
	// Fields are its members.
	Fields []Field
	// Methods are called with a colon. They get the object as receiver, which
	// is not among their Params.
	Methods []Function
}

// A Field is a member that is not a function. A name that ends in "?" may be absent.
type Field struct{ Name, Type, Doc string }

// A Function is one function of a module or method of a class.
type Function struct {
	// Name is its name in the module.
	Name string
	// Doc says in one or more sentences what it does, with units and bounds.
	Doc string
	// Params are its parameters; one whose name ends in "?" may be left out, and a
	// last one named "..." takes any number of arguments. Before Call an argument
	// is checked against string, boolean, number, integer, table, function and
	// any; of other types only that it is there.
	Params []Field
	// Returns are its results; Name may be empty.
	Returns []Field
	// Call does the work. An error is raised in the script, with the name of the
	// function in front, and can be caught there.
	Call func(c *Call) error
}

// A listed module is declared only when somebody wants to know more than its name.
type listed struct {
	name    string
	declare func() Module
}

// list is the one list of modules, sorted by name.
func list() []listed {
	return []listed{
		{"git", gitModule},
		{"glob", globModule},
		{"hash", hashModule},
		{"json", jsonModule},
		{"mcp", mcpModule},
		{"path", pathModule},
		{"re", reModule},
		{"rules", rulesModule},
		{"semver", semverModule},
		{"shell", shellModule},
		{"state", stateModule},
		{"text", textModule},
		{"time", timeModule},
		{"url", urlModule},
	}
}

// Modules returns all modules, sorted by name.
func Modules() []Module {
	var all []Module
	for _, m := range list() {
		all = append(all, m.declare())
	}
	return all
}

// Find returns the module with the given name.
func Find(name string) (Module, bool) {
	for _, m := range list() {
		if m.name == name {
			return m.declare(), true
		}
	}
	return Module{}, false
}

// Has reports whether there is a module with the given name.
func Has(name string) bool { return slices.Contains(Names(), name) }

// Names returns the names of all modules, sorted.
func Names() []string {
	var names []string
	for _, m := range list() {
		names = append(names, m.name)
	}
	return names
}
