package spec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A commandCase is one line of shell, with the answer that is due under one policy.
type commandCase struct {
	ID, Policy, Command, Cwd, Project string
	Verdict, Why                      string
	AlsoOK                            []string `json:"also_ok"`
	FS                                struct{ Links map[string]string }
	Tags                              []string
}

// safetyPack is where the policies are that the lines are judged by.
var safetyPack = filepath.Join("..", "extensions", "examples", "safety")

// patience is the time that a policy may take while the machine does other work;
// its instructions are counted all the same.
const patience = time.Minute

// home is the home folder in all cases.
const home = "/home/dev"

func loadCommands(dir string) ([]testCase, error) {
	path := filepath.Join(dir, "corpus", "commands.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var c commandCase
		if err := json.Unmarshal(line, &c); err != nil {
			cases = append(cases, unreadable(fmt.Sprintf("%s:%d", path, i+1), err))
			continue
		}
		cases = append(cases, testCase{
			id: c.ID, traits: map[string]string{"policy": c.Policy, "verdict": c.Verdict}, applicable: true,
			run: func() error { return c.run() },
		})
	}
	return cases, nil
}

// run returns an error that says how the answer of the policy differs from those
// that are due: a "miss" lets through what must be denied, a "false alarm" denies
// what is fine.
func (c commandCase) run() error {
	got, err := c.judge(context.Background())
	switch {
	case err != nil:
		return err
	case got == c.Verdict || slices.Contains(c.AlsoOK, got):
		return nil
	}
	kind := ""
	switch {
	case got == "allow" && c.Verdict == "deny":
		kind = "miss: "
	case got == "deny" && c.Verdict == "allow":
		kind = "false alarm: "
	}
	return fmt.Errorf("%s%s says %s, want %s %v: %q (%s)", kind, c.Policy, got, c.Verdict, c.AlsoOK, c.Command, c.Why)
}

// judge puts the line to its policy as "dsh eval --from claude-code" would, in a
// world of which only the given facts are known.
func (c commandCase) judge(ctx context.Context) (string, error) {
	registry, err := c.install(ctx, tool.Preapprove)
	if err != nil {
		return "", err
	}
	run := point.Run{Handlers: registry}
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "s", "cwd": c.Cwd, "permission_mode": "default", "tool_use_id": "t",
		"tool_name": "Bash", "tool_input": map[string]string{"command": c.Command},
	})
	if err != nil {
		return "", err
	}
	services := c.services()
	explain := claudecode.New(claudecode.Options{Project: c.Project, Resolve: services.Resolve}).Explain
	served := explain(ctx, host.Host{Run: run}, host.Invocation{
		Stdin: payload, Env: host.Vars{"HOME": home}.Get, Dir: c.Project,
	})
	if served.Fault != nil {
		return "", served.Fault
	}
	answer, err := served.Point.Decision().Encode(served.Decision)
	if err != nil {
		return "", err
	}
	kind, _ := answer.Get("kind").Str()
	if preapproved, _ := answer.Get("preapproved").Bool(); c.Policy == "allow-git-read" && kind == "allow" && !preapproved {
		return "ask", nil // the client asks its user
	}
	return kind, nil
}

// services know of the links of the case and of nothing else.
func (c commandCase) services() stdlib.Services {
	return stdlib.Services{FS: stdlib.Links(c.FS.Links), Home: home}
}

// install loads the policy of the case and gives it the grants.
func (c commandCase) install(ctx context.Context, grants ...point.Grant) (*point.Registry, error) {
	name := c.Policy + ".lua"
	source, err := os.ReadFile(filepath.Join(safetyPack, name))
	if err != nil {
		return nil, err
	}
	s, err := script.Load(ctx, name, string(source), script.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(), Folder: os.DirFS(safetyPack), Services: c.services(),
		Limits: luavm.Limits{Wall: patience},
	})
	if err != nil {
		return nil, err
	}
	registry := new(point.Registry)
	_, err = registry.Install(s, grants...)
	return registry, err
}
