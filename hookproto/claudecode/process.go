package claudecode

import (
	"time"

	"github.com/dsh-lua/dsh/hookproto/process"
)

// Process is how the client runs commands: in /bin/sh, whatever the field
// "shell" says but PowerShell, with sockets for streams, asked to end before
// they are made to. What a child prints after the command has ended is waited
// for a moment only.
func Process() process.Options {
	posix := process.Shell{Paths: []string{"/bin/sh"}, Flags: []string{"-c"}}
	return process.Options{
		Shells: map[string]process.Shell{
			"": posix, "bash": posix,
			"powershell": {Paths: []string{"pwsh", "powershell"}, Flags: []string{"-NoProfile", "-NonInteractive", "-Command"}},
		},
		Sockets: true,
		Polite:  time.Second,
		Held:    500 * time.Millisecond,
	}
}
