// Package luavm is Lua made safe and correct on an unmodified gopher-lua.
//
// Plain gopher-lua is neither. Its compiler computes something else than
// reference Lua for about one random program in nine (p, q = q, p gives the same
// value twice), and removing the dangerous names from its libraries leaves some
// ninety ways to stop, fill or fool the host. Both are cured here in one layer,
// without a fork:
//
//   - [Compile] checks the size and the spelling of a source, parses it, refuses
//     what is too deep or too large, repairs the syntax tree where the code
//     generator is wrong, compiles, and checks the result.
//   - A budget stands in for the context of the machine: gopher-lua asks it
//     before each instruction, so counting there is exact and the same program
//     stops at the same instruction on every machine. Limits cannot be caught
//     by pcall and come out as Go errors ([Limit]).
//   - The base library is our own, none of gopher-lua's is opened: patterns,
//     sort, format and concatenation charge the budget for what they do.
//   - Libraries are read-only, JSON reaches a script as frozen views
//     ([VM.Freeze]) which no raw function gets around, and each instance has an
//     environment of its own ([VM.Env]).
//   - A Go panic never leaves the package and never reaches a script: the VM
//     counts as broken afterwards and its owner discards it.
//
// The language is Lua 5.1 with goto, as LuaJIT runs it. The package knows
// nothing of extension points; runtime/script builds the host on it.
//
// # Runs
//
// A run is everything between [VM.Begin] and [VM.End] and has one budget. Inside
// a run [VM.Exec] runs a main chunk and [VM.Call] calls a function, as often as
// needed, also from within host functions. A run that is nested in another (a
// handler that calls the next one) takes another VM, so it can neither refill
// nor drain the budget of the outer one; meanwhile [VM.Outside] keeps the outer
// clock still.
//
// # Process-wide setting
//
// The first [New] lowers gopher-lua's package variable MaxArrayIndex to 262,144:
// with its default one assignment could fill a gigabyte. A program that uses
// gopher-lua for other ends as well gets hash storage above that index there.
package luavm
