package codex

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Tools of the client that calls of ours are told as.
const (
	spawnTool  = "spawn_agent"
	messageKey = "message"
	typeKey    = "agent_type"
)

// justification is the argument in which a model says why a command needs more
// rights than it has.
const justification = "justification"

// show returns a call as the client would tell of it. A tool that the client has
// is shown as it is; any other as the tool of the client that does what it does,
// if there is one and the call could be read in full.
func show(c hooks.Seen) hooks.Shown {
	s := hooks.Shown{Name: c.Tool, Input: c.Arguments, Response: text}
	s.Why, _ = c.Arguments.Get(justification).Str()
	if !clients.Known(c.Tool) {
		return translated(c, s)
	}
	switch a := c.Action.(type) {
	case tool.Shell:
		s.Cwd = a.Cwd
	case tool.MCP:
		s.Name, s.Response = mcpName(a), whole
	case tool.Write, tool.Edit, tool.Read, tool.Delete, tool.Search, tool.Fetch, tool.Agent, tool.Other:
	}
	if of := responses[c.Tool]; of != nil {
		s.Response = of
	}
	if c.Tool == clients.ShellTool || c.Tool == clients.PatchTool {
		s.Back = func(input value.Value) (value.Value, error) {
			return replaced(c.Arguments, clients.CommandKey, input, clients.CommandKey)
		}
	}
	return s
}

// translated shows a call of a tool that the client does not have.
func translated(c hooks.Seen, s hooks.Shown) hooks.Shown {
	switch a := c.Action.(type) {
	case tool.Shell:
		return command(c, a, s)
	case tool.MCP:
		s.Name, s.Response = mcpName(a), whole
	case tool.Agent:
		return spawn(c, a, s)
	case tool.Write:
		return patchOf(c, a.Files, a.Partial, s)
	case tool.Edit:
		return patchOf(c, a.Files, a.Partial, s)
	case tool.Delete:
		return patchOf(c, a.Files, a.Partial, s)
	case tool.Read, tool.Search, tool.Fetch, tool.Other:
	}
	return s
}

// responses are the shapes of results that are not the text that the model sees.
var responses = map[string]func(tool.Done) value.Value{
	spawnTool: encoded, "multi_agent_v1spawn_agent": encoded, "multi_agent_v1wait_agent": encoded, "wait_agent": encoded, "view_image": whole,
}

// text is what the model is shown of a result.
func text(d tool.Done) value.Value {
	var parts []session.Part
	switch r := d.Result.(type) {
	case tool.Success:
		parts = r.Content
	case tool.Failure:
		parts = r.Content
	}
	var out strings.Builder
	for _, p := range parts {
		if t, ok := p.(session.Text); ok {
			out.WriteString(t.Text)
		}
	}
	return value.OfString(out.String())
}

// whole is the value of a result; without one it is what the model is shown.
func whole(d tool.Done) value.Value {
	if r, ok := d.Result.(tool.Success); ok && !r.Value.IsAbsent() {
		return r.Value
	}
	return text(d)
}

// encoded is the value of a result as a text.
func encoded(d tool.Done) value.Value {
	v := whole(d)
	if v.Kind() == value.String {
		return v
	}
	return value.OfString(string(v.AppendJSON(nil)))
}

// notInName matches what the client replaces in the name of an MCP tool.
var notInName = regexp.MustCompile(`[^A-Za-z0-9_]`)

func mcpName(a tool.MCP) string {
	return "mcp__" + notInName.ReplaceAllString(a.Server, "_") + "__" + notInName.ReplaceAllString(a.Name, "_")
}

// command shows a command line.
func command(c hooks.Seen, a tool.Shell, s hooks.Shown) hooks.Shown {
	if a.Partial {
		return s
	}
	s.Name, s.Cwd = clients.ShellTool, a.Cwd
	s.Input = value.OfObject(value.Member{Key: clients.CommandKey, Value: value.OfString(a.Command)})
	s.Back = func(input value.Value) (value.Value, error) {
		key, err := holding(c, a.Command)
		if err != nil {
			return value.Value{}, err
		}
		return replaced(c.Arguments, key, input, clients.CommandKey)
	}
	return s
}

// spawn shows the start of a subagent.
func spawn(c hooks.Seen, a tool.Agent, s hooks.Shown) hooks.Shown {
	if a.Partial {
		return s
	}
	s.Name, s.Response = spawnTool, encoded
	s.Input = value.OfObject(value.Member{Key: messageKey, Value: value.OfString(a.Prompt)})
	if a.Type != "" {
		s.Input = s.Input.With(typeKey, value.OfString(a.Type))
	}
	s.Back = func(input value.Value) (value.Value, error) {
		key, err := holding(c, a.Prompt)
		if err != nil {
			return value.Value{}, err
		}
		out, err := replaced(c.Arguments, key, input, messageKey)
		kind, named := input.Get(typeKey).Str()
		if err != nil || !named || kind == a.Type {
			return out, err
		}
		if key, err = holding(c, a.Type); err != nil {
			return value.Value{}, err
		}
		return replaced(out, key, input, typeKey)
	}
	return s
}

// holding returns the one argument of a call that is a text.
func holding(c hooks.Seen, text string) (string, error) {
	var keys []string
	for key, v := range c.Arguments.Members() {
		if s, ok := v.Str(); ok && s == text {
			keys = append(keys, key)
		}
	}
	if len(keys) != 1 {
		return "", fmt.Errorf("it is not known which argument of %s is meant", c.Tool)
	}
	return keys[0], nil
}

// replaced returns arguments with a text of the hook's input in the place of one
// of theirs.
func replaced(arguments value.Value, key string, input value.Value, from string) (value.Value, error) {
	text, ok := input.Get(from).Str()
	if !ok {
		return value.Value{}, fmt.Errorf("updatedInput.%s: expected a string", from)
	}
	return arguments.With(key, value.OfString(text)), nil
}
