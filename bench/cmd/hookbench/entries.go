package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

//go:embed assets
var assets embed.FS

//go:embed assets/allow.json
var allowed string

//go:embed assets/deny.json
var denied string

// The names under which the goals speak of entries.
const (
	nothing   = "no-op"
	decodes   = "decode and print"
	onePolicy = "dsh, 1 policy"
	twenty    = "dsh, 20 policies, 2 fit"
)

// contestant is an entry and what it must be able to do.
type contestant struct {
	rounds.Entry
	judges bool // denies the event that a policy must deny
}

// projects are the policies laid for each dsh entry: how many copies of which file.
var projects = []struct {
	name   string
	copies map[string]int
}{
	{onePolicy, map[string]int{"shell.lua": 1}},
	{twenty, map[string]int{"shell.lua": 2, "write.lua": 9, "result.lua": 9}},
}

// hooks are the same policy for other interpreters. One of which a program is
// missing is left out, and said so.
var hooks = []struct {
	name, script string
	needs        []string
	self         []string // prints the interpreter's own path, past any version switcher
}{
	{"bash and jq", "hook.sh", []string{"bash", "jq"}, []string{"-c", "command -v bash"}},
	{"python3", "hook.py", []string{"python3"}, []string{"-c", "import sys; print(sys.executable)"}},
	{"node", "hook.mjs", []string{"node"}, []string{"-p", "process.execPath"}},
}

// lay writes the projects and scripts into dir and lists what is to be timed.
func lay(ctx context.Context, dir string, binaries map[string]string, out io.Writer) ([]contestant, error) {
	entries := []contestant{
		{Entry: rounds.Entry{Name: nothing, Argv: []string{binaries[noop]}}},
		{Entry: rounds.Entry{Name: decodes, Argv: []string{binaries[jsononly]}}},
	}
	for i, project := range projects {
		folder := filepath.Join(dir, fmt.Sprintf("project-%d", i))
		if err := layPolicies(folder, project.copies); err != nil {
			return nil, err
		}
		argv := []string{binaries[dsh], "hook", "claude-code"}
		entries = append(entries, contestant{rounds.Entry{Name: project.name, Argv: argv, Dir: folder}, true})
	}
	for _, hook := range hooks {
		program, err := find(ctx, hook.needs, hook.self)
		if err != nil {
			fmt.Fprintf(out, "left out: %s: %v\n", hook.name, err)
			continue
		}
		script, err := extract(hook.script, dir)
		if err != nil {
			return nil, err
		}
		entries = append(entries, contestant{rounds.Entry{Name: hook.name, Argv: []string{program, script}}, true})
	}
	for i := range entries {
		settle(&entries[i].Entry, dir)
	}
	return entries, nil
}

// settle gives every entry the same environment, whatever its project.
func settle(entry *rounds.Entry, home string) {
	if entry.Dir == "" {
		entry.Dir = home
	}
	entry.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_PROJECT_DIR=" + entry.Dir}
}

func layPolicies(project string, copies map[string]int) error {
	folder := filepath.Join(project, ".dsh", "policies")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for name, n := range copies {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		for i := range n {
			// A rule is named after its file, so every copy is a rule of its own.
			path := filepath.Join(folder, fmt.Sprintf("%d-%s", i, name))
			if err := os.WriteFile(path, text, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

func extract(name, dir string) (string, error) {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, text, 0o600)
}

// find is the path of the interpreter itself.
func find(ctx context.Context, needs, self []string) (string, error) {
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			return "", err
		}
	}
	printed, err := exec.CommandContext(ctx, needs[0], self...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", needs[0], err)
	}
	return strings.TrimSpace(string(printed)), nil
}

// prove holds a contestant to its work: it says nothing of the first event and
// denies the second.
func (c contestant) prove(ctx context.Context) error {
	if _, err := c.Answer(ctx, allowed); err != nil || !c.judges {
		return err
	}
	for _, want := range []struct {
		event string
		deny  bool
	}{{allowed, false}, {denied, true}} {
		printed, err := c.Answer(ctx, want.event)
		if err != nil {
			return err
		}
		if strings.Contains(printed, `"deny"`) != want.deny {
			return errors.New(c.Name + " judged wrongly: " + printed)
		}
	}
	return nil
}

func timed(entries []contestant) []rounds.Entry {
	list := make([]rounds.Entry, len(entries))
	for i, entry := range entries {
		list[i] = entry.Entry
	}
	return list
}
