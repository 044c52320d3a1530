// Package hookproto is the wire protocol of shell hooks, as Claude Code and
// Codex speak it: which hooks a configuration registers, which of them an event
// concerns, how a hook process is run, what its output means, and what the
// outputs of one event amount to. It works in both directions and knows no
// runtime package, so that it can be held against recorded traffic alone.
//
// The way of one event through the package:
//
//	Config ──► Handlers ──match──► run ──► Results ──parse──► Outputs ──Fold──► Outcome
//
// What differs between the clients stands in tables of the packages claudecode
// and codex below this one; each is a [Dialect]. Handlers of one event run at
// the same time. Every one of them has two ranks, its place in the
// configuration and its place among those that completed, because the clients
// disagree about which of them decides.
package hookproto
