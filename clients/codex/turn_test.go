package codex_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

const head = `{"session_id":"s1","turn_id":"u1","transcript_path":null,"cwd":"/home/dev/app","model":"m","permission_mode":"default","later":[1],`

// The events around a turn, as the client sends them, with a field that nobody
// knows yet.
const (
	prompted  = head + `"hook_event_name":"UserPromptSubmit","prompt":"hello"}`
	begins    = head + `"hook_event_name":"SessionStart","source":"startup"}`
	stops     = head + `"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null}`
	stopsOnce = head + `"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}`
	childEnds = head + `"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a1","agent_type":"default","last_assistant_message":"found"}`
	asks      = head + `"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls","description":"why"}}`
)

func step(d agent.StepDecision) policy {
	return func(in *point.Installer) {
		agent.PreStep.Handle(in, func(context.Context, agent.Step, point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			return d, nil
		})
	}
}

func entered(enter func([]session.Message) []session.Message) policy {
	return func(in *point.Installer) {
		agent.PreStep.Handle(in, func(_ context.Context, s agent.Step, _ point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			return agent.Enter{Messages: enter(s.Messages)}, nil
		})
	}
}

func approve(d tool.ApprovalDecision) policy {
	return func(in *point.Installer) {
		tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			return d, nil
		})
	}
}

// acts does things to the session at every event around a turn.
func acts(list ...func(session.Live) error) policy {
	do := func(l session.Live) error {
		for _, f := range list {
			if err := f(l); err != nil {
				return err
			}
		}
		return nil
	}
	return func(in *point.Installer) {
		agent.PreStep.Handle(in, func(ctx context.Context, s agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			if err := do(s.Live); err != nil {
				return nil, err
			}
			return next(ctx)
		})
		tool.OnApprove.Handle(in, func(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			if err := do(a.Live); err != nil {
				return nil, err
			}
			return next(ctx)
		})
		agent.OnSessionStart.Handle(in, func(_ context.Context, s agent.Started) error { return do(s.Live) })
		agent.OnTurnStopping.Handle(in, func(_ context.Context, s agent.Stopping) error { return do(s.Live) })
		subagent.OnEnd.Handle(in, func(_ context.Context, e subagent.Ended) error { return do(e.Live) })
	}
}

func tell(l session.Live) error   { return l.Tell("psst") }
func halt(l session.Live) error   { return l.Halt("enough") }
func inject(l session.Live) error { return l.Inject(session.FromExtension("p", "note")) }
func steer(l session.Live) error  { return l.Steer(session.FromExtension("p", "go on")) }
func fail(session.Live) error     { return errors.New("oops") }

func answer(decision string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":` + decision + `}}`
}

const endsAnyway = `{"systemMessage":"dsh lets this end, although a policy wants it to go on: policies made it go on before, and this client sets no bound of its own"}`

var turnAnswers = []struct {
	name     string
	stdin    string
	policies []policy
	want     string // without the line feed
}{
	{"prompt: nobody", prompted, nil, ""},
	{"prompt: reject", prompted, []policy{step(agent.Reject{Reason: "no"})}, `{"decision":"block","reason":"no"}`},
	{
		"prompt: reject with a blank reason", prompted,
		[]policy{step(agent.Reject{Reason: "\n"})},
		`{"decision":"block","reason":"the prompt is blocked by a policy that gives no reason"}`,
	},
	{
		"prompt: addition", prompted,
		[]policy{entered(func(m []session.Message) []session.Message {
			return append(slices.Clone(m), session.FromExtension("p", "note"))
		})},
		`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"note"}}`,
	},
	{
		"prompt: removed", prompted,
		[]policy{entered(func([]session.Message) []session.Message { return nil })},
		`{"decision":"block","reason":"dsh blocks this prompt because it could not be judged: enter.messages: this client's hooks cannot change or remove what the human wrote"}`,
	},
	{"prompt: halt and tell", prompted, []policy{acts(halt, tell)}, `{"continue":false,"stopReason":"enough","systemMessage":"psst"}`},
	{"prompt: fault", prompted, []policy{acts(fail)}, `{"decision":"block","reason":"dsh blocks this prompt because it could not be judged: agent/pre-step: extension policy: oops"}`},

	{"start: inject", begins, []policy{acts(inject)}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"note"}}`},
	{"start: halt", begins, []policy{acts(halt)}, `{"continue":false,"stopReason":"enough"}`},

	{"stop: nobody", stops, nil, ""},
	{"stop: steer", stops, []policy{acts(steer)}, `{"decision":"block","reason":"go on"}`},
	{"stop: inject makes it go on too", stops, []policy{acts(inject)}, `{"decision":"block","reason":"note"}`},
	{"stop: inject and steer", stops, []policy{acts(steer, inject)}, `{"decision":"block","reason":"note\ngo on"}`},
	{"stop: halt beats steer", stops, []policy{acts(steer, halt)}, `{"continue":false,"stopReason":"enough"}`},
	{"stop: steer again", stopsOnce, []policy{acts(steer)}, endsAnyway},
	{"stop: fault", stops, []policy{acts(steer, fail)}, `{"systemMessage":"dsh lets this end although it could not be judged: agent/turn-stopping: extension policy: oops"}`},

	{"subagent: steer", childEnds, []policy{acts(steer)}, `{"decision":"block","reason":"go on"}`},
	{"subagent: fault", childEnds, []policy{acts(fail, tell)}, `{"systemMessage":"dsh lets this end although it could not be judged: agent/turn-stopping: extension policy: oops"}`},

	{"permission: nobody", asks, nil, ""},
	{"permission: pass", asks, []policy{approve(tool.Pass{})}, ""},
	{"permission: grant", asks, []policy{approve(tool.Grant{})}, answer(`{"behavior":"allow"}`)},
	{"permission: refuse", asks, []policy{approve(tool.Refuse{Reason: "no"})}, answer(`{"behavior":"deny","message":"no"}`)},
	{"permission: refuse without a reason", asks, []policy{approve(tool.Refuse{})}, answer(`{"behavior":"deny","message":"denied by a policy that gives no reason"}`)},
	{"permission: tell", asks, []policy{acts(tell)}, `{"systemMessage":"psst"}`},
	{
		"permission: halt", asks,
		[]policy{acts(halt)},
		answer(`{"behavior":"deny","message":"dsh denies this call because it could not be judged: tools/approve: extension policy: halt: this client cannot do that"}`),
	},
}

func TestTurn(t *testing.T) {
	for _, test := range turnAnswers {
		t.Run(test.name, func(t *testing.T) {
			served := explain(t, test.stdin, test.policies...)
			require.Equal(t, test.want, strings.TrimSuffix(string(served.Reply.Stdout), "\n"))
			require.Equal(t, test.want == endsAnyway, len(served.Reply.Stderr) > 0)
			require.Zero(t, served.Reply.Exit)
		})
	}
}

// The client would let policies make a turn go on for ever. Where it is
// remembered how often they did, they can eight times a turn; each subagent and
// each turn has its own count.
func TestGoingOnIsBounded(t *testing.T) {
	handlers := new(point.Registry)
	_, err := handlers.Install(acts(steer))
	require.NoError(t, err)
	seen := map[string]bool{}
	first := func(what string) bool {
		known := seen[what]
		seen[what] = true
		return !known
	}
	command := codex.New(codex.Options{Resolve: same, First: first})
	serve := func(stdin string) string {
		h := host.Host{Run: point.Run{Handlers: handlers}, Fires: codex.Points()}
		return strings.TrimSuffix(string(command.Serve(t.Context(), h, invocation(stdin)).Stdout), "\n")
	}
	for _, stdin := range []string{stopsOnce, strings.Replace(stopsOnce, "u1", "u2", 1), childEnds, strings.Replace(childEnds, "a1", "a2", 1)} {
		for n := range 8 {
			require.JSONEq(t, `{"decision":"block","reason":"go on"}`, serve(stdin), fmt.Sprint(n))
		}
		require.JSONEq(t, endsAnyway, serve(stdin))
		require.JSONEq(t, endsAnyway, serve(stdin))
	}
}

// Where nothing can be remembered, a turn goes on once.
func TestGoingOnUnremembered(t *testing.T) {
	forgetful := func(string) bool { return true }
	for _, first := range []func(string) bool{nil, forgetful} {
		handlers := new(point.Registry)
		_, err := handlers.Install(acts(steer))
		require.NoError(t, err)
		h := host.Host{Run: point.Run{Handlers: handlers}, Fires: codex.Points()}
		command := codex.New(codex.Options{First: first})
		require.Contains(t, string(command.Serve(t.Context(), h, invocation(stops)).Stdout), `"block"`)
		require.Contains(t, string(command.Serve(t.Context(), h, invocation(stopsOnce)).Stdout), "dsh lets this end")
	}
	anonymous := strings.Replace(stopsOnce, `"turn_id":"u1",`, "", 1)
	require.Contains(t, string(explain(t, anonymous, acts(steer)).Reply.Stdout), "dsh lets this end")
}
