// Package claudecode is the dialect of Claude Code's shell hooks: its events,
// matchers, configuration files, output rules and precedence.
package claudecode
