package codex

import "github.com/dsh-lua/dsh/hookproto/process"

// Process is how the client runs commands: in bash, which is no login shell, with
// pipes for streams. A command whose time is up is killed at once, and one whose
// children hold its output is waited for as long as it has time.
func Process() process.Options {
	return process.Options{
		Shells: map[string]process.Shell{"": {Paths: []string{"/bin/bash", "bash", "/bin/sh"}, Flags: []string{"-c"}}},
		Held:   -1,
	}
}
