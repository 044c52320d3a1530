package spec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// codexTools are the client's tools, as the model calls them, with what a hook
// can see of their results.
func codexTools(w *hookWorld, never bool) []tool.Definition {
	return []tool.Definition{
		codexShell(w, never), codexPatch(w), codexImage(w), codexSpawn(w), codexWait(w),
		codexServer("echo", echoes), codexServer("write_thing", echoes), codexServer("fail", func(value.Value) (any, error) {
			return nil, errors.New("mcp failure")
		}),
	}
}

// refused is an error of a tool that did not come to run anything.
func refused(format string, args ...any) error {
	return &tool.Error{Message: fmt.Sprintf(format, args...), Code: "REFUSED"}
}

func argument(v value.Value, key string) string { s, _ := v.Get(key).Str(); return s }

func parameters(required string) value.Value {
	v, err := value.ParseString(`{"type": "object", "properties": {"` + required + `": {"type": "string"}}, "required": ["` + required + `"]}`)
	if err != nil {
		panic(err)
	}
	return v
}

func codexShell(w *hookWorld, never bool) tool.Definition {
	folder := func(arguments value.Value) string {
		if dir := argument(arguments, "workdir"); dir != "" {
			return dir
		}
		return w.project
	}
	return tool.Definition{
		Name: "exec_command", Parameters: parameters("cmd"), Output: tool.Output{Schema: value.OfObject()},
		Parallel: func(value.Value) bool { return true },
		Action: func(arguments value.Value) tool.Action {
			return tool.Shell{Command: argument(arguments, "cmd"), Cwd: folder(arguments)}
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			arguments := run.Arguments()
			asked := argument(arguments, "sandbox_permissions")
			switch dir := folder(arguments); {
			case asked == "" && !arguments.Get("justification").IsAbsent():
				return nil, refused("a justification needs permissions to ask for")
			case asked == "require_escalated" && never:
				return nil, refused("nobody can be asked for more permissions")
			default:
				return shellOutput(ctx, dir, argument(arguments, "cmd"), w.environ())
			}
		},
	}
}

// shellOutput runs a command and returns what it prints.
func shellOutput(ctx context.Context, dir, command string, env []string) (any, error) {
	var out bytes.Buffer
	c := exec.CommandContext(ctx, "/bin/bash", "-c", command)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &out, &out
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, refused("%v", err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out.String(), nil
}

func codexPatch(w *hookWorld) tool.Definition {
	return tool.Definition{
		Name: "apply_patch", Parameters: parameters("command"), Output: tool.Output{Schema: value.OfObject()},
		Action: func(arguments value.Value) tool.Action {
			return tool.Edit{Files: []tool.File{{Path: filepath.Join(w.project, "file"), Change: tool.ChangeEdit}}, Partial: true}
		},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			return applyPatch(w.project, argument(run.Arguments(), "command"))
		},
	}
}

// applyPatch writes the files that a patch adds. It knows no more of patches than
// that other ones need their file.
func applyPatch(dir, patch string) (any, error) {
	var name string
	content := map[string]string{}
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if added, is := strings.CutPrefix(line, "*** Add File: "); is {
			name, content[added] = added, ""
			continue
		}
		if changed, is := strings.CutPrefix(line, "*** Update File: "); is {
			if _, err := os.Stat(filepath.Join(dir, changed)); err != nil {
				return nil, refused("%v", err)
			}
			name = ""
		}
		if text, is := strings.CutPrefix(line, "+"); is && name != "" {
			content[name] += text + "\n"
		}
	}
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return "Success.", nil
}

func codexImage(w *hookWorld) tool.Definition {
	return tool.Definition{
		Name: "view_image", Parameters: parameters("path"), Output: tool.Output{Schema: value.OfObject()},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			if _, err := os.ReadFile(filepath.Join(w.project, argument(run.Arguments(), "path"))); err != nil {
				return nil, refused("%v", err)
			}
			return []any{map[string]any{"type": "input_image", "image_url": "data:", "detail": "original"}}, nil
		},
	}
}

func codexServer(name string, body func(value.Value) (any, error)) tool.Definition {
	return tool.Definition{
		Name: "mcp__rig__" + name, Output: tool.Output{Schema: value.OfObject()},
		Action:  func(value.Value) tool.Action { return tool.MCP{Server: "rig", Name: name} },
		Execute: func(_ context.Context, run *tool.Running) (any, error) { return body(run.Arguments()) },
	}
}

func echoes(arguments value.Value) (any, error) {
	member := func(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }
	return value.OfObject(
		member("content", value.OfList(value.OfObject(member("type", value.OfString("text")), member("text", value.OfString(arguments.String()))))),
		member("structuredContent", value.OfObject(member("got", arguments))),
	), nil
}

func codexSpawn(w *hookWorld) tool.Definition {
	return tool.Definition{
		Name: "spawn_agent", Parameters: parameters("message"), Output: tool.Output{Schema: value.OfObject()},
		Action: func(arguments value.Value) tool.Action {
			return tool.Agent{Type: argument(arguments, "agent_type"), Prompt: argument(arguments, "message")}
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			r, err := w.spawn(context.WithoutCancel(ctx), argument(run.Arguments(), "agent_type"), argument(run.Arguments(), "message"))
			if err != nil {
				return nil, err
			}
			return map[string]any{"agent_id": r.Agent().Session().ID, "nickname": "NICK"}, nil
		},
	}
}

func codexWait(w *hookWorld) tool.Definition {
	return tool.Definition{
		Name: "multi_agent_v1wait_agent", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) {
			status := map[string]any{}
			for id, run := range w.subagents() {
				status[id] = map[string]any{"completed": textOfParts(run.Wait().Output)}
			}
			return map[string]any{"status": status, "timed_out": false}, nil
		},
	}
}

// codexAsks is the client's own permission flow.
func codexAsks(policy string) func(tool.Call) bool {
	return func(c tool.Call) bool {
		switch policy {
		case "untrusted":
			return c.Tool == "exec_command" || c.Tool == "apply_patch" || c.Tool == "mcp__rig__write_thing"
		case "on-request":
			return argument(c.Arguments, "sandbox_permissions") == "require_escalated"
		}
		return false
	}
}
