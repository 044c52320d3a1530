// Package runtime is a directory of packages, not a library: it holds this map
// and no code. Import the package that owns the concept you need.
//
// # From the bottom up
//
//	value     immutable JSON values, the only data that crosses an extension point
//	schema    descriptors of shapes: from one Go type a codec, JSON Schema, Lua types, docs
//	point     extension points (waterfalls, guards, notifications), their registry, extensions
//	session   messages and their sources, a session's identity, its live handle, the durable log
//	host      how a point is fired, and the shape of a client's dialect
//	tool      tool definitions, the pipeline of one call, and its points
//	model     what a language model is to the loop; a scripted one for tests
//	agent     the agent loop (inbox, turns, steps, requests, batches) and its points
//	subagent  the points around agents started by agents
//	links     where a path really leads, through symbolic links
//	luavm     Lua made safe and correct: limits, repairs, budget, base library
//	script    a Lua script as an extension, driven by descriptors alone
//	catalog   the list of every extension point
//
// Below some of them stand packages for one use: tool/jsonschema and tool/wrap,
// script/lint behind "dsh check", script/scripttest behind "dsh test"; otel makes
// spans and metrics of the pipeline.
//
// A package imports only packages that stand above it in this list. Three
// imports must never appear, because each would spoil what the packages are
// for: script may import no package that declares points, or it would grow
// special cases; tool may not import agent, or a pipeline could not run without
// a loop; and the wire library hookproto may import nothing of this directory,
// so that it can be tested against recorded traffic alone. The table that a
// test holds every package to is in layers_test.go.
//
// # How a question travels
//
// A host (a command, a bridge, the loop) has a payload and fires a point. The
// point runs the handlers of its registry in order, each wrapped around the
// next, and judges every answer: only a value of the point's own Decision type
// that passes its own validation counts. An error, a panic or an invalid answer
// ends the run, and the host turns it into a refusal; it is never consent.
//
// # Where a new thing goes
//
// A concept's package holds its types, its points and its errors. If two
// packages seem to own it, the one higher in the list does. If none does, it
// stays with its consumer until there is a second one.
package runtime
