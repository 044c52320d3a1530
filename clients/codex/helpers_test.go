package codex_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A policy is an extension made of one function.
type policy func(in *point.Installer)

func (policy) Name() string { return "policy" }

func (p policy) Install(in *point.Installer) error {
	p(in)
	return nil
}

// pre answers every call before it runs.
func pre(d tool.PreDecision) policy {
	return func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return d, nil })
	}
}

// post answers every result.
func post(d tool.PostDecision) policy {
	return func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return d, nil
		})
	}
}

func rewrite(r tool.Rewrite) policy {
	return func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			return r, nil
		})
	}
}

// live does something to the session, before and after a call.
func live(do func(session.Live) error) policy {
	return func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			if err := do(c.Live); err != nil {
				return nil, err
			}
			return next(ctx)
		})
		tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			if err := do(d.Live); err != nil {
				return nil, err
			}
			return next(ctx)
		})
	}
}

func contexts(texts ...string) (list []session.Context) {
	for _, s := range texts {
		list = append(list, session.Context{Text: s})
	}
	return list
}

func texts(list ...string) (parts []session.Part) {
	for _, s := range list {
		parts = append(parts, session.Text{Text: s})
	}
	return parts
}

func same(path string) (string, bool) { return path, true }

func explain(t *testing.T, stdin string, policies ...policy) codex.Served {
	t.Helper()
	handlers := new(point.Registry)
	for _, p := range policies {
		_, err := handlers.Install(p, tool.Preapprove)
		require.NoError(t, err)
	}
	h := host.Host{Run: point.Run{Handlers: handlers}, Fires: codex.Points()}
	served := codex.New(codex.Options{Resolve: same, Project: "/home/dev/app", Approves: true}).Explain(t.Context(), h, invocation(stdin))
	checkTaken(t, served.Event, served.Reply.Stdout)
	return served
}

func invocation(stdin string) host.Invocation {
	return host.Invocation{Stdin: []byte(stdin), Dir: "/home/dev/app", Env: host.Vars{"HOME": "/home/dev"}.Get}
}

// captured reads the payloads of an event, by variant, with members in the order
// in which the client sent them.
func captured(t *testing.T, event string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", codex.Name, "payloads", event+".json"))
	require.NoError(t, err)
	var file struct {
		Captures []struct {
			Variant string          `json:"variant"`
			Stdin   json.RawMessage `json:"stdin"`
		} `json:"captures"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Captures)
	folders := strings.NewReplacer("$PROJECT", "/home/dev/app", "$CODEX_HOME", "/home/dev/.codex")
	payloads := map[string]string{}
	for _, c := range file.Captures {
		payloads[c.Variant] = folders.Replace(string(c.Stdin))
	}
	return payloads
}
