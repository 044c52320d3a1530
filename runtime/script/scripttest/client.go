package scripttest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A client is a coding agent whose hook a test can play.
type client struct {
	name    string
	explain func(o claudecode.Options) func(context.Context, host.Host, host.Invocation) claudecode.Served
	points  func() []point.Point
	common  map[string]any // members of every payload
	events  events         // members of single events
	call    func(tool string, arguments, action value.Value) (string, value.Value)
	action  func(tool string, arguments value.Value, at claudecode.Place) (tool.Action, bool)
}

func clients() []client {
	return []client{
		{
			name: claudecode.Name, points: claudecode.Points,
			explain: func(o claudecode.Options) func(context.Context, host.Host, host.Invocation) claudecode.Served {
				return claudecode.New(o).Explain
			},
			common: map[string]any{
				"session_id": "session-1", "transcript_path": home + "/.claude/projects/app/session-1.jsonl", "cwd": project,
				"permission_mode": "default", "prompt_id": "turn-1",
			},
			events: claudeEvents(),
			call:   func(tool string, arguments, _ value.Value) (string, value.Value) { return tool, arguments },
			action: claudecode.Action,
		},
		{
			name: codex.Name, points: codex.Points,
			explain: func(o claudecode.Options) func(context.Context, host.Host, host.Invocation) claudecode.Served {
				return codex.New(o).Explain
			},
			common: map[string]any{
				"session_id": "session-1", "transcript_path": nil, "cwd": project, "model": "test-model",
				"permission_mode": "default", "turn_id": "turn-1",
			},
			events: codexEvents(),
			call:   codexCall, action: codex.Action,
		},
	}
}

// patchWords are how a patch of Codex begins what it does to a file.
var patchWords = map[string]string{"write": "Add File", "create": "Add File", "edit": "Update File", "delete": "Delete File"}

// patchBodies follow those.
var patchBodies = map[string]string{"write": "+text\n", "create": "+text\n", "edit": "@@\n-old\n+new\n"}

// codexCall is a call as Codex makes it: all changes of files are patches.
func codexCall(tool string, arguments, action value.Value) (string, value.Value) {
	if patchWords[action.Get("kind").String()] == "" {
		return tool, arguments
	}
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n")
	for _, f := range action.Get("files").Items() {
		change := f.Get("change").String()
		fmt.Fprintf(&patch, "*** %s: %s\n%s", patchWords[change], f.Get("path"), patchBodies[change])
	}
	patch.WriteString("*** End Patch\n")
	return "apply_patch", value.MustFrom(map[string]any{"command": patch.String()})
}

func findClient(name string) (client, error) {
	var names []string
	for _, c := range clients() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return client{}, fmt.Errorf("no client %q%s; there are %s", name, luavm.Hint(name, names), strings.Join(names, ", "))
}

// bytes returns what the client would send: what is given, with what is typical
// for the rest. A call from a builder becomes a call of the client's own.
func (c client) bytes(given value.Value) ([]byte, error) {
	if action := given.Get("action"); !action.IsAbsent() {
		name, arguments := c.call(given.Get("tool").String(), given.Get("arguments"), action)
		if err := c.does(name, arguments, action); err != nil {
			return nil, err
		}
		given = value.OfObject(
			value.Member{Key: "hook_event_name", Value: value.OfString("PreToolUse")},
			value.Member{Key: "tool_name", Value: value.OfString(name)},
			value.Member{Key: "tool_input", Value: arguments},
		)
	}
	var members []value.Member
	for _, usual := range []map[string]any{c.common, c.events[given.Get("hook_event_name").String()]} {
		for key, v := range usual {
			if given.Get(key).IsAbsent() {
				members = append(members, value.Member{Key: key, Value: value.MustFrom(v)})
			}
		}
	}
	return with(given, members...).AppendJSON(nil), nil
}

// does reports an error if a call of the client is not the action that a test
// wants: a policy that has nothing to say of another one would look well tested.
func (c client) does(name string, arguments, wanted value.Value) error {
	read, _ := c.action(name, arguments, claudecode.Place{Cwd: project, Home: home})
	if kinds, want := strings.Fields(tool.Kinds(read)), wanted.Get("kind").String(); !slices.Contains(kinds, want) {
		return fmt.Errorf("%s has no such call of the kind %s: it takes a call of %s for %s", c.name, want, name, strings.Join(kinds, " and "))
	}
	shown, err := tool.PreExecute.Payload().Encode(tool.Call{Tool: name, Action: read})
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, f := range shown.Get("action").Get("files").Items() {
		found[f.Get("path").String()] = true
	}
	for _, f := range wanted.Get("files").Items() {
		if path := f.Get("path").String(); !found[path] {
			return fmt.Errorf("%s has no one call of %s for all these files: %s is left out", c.name, name, path)
		}
	}
	return nil
}
