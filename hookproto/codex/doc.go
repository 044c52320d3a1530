// Package codex is the dialect of Codex's shell hooks: its events, matchers,
// configuration files and their trust, output rules and precedence.
package codex
