//go:build !unix

package external

import (
	"errors"
	"os"
	"os/exec"
)

// execute runs the program to its end.
func execute(path string, args []string) (int, error) {
	cmd := exec.Command(path, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}
