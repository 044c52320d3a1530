// Package process runs hook commands as the clients run them: in a session of
// their own, with the payload on standard input, bounded output, a time-out
// that leaves no process behind, and all hooks of one event at the same time.
package process
