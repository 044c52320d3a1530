//go:build unix

package external

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

func programIn(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, Agent.Name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

func TestFind(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	beside := programIn(t, filepath.Join(dir, "bin"), "")
	onPath := programIn(t, filepath.Join(dir, "path"), "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin/dsh"), nil, 0o755))
	require.NoError(t, os.Symlink("bin/dsh", filepath.Join(dir, "link")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", Agent.Name), 0o755))
	found := func(string) (string, error) { return onPath, nil }
	missing := func(string) (string, error) { return "", &exec.Error{Name: Agent.Name, Err: exec.ErrNotFound} }
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
			path, err := Agent.find("run", func() (string, error) { return filepath.Join(dir, test.self), nil }, test.look)
			require.Equal(t, test.want, path)
			if test.want == "" {
				require.ErrorContains(t, err, "run needs the program dsh-agent beside dsh or on the PATH")
				require.ErrorContains(t, err, "go build ./cmd/dsh-agent")
				require.ErrorIs(t, err, exec.ErrNotFound)
			}
		})
	}
	path, err := Agent.find("run", func() (string, error) { return "", errors.New("unknown") }, found)
	require.NoError(t, err)
	require.Equal(t, onPath, path)
}

// beDsh makes the test binary run dsh in a process of its own, which the program
// can take the place of.
const beDsh = "DSH_UNDER_TEST"

func TestRunTakesThePlace(t *testing.T) {
	if args := os.Getenv(beDsh); args != "" {
		_, err := Agent.Run([]string{"run", "--model", args, "two words"})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	start := func() (string, int) {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestRunTakesThePlace$")
		cmd.Env = []string{beDsh + "=file", "PATH=" + dir + ":/usr/bin:/bin"}
		printed, _ := cmd.CombinedOutput()
		return string(printed), cmd.ProcessState.ExitCode()
	}
	printed, status := start()
	require.Equal(t, 1, status)
	require.Contains(t, printed, "run needs the program dsh-agent")

	programIn(t, dir, "#!/bin/sh\nprintf '[%s]' \"$@\"\nexit 7\n")
	printed, status = start()
	require.Equal(t, "[run][--model][file][two words]", printed)
	require.Equal(t, 7, status)
}

func TestMismatch(t *testing.T) {
	for _, test := range []struct{ started, want string }{
		{"", ""},
		{"by accident", "what dsh finds as by is dsh-agent"},
		{"1", ""},
		{"dsh-agent " + console.Version(), ""},
		{"dsh-agent v9.9.9", "dsh is v9.9.9, but what it runs is " + console.Version() + ": install both from one build"},
		{"dsh-full " + console.Version(), "what dsh finds as dsh-full is dsh-agent"},
	} {
		t.Setenv(StartVariable, test.started)
		got := ""
		if err := Mismatch(Agent.Name); err != nil {
			got = err.Error()
		}
		require.Equal(t, test.want, got)
		require.Empty(t, os.Getenv(StartVariable))
	}
}
