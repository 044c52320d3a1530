//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// execute runs another program to its end, where it cannot take the place of this
// one. Whatever its exit status, that it is not 0 is all that is passed on.
func execute(path string, args []string) error {
	cmd := exec.Command(path, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if errors.As(err, new(*exec.ExitError)) {
		return errReported // it has said what is wrong
	}
	return err
}
