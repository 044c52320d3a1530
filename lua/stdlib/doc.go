// Package stdlib holds the modules that scripts require: one module a file, each
// declared once as data.
//
// A [Module] says what it is called, what its functions take and return, and
// what runs when a script calls them. Everything else follows from that
// declaration: the check of the arguments, the error that names the nearest
// function, the definitions for the Lua language server ([LuaCATS]) and the
// tables of the reference pages ([Reference]).
//
// # Bounds
//
// A call costs a fixed number of instructions, and beyond that in proportion to
// what it reads and builds ([Call.Charge], [Call.Text], [Call.Table]); inputs are
// capped. So a module cannot be used to escape the budget of a run.
//
// # The world
//
// Modules reach the world only through [Services], which the host gives. What a
// service does not tell is unknown, and a module says so by an error or by nil,
// never by a guess.
//
// # Cost
//
// Nothing is built before a script requires it: the members of a module are made
// by its first require in a Lua state.
package stdlib
