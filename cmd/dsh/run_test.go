//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func agentIn(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, agentName)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

func TestFindAgent(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	beside := agentIn(t, filepath.Join(dir, "bin"), "")
	onPath := agentIn(t, filepath.Join(dir, "path"), "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin/dsh"), nil, 0o755))
	require.NoError(t, os.Symlink("bin/dsh", filepath.Join(dir, "link")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", agentName), 0o755))
	found := func(string) (string, error) { return onPath, nil }
	missing := func(string) (string, error) { return "", &exec.Error{Name: agentName, Err: exec.ErrNotFound} }
	for _, test := range []struct {
		name, self, want string
		look             func(string) (string, error)
	}{
		{"beside", "bin/dsh", beside, found},
		{"beside the program that a link leads to", "link", beside, found},
		{"on the path", "elsewhere/dsh", onPath, found},
		{"a folder is no program", "folder/dsh", onPath, found},
		{"nowhere", "elsewhere/dsh", "", missing},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, err := findAgent(func() (string, error) { return filepath.Join(dir, test.self), nil }, test.look)
			require.Equal(t, test.want, path)
			if test.want == "" {
				require.ErrorContains(t, err, "run needs the program dsh-agent beside dsh or on the PATH")
				require.ErrorContains(t, err, "go build ./cmd/dsh-agent")
				require.ErrorIs(t, err, exec.ErrNotFound)
			}
		})
	}
	path, err := findAgent(func() (string, error) { return "", errors.New("unknown") }, found)
	require.NoError(t, err)
	require.Equal(t, onPath, path)
}

// beDsh makes the test binary run dsh in a process of its own, which the agent
// can take the place of.
const beDsh = "DSH_UNDER_TEST"

func TestRunExecutesTheAgent(t *testing.T) {
	if args := os.Getenv(beDsh); args != "" {
		os.Exit(run([]string{"run", "--model", args, "two words"}, stdio{os.Stdin, os.Stdout, os.Stderr}))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	start := func() (string, int) {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestRunExecutesTheAgent$")
		cmd.Env = []string{beDsh + "=file", "PATH=" + dir + ":/usr/bin:/bin"}
		printed, _ := cmd.CombinedOutput()
		return string(printed), cmd.ProcessState.ExitCode()
	}
	printed, status := start()
	require.Equal(t, exitFault, status)
	require.Contains(t, printed, "dsh: run needs the program dsh-agent")

	agentIn(t, dir, "#!/bin/sh\nprintf '[%s]' \"$@\"\nexit 7\n")
	printed, status = start()
	require.Equal(t, "[run][--model][file][two words]", printed)
	require.Equal(t, 7, status)
}
