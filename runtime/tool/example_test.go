package tool_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
	"github.com/dsh-lua/dsh/runtime/value"
)

// policy is an extension that lets nobody read secrets.
type policy struct{}

func (policy) Name() string { return "secrets" }

func (policy) Install(in *point.Installer) error {
	tool.OnGuard.Handle(in, func(_ context.Context, call tool.Call) (tool.GuardDecision, error) {
		if strings.HasPrefix(call.Arguments.Get("path").String(), "/etc/") {
			return tool.Forbid{Reason: "nothing below /etc is read"}, nil
		}
		return tool.Abstain{}, nil
	})
	return nil
}

func Example() {
	parameters, err := jsonschema.Parameters(value.MustFrom(map[string]any{
		"path": map[string]any{"type": "string", "required": true},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	handlers, tools := new(point.Registry), new(tool.Registry)
	rt := &tool.Runtime{
		Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: handlers}}, Tools: tools},
		Warn: func(text string) { fmt.Fprintln(os.Stderr, text) },
	}
	_, err = tools.Register(tool.Definition{
		Name: "read", Description: "Shows a file.", Parameters: parameters,
		Output: tool.Output{Schema: value.MustFrom(map[string]any{"type": "string"})},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			return "content of " + run.Arguments().Get("path").String(), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, extension := range []point.Extension{policy{}, wrap.Timeout{}} {
		if _, err := handlers.Install(extension); err != nil {
			fmt.Println(err)
			return
		}
	}

	agent := &tool.Scope{
		Host:    host.Host{Run: point.Run{Handlers: handlers.Child()}},
		Tools:   tools.Child(),
		Session: session.Ref{ID: "session-1"},
	}
	for _, arguments := range []string{`{"path":"/tmp/a"}`, `{"path":"/etc/shadow"}`, `{"file":"a"}`} {
		result := rt.Execute(context.Background(), tool.Input{ID: "1", Tool: "read", Arguments: tool.ParseArguments(arguments), Agent: agent})
		switch r := result.(type) {
		case tool.Success:
			fmt.Println("success:", r.Value)
		case tool.Failure:
			fmt.Printf("failure: %s (%s)\n", r.Message, r.Code)
		}
	}
	// Output:
	// success: content of /tmp/a
	// failure: nothing below /etc is read ()
	// failure: invalid arguments: missing required property "path" (INVALID_ARGS)
}
