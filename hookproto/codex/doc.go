// Package codex is the hook protocol of the Codex CLI: its events and what each
// may be answered with, its matchers, its configuration layers and their trust
// hashes, the bytes that a hook reads, and what its output means.
//
// Where the client drops something without a word, this package does the same
// and says so, as a [hookproto.Problem].
package codex
