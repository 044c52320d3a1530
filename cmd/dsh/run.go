package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// agentName is the program that run executes. It is one of its own because it
// may use the network, for which dsh itself would have to be larger.
const agentName = "dsh-agent"

func newRunCmd() *cobra.Command {
	return &cobra.Command{
		Use:                `run [options] ["PROMPT"]`,
		Short:              "Run dsh's own coding agent",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := findAgent(os.Executable, exec.LookPath)
			if err != nil {
				return err
			}
			return execute(path, append([]string{agentName, "run"}, args...))
		},
	}
}

// findAgent returns the path of the agent: beside this program, else where look
// finds it.
func findAgent(executable func() (string, error), look func(string) (string, error)) (string, error) {
	name := agentName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := executable(); err == nil {
		for _, path := range []string{self, resolved(self)} {
			beside := filepath.Join(filepath.Dir(path), name)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	path, err := look(agentName)
	if err != nil {
		return "", fmt.Errorf("run needs the program %s beside dsh or on the PATH; "+
			"\"make build\" in the sources of dsh makes both, or \"go build ./cmd/%s\": %w", agentName, agentName, cause(err))
	}
	return path, nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// cause returns what is behind an error of a search, whose text repeats the name.
func cause(err error) error {
	if e := (*exec.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
