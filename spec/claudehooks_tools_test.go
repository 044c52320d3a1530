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

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// claudeBodies are the client's tools, with its shapes of arguments and results.
var claudeBodies = map[string]struct {
	needs []string
	body  func(ctx context.Context, w *hookWorld, in value.Value) (any, error)
}{
	"Bash":               {[]string{"command"}, claudeBash},
	"Write":              {[]string{"file_path", "content"}, claudeWrite},
	"Edit":               {[]string{"file_path", "old_string", "new_string"}, claudeEdit},
	"Read":               {[]string{"file_path"}, claudeRead},
	"Task":               {[]string{"description", "prompt"}, claudeTask},
	"mcp__rig__echo":     {nil, claudeEcho},
	"mcp__rig-two__echo": {nil, claudeEcho},
	"mcp__rig__fail":     {nil, func(context.Context, *hookWorld, value.Value) (any, error) { return nil, errors.New("mcp failure") }},
}

// claudeTools are the client's tools in a world.
func claudeTools(w *hookWorld) []tool.Definition {
	var out []tool.Definition
	for name, t := range claudeBodies {
		var required []value.Value
		properties := value.OfObject()
		for _, key := range t.needs {
			required = append(required, value.OfString(key))
			properties = properties.With(key, value.MustFrom(map[string]any{"type": "string"}))
		}
		out = append(out, tool.Definition{
			Name: name,
			Parameters: value.OfObject(value.Member{Key: "type", Value: value.OfString("object")},
				value.Member{Key: "properties", Value: properties}, value.Member{Key: "required", Value: value.OfList(required...)}),
			Output: tool.Output{Schema: value.OfObject(), Render: func(_, v value.Value) ([]session.Part, error) { return claudeShown(v), nil }},
			Action: func(in value.Value) tool.Action {
				a, _ := claudecode.Action(name, in, claudecode.Place{Cwd: w.project})
				return a
			},
			Parallel: func(value.Value) bool { return name == "Read" || name == "Bash" },
			Execute:  func(ctx context.Context, run *tool.Running) (any, error) { return t.body(ctx, w, run.Arguments()) },
		})
	}
	return out
}

// claudeShown is what the model sees of a result.
func claudeShown(v value.Value) []session.Part {
	text := v.String()
	if out, ok := v.Get("stdout").Str(); ok {
		text = out
	}
	if content, ok := v.Get("file").Get("content").Str(); ok {
		text = content
	}
	if v.Kind() == value.List {
		text = v.At(0).Get("text").String()
	}
	return []session.Part{session.Text{Text: text}}
}

func claudeBash(ctx context.Context, w *hookWorld, in value.Value) (any, error) {
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, "/bin/sh", "-c", w.expand(in.Get("command").String()))
	c.Dir, c.Stdout, c.Stderr = w.project, &out, &errs
	c.Env = w.environ()
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("Exit code %d\n%s%s", c.ProcessState.ExitCode(), out.String(), errs.String())
	}
	return value.OfObject(
		value.Member{Key: "stdout", Value: value.OfString(strings.TrimSuffix(out.String(), "\n"))},
		value.Member{Key: "stderr", Value: value.OfString(errs.String())},
		value.Member{Key: "interrupted", Value: value.OfBool(false)},
		value.Member{Key: "isImage", Value: value.OfBool(false)},
		value.Member{Key: "noOutputExpected", Value: value.OfBool(false)},
	), nil
}

func (w *hookWorld) claudePath(in value.Value) string {
	path := w.expand(in.Get("file_path").String())
	if rest, home := strings.CutPrefix(path, "~/"); home {
		return filepath.Join(w.home, rest)
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(w.project, path)
	}
	return path
}

func claudeWrite(_ context.Context, w *hookWorld, in value.Value) (any, error) {
	path := w.claudePath(in)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return value.OfObject(
		value.Member{Key: "type", Value: value.OfString("create")},
		value.Member{Key: "filePath", Value: value.OfString(path)},
		value.Member{Key: "content", Value: in.Get("content")},
		value.Member{Key: "structuredPatch", Value: value.OfList()},
		value.Member{Key: "originalFile", Value: value.NullValue()},
		value.Member{Key: "userModified", Value: value.OfBool(false)},
	), os.WriteFile(path, []byte(in.Get("content").String()), 0o600)
}

func claudeEdit(_ context.Context, w *hookWorld, in value.Value) (any, error) {
	path := w.claudePath(in)
	before, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	after := strings.Replace(string(before), in.Get("old_string").String(), in.Get("new_string").String(), 1)
	all, _ := in.Get("replace_all").Bool()
	return value.OfObject(
		value.Member{Key: "filePath", Value: value.OfString(path)},
		value.Member{Key: "oldString", Value: in.Get("old_string")},
		value.Member{Key: "newString", Value: in.Get("new_string")},
		value.Member{Key: "originalFile", Value: value.OfString(string(before))},
		value.Member{Key: "structuredPatch", Value: value.OfList()},
		value.Member{Key: "userModified", Value: value.OfBool(false)},
		value.Member{Key: "replaceAll", Value: value.OfBool(all)},
	), os.WriteFile(path, []byte(after), 0o600)
}

func claudeRead(_ context.Context, w *hookWorld, in value.Value) (any, error) {
	path := w.claudePath(in)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := value.OfInt(int64(bytes.Count(content, []byte("\n")) + 1))
	return value.OfObject(value.Member{Key: "type", Value: value.OfString("text")}, value.Member{Key: "file", Value: value.OfObject(
		value.Member{Key: "filePath", Value: value.OfString(path)},
		value.Member{Key: "content", Value: value.OfString(string(content))},
		value.Member{Key: "numLines", Value: lines},
		value.Member{Key: "startLine", Value: value.OfInt(1)},
		value.Member{Key: "totalLines", Value: lines},
	)}), nil
}

func claudeTask(ctx context.Context, w *hookWorld, in value.Value) (any, error) {
	kind := in.Get("subagent_type").String()
	run, err := w.spawn(ctx, kind, in.Get("prompt").String())
	if err != nil {
		return nil, err
	}
	end := run.Wait()
	return value.OfObject(
		value.Member{Key: "status", Value: value.OfString("completed")},
		value.Member{Key: "prompt", Value: in.Get("prompt")},
		value.Member{Key: "agentId", Value: value.OfString(run.Agent().Session().ID)},
		value.Member{Key: "agentType", Value: value.OfString(kind)},
		value.Member{Key: "content", Value: textBlock(textOfParts(end.Output))},
	), nil
}

func textBlock(text string) value.Value {
	return value.OfList(value.OfObject(value.Member{Key: "type", Value: value.OfString("text")}, value.Member{Key: "text", Value: value.OfString(text)}))
}

func claudeEcho(_ context.Context, _ *hookWorld, in value.Value) (any, error) {
	return textBlock("echo " + in.String()), nil
}
