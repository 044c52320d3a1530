package claudecode_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A rig is a bridge with tools that it is asked about.
type rig struct {
	t        *testing.T
	dir      string
	handlers *point.Registry
	tools    *tool.Registry
	live     *session.Effects
	runtime  *tool.Runtime
	bridge   *claudecode.Bridge

	mu     sync.Mutex
	warned []string
	ran    []value.Value
}

// newRig reads settings, in which @ stands for a scratch folder.
func newRig(t *testing.T, settings string, o claudecode.BridgeOptions, before ...point.Extension) *rig {
	r := &rig{t: t, dir: t.TempDir(), handlers: new(point.Registry), tools: new(tool.Registry)}
	r.live = session.NewEffects(session.EffectHalt, session.EffectInject, session.EffectSteer, session.EffectTell)
	file := protocol.File{Path: "settings.json", Data: []byte(strings.ReplaceAll(settings, "@", r.dir)), Layer: protocol.Project}
	o.Config = protocol.Load([]protocol.File{file}, protocol.Options{})
	o.Warn = func(text string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.warned = append(r.warned, text)
	}
	r.bridge = claudecode.NewBridge(o)
	for _, ext := range before {
		_, err := r.handlers.Install(ext)
		require.NoError(t, err)
	}
	_, err := r.handlers.Install(r.bridge, tool.Preapprove)
	require.NoError(t, err)
	r.runtime = &tool.Runtime{Warn: o.Warn, Approvals: &tool.Approvals{}}
	return r
}

// tool registers a tool that returns v.
func (r *rig) tool(name string, v any, action func(value.Value) tool.Action) {
	_, err := r.tools.Register(tool.Definition{
		Name: name, Output: tool.Output{Schema: value.OfObject()}, Action: action,
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			r.ran = append(r.ran, run.Arguments())
			return v, nil
		},
	})
	require.NoError(r.t, err)
}

func (r *rig) session() session.Ref {
	return session.Ref{ID: "s", Cwd: r.dir, Project: r.dir, Turn: "1"}
}

func (r *rig) run() point.Run { return point.Run{Handlers: r.handlers} }

func (r *rig) call(name, arguments string) tool.Result {
	scope := &tool.Scope{Host: host.Host{Run: r.run(), Live: r.live}, Tools: r.tools, Session: r.session()}
	in, err := value.ParseString(arguments)
	require.NoError(r.t, err)
	return r.runtime.Execute(r.t.Context(), tool.Input{ID: "c1", Tool: name, Arguments: in, Agent: scope})
}

func (r *rig) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(r.dir, name))
	return string(data)
}

// hook is a group with one command, as JSON.
func hook(event, matcher, command string) string {
	return fmt.Sprintf(`{"hooks": {%q: [{"matcher": %q, "hooks": [{"type": "command", "timeout": 0.5, "command": %q}]}]}}`, event, matcher, command)
}

func bashAction(in value.Value) tool.Action {
	command, ok := in.Get("command").Str()
	return tool.Shell{Command: command, Cwd: "/", Partial: !ok}
}

const rewrites = `echo x >> @/runs; echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "echo safe"}}}'`

// A client runs the hooks of a call once, for its input and for the verdict.
func TestHooksRunOnce(t *testing.T) {
	r := newRig(t, hook("PreToolUse", "Bash", rewrites), claudecode.BridgeOptions{})
	r.tool("Bash", "out", nil)
	require.IsType(t, tool.Success{}, r.call("Bash", `{"command": "rm -rf /", "description": "d"}`))
	require.Equal(t, "x\n", r.file("runs"))
	require.Len(t, r.ran, 1)
	require.Equal(t, "echo safe", r.ran[0].Get("command").String())
}

// rewriting replaces the input of a call by another one than hooks saw.
type rewriting struct{}

func (rewriting) Name() string { return "rewriting" }

func (rewriting) Install(in *point.Installer) error {
	tool.OnRewrite.Handle(in, func(ctx context.Context, _ tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
		_, err := next(ctx)
		return tool.Rewrite{Arguments: value.MustFrom(map[string]any{"command": "evil"})}, err
	})
	return nil
}

// What runs is what hooks judged, also if another extension changes it later.
func TestHooksSeeWhatRuns(t *testing.T) {
	r := newRig(t, hook("PreToolUse", "Bash", "cat >> @/seen; grep -q evil @/seen && exit 2 || exit 0"), claudecode.BridgeOptions{}, rewriting{})
	r.tool("Bash", "out", nil)
	require.IsType(t, tool.Failure{}, r.call("Bash", `{"command": "good"}`))
	require.Equal(t, 2, strings.Count(r.file("seen"), "PreToolUse"))
	require.Empty(t, r.ran)

	r = newRig(t, hook("PreToolUse", "Bash", rewrites), claudecode.BridgeOptions{}, rewriting{})
	r.tool("Bash", "out", nil)
	require.IsType(t, tool.Failure{}, r.call("Bash", `{"command": "good"}`), "the hook's input cannot be had any more")
	require.Empty(t, r.ran)
}

// In strict mode a hook denies what it fails to guard; else it decides nothing.
func TestStrict(t *testing.T) {
	for _, test := range []struct {
		command string
		fails   bool
		told    string
	}{
		{"true", false, ""},
		{"echo looks good", false, ""},
		{"exit 1", true, "settings.json:1: the PreToolUse hook failed"},
		{"echo oops >&2; exit 3", true, "oops"},
		{"sleep 30", true, "timed out after 500ms"},
		{"no-such-program-here", true, "127"},
		{"kill -9 $$", true, "SIGKILL"},
		{"echo '{\"a\": '", true, ""},
		{"echo checking; echo '{\"decision\": \"block\"}'", true, ""},
		{"echo '{\"decision\": \"perhaps\"}'", true, "not valid"},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", test.command, strict), func(t *testing.T) {
				r := newRig(t, hook("PreToolUse", "", test.command), claudecode.BridgeOptions{Strict: strict})
				r.tool("Bash", "out", nil)
				r.call("Bash", `{"command": "x"}`)
				require.Equal(t, !strict || !test.fails, len(r.ran) == 1)
				if test.told != "" && !strict {
					require.Contains(t, strings.Join(r.live.Told(), "\n"), test.told)
				}
			})
		}
	}
}

// Tools of other names are shown to hooks as the client's tools that do the same,
// and what hooks change finds its way back.
func TestForeignTools(t *testing.T) {
	file := func(make func(tool.File) tool.Action) func(value.Value) tool.Action {
		return func(in value.Value) tool.Action { return make(tool.File{Path: "/p/" + in.Get("path").String()}) }
	}
	edit := file(func(f tool.File) tool.Action { return tool.Edit{Files: []tool.File{f}} })
	for _, test := range []struct {
		tool, arguments string
		action          func(value.Value) tool.Action
		returns         any
		matcher, shown  string
		updated, ran    string
		response        string
	}{
		{
			"bash", `{"timeout_ms": 5, "command": "ls"}`, bashAction,
			map[string]any{"exit": 0, "output": "hi"},
			"Bash", `{"command":"ls","timeout_ms":5}`, `{"command":"pwd"}`, `{"command":"pwd"}`,
			`{"stdout":"hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`,
		},
		{
			"shell", `{"run": "ls"}`, func(in value.Value) tool.Action { return tool.Shell{Command: in.Get("run").String()} }, "hi",
			"Bash", `{"command":"ls"}`, `{"command":"pwd"}`, `{"run":"pwd"}`,
			`{"stdout":"hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`,
		},
		{
			"write", `{"path": "a", "content": "c"}`, file(func(f tool.File) tool.Action { return tool.Write{Files: []tool.File{f}} }),
			map[string]any{"created": true},
			"Write", `{"file_path":"/p/a","content":"c"}`, `{"file_path":"/p/a","content":"d"}`, `{"path":"a","content":"d"}`,
			`{"type":"create","filePath":"/p/a","content":"d","structuredPatch":[],"originalFile":null,"userModified":false}`,
		},
		{
			"edit", `{"path": "a", "old": "x", "new": "y"}`, edit, "done",
			"Edit", `{"file_path":"/p/a","old_string":"x","new_string":"y"}`, `{"file_path":"/p/b","old_string":"x","new_string":"z"}`, `{"path":"/p/b","old":"x","new":"z"}`,
			"",
		},
		{
			"rig.echo", `{"a": 1}`, func(value.Value) tool.Action { return tool.MCP{Server: "rig", Name: "echo"} }, "hi",
			"mcp__rig__.*", `{"a":1}`, `{"a":2}`, `{"a":2}`, "",
		},
		{"own", `{"a": 1}`, nil, "hi", "own", `{"a":1}`, `{"a":2}`, `{"a":2}`, ""},
	} {
		t.Run(test.tool, func(t *testing.T) {
			pre := fmt.Sprintf(`cat > @/pre; echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": %s}}'`, test.updated)
			settings := fmt.Sprintf(`{"hooks": {"PreToolUse": [{"matcher": %q, "hooks": [{"type": "command", "command": %q}]}], "PostToolUse": [{"matcher": %q, "hooks": [{"type": "command", "command": "cat > @/post"}]}]}}`,
				test.matcher, pre, test.matcher)
			r := newRig(t, settings, claudecode.BridgeOptions{})
			r.tool(test.tool, test.returns, test.action)
			require.IsType(t, tool.Success{}, r.call(test.tool, test.arguments))
			seen, err := value.ParseString(r.file("pre"))
			require.NoError(t, err)
			require.Equal(t, test.shown, seen.Get("tool_input").String())
			require.Len(t, r.ran, 1)
			require.Equal(t, test.ran, r.ran[0].String())
			after, err := value.ParseString(r.file("post"))
			require.NoError(t, err)
			if test.response != "" {
				require.Equal(t, test.response, after.Get("tool_response").String())
			}
		})
	}
}

// A command that ends with another status has failed in the client's view.
func TestForeignCommandThatFails(t *testing.T) {
	r := newRig(t, hook("PostToolUseFailure", "Bash", "cat > @/failed"), claudecode.BridgeOptions{})
	r.tool("bash", map[string]any{"exit": 3, "output": "no"}, bashAction)
	r.call("bash", `{"command": "false"}`)
	got, err := value.ParseString(r.file("failed"))
	require.NoError(t, err)
	require.Equal(t, "Exit code 3\nno", got.Get("error").String())
}

// Only a bridge with the right to may answer in the user's place.
func TestPreapprove(t *testing.T) {
	answer := `echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}'`
	for _, may := range []bool{false, true} {
		r := newRig(t, hook("PermissionRequest", "Bash", answer), claudecode.BridgeOptions{Preapprove: may})
		_, err := r.handlers.Install(asking{})
		require.NoError(t, err)
		r.tool("Bash", "out", nil)
		r.call("Bash", `{"command": "x"}`)
		require.Equal(t, may, len(r.ran) == 1)
		require.Equal(t, !may, len(r.warned) > 0)
	}
}

type asking struct{}

func (asking) Name() string { return "asking" }

func (asking) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	return nil
}

// What hooks left in the background ends with the session.
func TestBackgroundEndsWithTheSession(t *testing.T) {
	settings := `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "echo $$ > @/pid.new; mv @/pid.new @/pid; sleep 60", "async": true}]}]}}`
	r := newRig(t, settings, claudecode.BridgeOptions{})
	r.tool("Bash", "out", nil)
	r.call("Bash", `{"command": "x"}`)
	var pid int
	require.Eventually(t, func() bool {
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(r.file("pid")))
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, agent.OnSessionEnd.Run(t.Context(), r.run(), agent.Ended{Session: r.session()}))
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	require.NoError(t, r.bridge.Close(t.Context()))
}

// A folder that is gone does not keep hooks from running.
func TestFolderThatIsGone(t *testing.T) {
	r := newRig(t, hook("SessionStart", "", "pwd > @/where; echo 'export A=\"b c\"' >> \"$CLAUDE_ENV_FILE\""), claudecode.BridgeOptions{Home: "/"})
	s := r.session()
	s.Cwd = filepath.Join(r.dir, "gone")
	require.NoError(t, agent.OnSessionStart.Run(t.Context(), r.run(), agent.Started{Session: s, Source: "startup"}))
	require.Equal(t, r.dir+"\n", r.file("where"))
	require.Len(t, r.warned, 1, "nobody takes the variable")
}

// What will not run is listed, once for each event.
func TestProblems(t *testing.T) {
	settings := `{"hooks": {
		"Notification": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}],
		"FileChanged": [{"hooks": [{"type": "command", "command": "a"}]}],
		"Stop": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}, {"type": "prompt", "prompt": "p"}]}]}}`
	r := newRig(t, settings, claudecode.BridgeOptions{})
	var got []string
	for _, p := range r.bridge.Problems() {
		require.Equal(t, hookproto.HandlerNotRun, p.Severity)
		got = append(got, fmt.Sprintf("%s %s %d", p.Event, p.Kind, p.At.Line))
	}
	require.ElementsMatch(t, []string{"Notification unsupported-event 2", "FileChanged unsupported-event 3", "Stop unsupported-type 4", "Stop unsupported-type 4"}, got)
}
