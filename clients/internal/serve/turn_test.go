package serve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	asks      = `{"session_id":"s1","cwd":"/w","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`
	prompted  = `{"session_id":"s1","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"hi"}`
	begins    = `{"session_id":"s1","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}`
	stops     = `{"session_id":"s1","cwd":"/w","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"x"}`
	childEnds = `{"session_id":"s1","cwd":"/w","hook_event_name":"SubagentStop","agent_id":"a","stop_hook_active":false}`
	notices   = `{"session_id":"s1","hook_event_name":"SessionEnd"}`
)

// becomes is what a fault at an event is for the client.
type becomes string

const (
	denied  becomes = "denied"
	blocked becomes = "blocked"
	let     becomes = "let end, the human told"
	logged  becomes = "logged"
)

func outcomeOf(t *testing.T, r host.Reply) becomes {
	t.Helper()
	checkTotal(t, r)
	require.Zero(t, r.Exit)
	if len(r.Stdout) == 0 {
		require.NotEmpty(t, r.Stderr)
		return logged
	}
	v, err := value.Parse(r.Stdout)
	require.NoError(t, err)
	specific := v.Get("hookSpecificOutput")
	switch {
	case v.Get("decision").String() == "block":
		return blocked
	case specific.Get("permissionDecision").String() == "deny", specific.Get("decision").Get("behavior").String() == "deny":
		return denied
	case v.Len() == 1 && v.Get("systemMessage").Kind() == value.String:
		return let
	}
	return becomes(r.Stdout)
}

var events = []struct {
	stdin string
	fault becomes
}{
	{before, denied},
	{asks, denied},
	{after, blocked},
	{prompted, blocked},
	{begins, logged},
	{notices, logged},
	{stops, let},
	{childEnds, let},
}

// What nobody can be asked about gets the answer that is safe for its event.
func TestFail(t *testing.T) {
	for _, e := range events {
		for _, c := range both(claudecode.Options{}) {
			in := host.Invocation{Stdin: []byte(e.stdin)}
			reply := c.Fail(in, errors.New("no working directory"))
			require.Equal(t, e.fault, outcomeOf(t, reply), e.stdin)
			require.Contains(t, string(reply.Stdout)+string(reply.Stderr), "no working directory")
			if e.fault == let {
				require.Equal(t, 1, c.Unsaid(in), "what refuses makes it go on")
			} else {
				require.Equal(t, 2, c.Unsaid(in))
			}
		}
	}
	for _, c := range both(claudecode.Options{}) {
		for _, stdin := range []string{"", "{", "[]", `{"hook_event_name":"Nothing"}`, `{"hook_event_name":1}`} {
			in := host.Invocation{Stdin: []byte(stdin)}
			require.Equal(t, 2, c.Unsaid(in))
			reply := c.Fail(in, errors.New("oops"))
			checkTotal(t, reply)
			require.Equal(t, 2, reply.Exit)
		}
	}
}

// What lacks in a payload, or is of the wrong kind, is a fault where it is needed.
func TestIncompleteTurns(t *testing.T) {
	for _, test := range []struct {
		stdin, old, new, want string
	}{
		{prompted, `,"prompt":"hi"`, ``, "payload: prompt: missing"},
		{prompted, `"hi"`, `null`, "payload: prompt: missing"},
		{prompted, `"hi"`, `["hi"]`, "payload: prompt: want a string, got list"},
		{prompted, `"/w"`, `1`, "payload: cwd: want a string, got number"},
		{begins, `,"source":"startup"`, ``, "payload: source: missing"},
		{begins, `"startup"`, `{}`, "payload: source: want a string, got object"},
		{stops, `false`, `"no"`, "payload: stop_hook_active: want a boolean, got string"},
		{stops, `"x"`, `7`, "payload: last_assistant_message: want a string, got number"},
		{childEnds, `"agent_id":"a",`, ``, "payload: agent_id: missing"},
		{childEnds, `false`, `0`, "payload: stop_hook_active: want a boolean, got number"},
		{asks, `"tool_name":"Bash",`, ``, "payload: tool_name: missing"},
		{asks, `,"tool_input":{"command":"ls"}`, ``, "payload: tool_input: missing"},
	} {
		stdin := strings.Replace(test.stdin, test.old, test.new, 1)
		require.NotEqual(t, test.stdin, stdin)
		for _, c := range both(claudecode.Options{}) {
			served := c.Explain(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(stdin)})
			require.ErrorContains(t, served.Fault, test.want)
			for _, e := range events {
				if e.stdin == test.stdin {
					require.Equal(t, e.fault, outcomeOf(t, served.Reply), stdin)
				}
			}
		}
	}
}

// What hand-written payloads leave out is not needed. An empty prompt is one.
func TestSpareTurns(t *testing.T) {
	for _, stdin := range []string{
		`{"hook_event_name":"UserPromptSubmit","prompt":""}`,
		`{"hook_event_name":"SessionStart","source":"startup"}`,
		`{"hook_event_name":"Stop"}`,
		`{"hook_event_name":"Stop","stop_hook_active":null,"last_assistant_message":null}`,
		`{"hook_event_name":"SubagentStop","agent_id":"a"}`,
		`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`,
	} {
		for _, c := range both(claudecode.Options{}) {
			require.Empty(t, c.Serve(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(stdin)}), stdin)
		}
	}
}

// A context that is over is a fault like others, wherever there is an answer to
// give.
func TestCancelledTurns(t *testing.T) {
	ctx := cancelled(t)
	for _, e := range events {
		if e.fault != denied && e.fault != blocked {
			continue
		}
		for _, c := range both(claudecode.Options{}) {
			served := c.Explain(ctx, hostOf(t), host.Invocation{Stdin: []byte(e.stdin)})
			require.ErrorContains(t, served.Fault, "out of time")
			require.Equal(t, e.fault, outcomeOf(t, served.Reply), e.stdin)
		}
	}
}

// A subagent ends when its turn does; whoever makes the turn go on keeps it.
func TestSubagentStop(t *testing.T) {
	text := session.FromExtension("guardian", "go on")
	for name, test := range map[string]struct {
		turn, end func(session.Live) error
		outcome   string // told of the end; empty if it is not told
		want      string
	}{
		"nobody":               {outcome: subagent.Completed},
		"the turn goes on":     {turn: func(l session.Live) error { return l.Steer(text) }, want: `"block"`},
		"it goes on":           {end: func(l session.Live) error { return l.Steer(text) }, outcome: subagent.Completed, want: `"block"`},
		"the turn is halted":   {turn: func(l session.Live) error { return l.Halt("h") }, outcome: subagent.Aborted, want: `"stopReason":"h"`},
		"a fault in the turn":  {turn: func(session.Live) error { return errBroken }, outcome: subagent.Failed, want: "agent/turn-stopping: extension guardian: rule.lua:7"},
		"a fault at the end":   {end: func(session.Live) error { return errBroken }, outcome: subagent.Completed, want: "subagent/end: extension guardian: rule.lua:7"},
		"a fault, and a steer": {turn: func(session.Live) error { return errBroken }, end: func(l session.Live) error { return l.Steer(text) }, outcome: subagent.Failed, want: "dsh lets this end"},
	} {
		for _, c := range both(claudecode.Options{}) {
			t.Run(name+"/"+c.Name(), func(t *testing.T) {
				var told string
				act := func(do func(session.Live) error, l session.Live) error {
					if do == nil {
						return nil
					}
					return do(l)
				}
				h := hostOf(t, func(in *point.Installer) {
					agent.OnTurnStopping.Handle(in, func(_ context.Context, s agent.Stopping) error {
						require.Equal(t, "a", s.Session.Agent.ID)
						return act(test.turn, s.Live)
					})
					subagent.OnEnd.Handle(in, func(_ context.Context, e subagent.Ended) error {
						told = e.Outcome
						return act(test.end, e.Live)
					})
				})
				reply := c.Serve(t.Context(), h, host.Invocation{Stdin: []byte(childEnds)})
				checkTotal(t, reply)
				require.Equal(t, test.outcome, told)
				require.Contains(t, string(reply.Stdout), test.want)
				require.Equal(t, test.want == "", len(reply.Stdout) == 0)
			})
		}
	}
}

// A grant answers for the user only where whoever starts the command says so; a
// refusal always does.
func TestApproves(t *testing.T) {
	for name, test := range map[string]struct {
		say      tool.ApprovalDecision
		approves bool
		want     string
		said     tool.ApprovalDecision
	}{
		"grant":                {tool.Grant{}, true, `"behavior":"allow"`, tool.Grant{}},
		"grant that is none":   {tool.Grant{}, false, `{"systemMessage":"dsh: a policy approves this call; it does not count, `, tool.Pass{}},
		"refusal":              {tool.Refuse{Reason: "no"}, false, `"behavior":"deny","message":"no"`, tool.Refuse{Reason: "no"}},
		"refusal, if they may": {tool.Refuse{Reason: "no"}, true, `"behavior":"deny","message":"no"`, tool.Refuse{Reason: "no"}},
		"pass":                 {tool.Pass{}, false, "", tool.Pass{}},
	} {
		for _, c := range both(claudecode.Options{Approves: test.approves}) {
			t.Run(name+"/"+c.Name(), func(t *testing.T) {
				h := hostOf(t, func(in *point.Installer) {
					tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
						return test.say, nil
					})
				})
				served := c.Explain(t.Context(), h, host.Invocation{Stdin: []byte(asks)})
				require.Contains(t, string(served.Reply.Stdout), test.want)
				require.Equal(t, test.said, served.Decision)
				require.NoError(t, served.Fault)
				require.Equal(t, test.said == tool.ApprovalDecision(tool.Grant{}), strings.Contains(string(served.Reply.Stdout), `"allow"`))
			})
		}
	}
}
