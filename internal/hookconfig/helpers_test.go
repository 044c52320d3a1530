package hookconfig_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// folder writes files by their paths below a new folder and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// machine is one with the programs of this one and variables of its own.
func machine(home string, vars map[string]string) hookconfig.System {
	return hookconfig.System{Home: home, Getenv: func(name string) string {
		if v, is := vars[name]; is || name != "PATH" {
			return v
		}
		return os.Getenv("PATH")
	}}
}

// named loads files that somebody names.
func named(t *testing.T, files ...string) []hookconfig.Set {
	t.Helper()
	sets, err := hookconfig.Load(hookconfig.Source{Files: files, System: machine("", nil)})
	require.NoError(t, err)
	return sets
}

// one writes a file of hooks, loads it, and returns the only set.
func one(t *testing.T, name, text string) hookconfig.Set {
	t.Helper()
	sets := named(t, filepath.Join(folder(t, map[string]string{name: text}), name))
	require.Len(t, sets, 1)
	return sets[0]
}

// discovered loads what the clients find in a project.
func discovered(t *testing.T, home, project string) []hookconfig.Set {
	t.Helper()
	sets, err := hookconfig.Load(hookconfig.Source{Project: project, System: machine(home, nil)})
	require.NoError(t, err)
	return sets
}

func commands(s hookconfig.Set) []string {
	list := []string{}
	for _, h := range s.Registered() {
		list = append(list, h.Command)
	}
	return list
}

// finding returns the first finding with the id.
func finding(t *testing.T, all []hookconfig.Finding, id string) hookconfig.Finding {
	t.Helper()
	for _, f := range all {
		if f.ID == id {
			return f
		}
	}
	require.Failf(t, "no finding", "%s in %v", id, all)
	return hookconfig.Finding{}
}

func ids(all []hookconfig.Finding) []string {
	list := []string{}
	for _, f := range all {
		list = append(list, f.ID)
	}
	return list
}
