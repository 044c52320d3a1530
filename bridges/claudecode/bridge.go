// Package claudecode runs the hooks that are configured for Claude Code on the
// extension points of our own agent loop, as the client would run them.
//
// Calls of tools that the client does not have are told as what they are to it: a
// command as Bash, a change of a file as Write or Edit. What a hook puts in the
// place of such an input goes back into the arguments of the call, or the call
// fails. Events that the loop has no point for are said at load.
//
// The tools and the other direction, a policy as the client's hook command, are in
// clients/claudecode.
package claudecode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// The types that all clients' bridges share.
type (
	// Bridge runs the client's hooks on our points; it implements
	// [point.Extension].
	Bridge = hooks.Bridge
	// BridgeOptions are what whoever installs a bridge decides.
	BridgeOptions = hooks.Options
	// Trial is one event to be tried on hooks, see [Bridge.Try].
	Trial = hooks.Trial
	// Tried is what came of it.
	Tried = hooks.Tried
	// Meaning is what an outcome is on our points.
	Meaning = hooks.Meaning
)

// NewBridge returns a bridge that does with the hooks of a configuration what the
// client does with them.
func NewBridge(o BridgeOptions) *Bridge { return hooks.New(client(), o) }

func client() hooks.Client {
	return hooks.Client{
		Extension: "hooks-" + clients.Name, Dialect: protocol.Dialect{}, Process: protocol.Process(), Events: fired,
		Guards: map[string]hookproto.Decision{
			hooks.PreToolUse: hookproto.Deny, hooks.PermissionRequest: hookproto.Deny, hooks.UserPromptSubmit: hookproto.Block,
		},
		Select: selected, Expand: expanded, Env: environment, Payload: payload, Show: show, After: afterEvent,
		Spill: spill, Detach: detaches, Enough: enough, Ignored: ignored, Objection: objection, LateMessages: true,
	}
}

// fired lists the events that the bridge fires.
var fired = []string{
	hooks.PreToolUse, hooks.PermissionRequest, hooks.PostToolUse, hooks.PostToolUseFailure, hooks.PostToolBatch, hooks.UserPromptSubmit,
	hooks.SessionStart, hooks.SessionEnd, hooks.Stop, hooks.StopFailure, hooks.SubagentStart, hooks.SubagentStop, hooks.PreCompact,
	hooks.PostCompact, hooks.Notification,
}

func selected(all []hookproto.Handler, f *hooks.Firing) ([]hookproto.Handler, []error) {
	return protocol.Select(all, protocol.Firing{Event: f.Event, Subject: f.Subject, Input: f.Input(), Cwd: f.Session.Cwd, Home: f.Home})
}

func expanded(h hookproto.Handler, f *hooks.Firing) hookproto.Handler {
	return protocol.Expand(h, f.Project())
}

// environment lists the variables that the client sets.
func environment(f *hooks.Firing) []string {
	return protocol.Environment{
		Event: f.Event, Project: f.Project(), Session: f.Main.ID, PID: os.Getpid(), Effort: f.Effort, EnvFile: f.EnvFile,
	}.Pairs()
}

// afterEvent names the event of a call that ran.
func afterEvent(d tool.Done) string {
	if !d.Ran {
		return ""
	}
	if _, failed := failureText(d); failed {
		return hooks.PostToolUseFailure
	}
	return hooks.PostToolUse
}

// reasonLimit is how many bytes of a reason go to the model of one that is longer
// than reasonMost.
const (
	reasonLimit = 50 << 10
	reasonMost  = 100 << 10
)

func spill(_ string, _ hookproto.Handler, o *hookproto.Output, save hooks.Save) error {
	if len(o.Reason) > reasonMost {
		path, err := save(o.Reason)
		if err != nil {
			return err
		}
		o.Reason = fmt.Sprintf("%s\n[… all %d characters are in %s]", strings.ToValidUTF8(o.Reason[:reasonLimit], ""), len(o.Reason), path)
	}
	for i, text := range o.Contexts {
		short, err := protocol.Spill(text, save)
		if err != nil {
			return err
		}
		o.Contexts[i] = short
	}
	return nil
}

// detaches reports whether a hook asks in its first line not to be waited for.
func detaches(line []byte) bool {
	var first struct{ Async *bool }
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &first) == nil && first.Async != nil && *first.Async
}

// enough reports whether the first block makes the other hooks pointless.
func enough(event string, o hookproto.Output) bool {
	e, _ := protocol.Lookup(event)
	return e.Effects.Kills && o.Decision == hookproto.Block
}

// ignored lists the fields of an output that only the client itself could honour.
func ignored(_ string, o hookproto.Output) (names []string) {
	for name, raw := range o.Fields {
		var decision struct {
			Permissions json.RawMessage `json:"updatedPermissions"`
		}
		switch {
		case name == "initialUserMessage":
		case name != "decision":
			names = append(names, name)
		case json.Unmarshal(raw, &decision) == nil && decision.Permissions != nil:
			names = append(names, "decision.updatedPermissions")
		}
	}
	slices.Sort(names)
	return names
}

// objection is how the model is told what a hook has against a result.
func objection(event string, h hookproto.Handler, reason string) string {
	return fmt.Sprintf("The %s hook %q objects: %s", event, h.Command, reason)
}

// paths are the tools whose paths the client makes absolute, and their
// arguments.
var paths = map[string]string{
	"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "Read": "file_path", "NotebookEdit": "notebook_path", "NotebookRead": "notebook_path",
}

// canonical are names that the client reports under another.
var canonical = map[string]string{"Task": "Agent"}

// show returns a call as the client tells of it: one of its own tools as it is,
// with absolute paths, and another one as the client's tool for what it does.
func show(c hooks.Seen) hooks.Shown {
	if clients.Known(c.Tool) {
		return own(c)
	}
	if s, ok := foreign(c); ok {
		return s
	}
	return hooks.Shown{Name: c.Tool, Input: c.Arguments, Response: response, Replace: replaceOwn}
}

func own(c hooks.Seen) hooks.Shown {
	name, input := c.Tool, c.Arguments
	if other, ok := canonical[name]; ok {
		name = other
	}
	if key, ok := paths[name]; ok {
		if path, is := input.Get(key).Str(); is && path != "" {
			input = input.With(key, value.OfString(absolute(path, c.Cwd)))
		}
	}
	if name == "Edit" && input.Get("replace_all").IsAbsent() && input.Kind() == value.Object {
		input = input.With("replace_all", value.OfBool(false))
	}
	return hooks.Shown{Name: name, Input: input, Response: response, Replace: replaceOwn}
}

// response is a result as it is.
func response(d tool.Done) value.Value { return clients.ResultOf(d) }
