package spec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/claudecode/rule"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// claudeRules are the client's permission rules.
type claudeRules struct{ Allow, Deny, Ask []string }

func (r *claudeRules) add(more claudeRules) {
	r.Allow, r.Deny, r.Ask = append(r.Allow, more.Allow...), append(r.Deny, more.Deny...), append(r.Ask, more.Ask...)
}

func fitsRule(rules []string, c tool.Call) bool {
	return slices.ContainsFunc(rules, func(text string) bool {
		r, err := rule.Parse(text)
		return err == nil && r.Fits(rule.Call{Tool: c.Tool, Aliases: []string{"Agent"}[:min(1, strings.Count(c.Tool, "Task"))], Input: c.Arguments.AppendJSON(nil), Cwd: c.Session.Cwd})
	})
}

// harmless begin the commands that the client lets run without a rule.
var harmless = []string{"echo", "ls", "cat", "pwd", "sleep", "true", "exit", "false"}

// asks reports whether the client asks its user about a call.
func (r claudeRules) asks(c tool.Call) bool {
	switch {
	case fitsRule(r.Allow, c) || c.Session.Mode == "bypassPermissions":
		return false
	case c.Tool == "Bash":
		command := c.Arguments.Get("command").String()
		program, _, _ := strings.Cut(command, " ")
		return strings.Contains(command, ">") || !slices.Contains(harmless, program)
	}
	return c.Tool != "Read" && c.Tool != "Task"
}

// claudeClient is the client's permission rules beside its hooks.
type claudeClient struct {
	bridge *claudecode.Bridge
	rules  claudeRules
}

func (claudeClient) Name() string { return "claude-client" }

func (c claudeClient) Install(in *point.Installer) error {
	if err := c.bridge.Install(in); err != nil {
		return err
	}
	tool.PreExecute.Handle(in, func(ctx context.Context, call tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		switch {
		case fitsRule(c.rules.Deny, call):
			return tool.Deny{Reason: "a rule denies it"}, nil
		case fitsRule(c.rules.Ask, call):
			return tool.Ask{Reason: "a rule asks"}, nil
		}
		return next(ctx)
	})
	agent.OnRequestError.Handle(in, retried)
	return nil
}

// retries is how often the client sends a request again that was not well made.
const retries = 5

// retried sends failed requests again, as the client does.
func retried(ctx context.Context, f agent.RequestFailure, next point.Next[agent.RequestErrorDecision]) (agent.RequestErrorDecision, error) {
	if f.Failure.Attempt <= retries || f.Failure.Status == http.StatusUnauthorized {
		return agent.Retry{}, nil
	}
	return next(ctx)
}

// bridge makes the bridge of a case, with the rules of the files that the client
// would load.
func (c claudeCase) bridge(w *hookWorld) (point.Extension, []point.Grant, error) {
	files := c.layers(w)
	config := protocol.Load(files, protocol.Options{})
	client := claudeClient{}
	for _, f := range files {
		dropped := slices.ContainsFunc(config.Problems, func(p hookproto.Problem) bool {
			return p.At.File == f.Path && p.Severity == hookproto.FileDropped
		})
		var settings struct{ Permissions claudeRules }
		if !dropped && json.Unmarshal(f.Data, &settings) == nil {
			client.rules.add(settings.Permissions)
		}
	}
	w.asks = client.rules.asks
	client.bridge = claudecode.NewBridge(claudecode.BridgeOptions{
		Config: config, Preapprove: true, Environ: c.environ(w), Home: w.home, Folder: w.dir + "/spilled", Effort: "medium", Warn: w.warn, MCP: claudeMCP,
	})
	return client, []point.Grant{tool.Preapprove}, nil
}

// claudeMCP is the server of the recordings.
func claudeMCP(_ context.Context, server, name string, input value.Value) (string, error) {
	if server != "rig" {
		return "", fmt.Errorf("there is no server %q", server)
	}
	if name != "deny" {
		return "echo " + input.String(), nil
	}
	answer := value.MustFrom(map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "MCP-HOOK-DENY " + input.String(),
	}})
	return answer.String(), nil
}
