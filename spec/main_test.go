package spec_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain also serves as the child process in which one attack on the sandbox
// runs, see runSandbox.
func TestMain(m *testing.M) {
	if attack := os.Getenv(attackVariable); attack != "" {
		if err := serveAttack(attack, os.Getenv(outcomeVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	hookRecorder.remove()
	os.Exit(code)
}
