// Package process runs hook commands as the clients run them: in a session of
// their own, with the payload on standard input, bounded output, a time-out
// that leaves no process behind, and all hooks of one event at the same time.
//
// What differs between the clients is a field of [Options]; each dialect has one
// value of it. [Options.Run] runs one command, [Options.RunAll] those of one
// event, and a [Background] owns the runs that nobody waits for. Everything that
// goes wrong with a command is part of its result: hooks decide nothing by
// failing to run.
//
// # Who ends
//
// A command that ends by itself leaves its background children alone, as the
// clients do, unless one of them still holds the output when the wait for it is
// over. A command whose time is up or whose context is done is ended with all
// that it started: its process group and, on Linux, also its descendants and
// those who hold its output in groups and sessions of their own.
//
// # What a run costs
//
// One thread waits for the command, its streams and its time-out with one system
// call; waiting for the command takes it anyway. Goroutines that wake up for each of
// them cost a good part of the time that a small command takes. bench/cmd/runbench
// measures what a run adds. A [Spare] makes the streams of the next command while
// one runs.
package process
