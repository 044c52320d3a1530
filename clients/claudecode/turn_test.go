package claudecode_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

const head = `{"session_id":"s1","cwd":"/home/dev/app","permission_mode":"default","later":{"x":1},`

// The events around a turn, as the client sends them, with a field that nobody
// knows yet.
const (
	prompted  = head + `"hook_event_name":"UserPromptSubmit","prompt":"hello"}`
	begins    = head + `"hook_event_name":"SessionStart","source":"startup"}`
	stops     = head + `"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[]}`
	stopsOnce = head + `"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}`
	childEnds = head + `"agent_id":"a1","agent_type":"Explore","hook_event_name":"SubagentStop","stop_hook_active":true,"last_assistant_message":"found"}`
	asks      = head + `"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"},"permission_suggestions":[]}`
)

// step answers a prompt.
func step(d agent.StepDecision) policy {
	return func(in *point.Installer) {
		agent.PreStep.Handle(in, func(context.Context, agent.Step, point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			return d, nil
		})
	}
}

// entered answers a prompt with what enter makes of the proposed messages.
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

// acts does something to the session at every event around a turn.
func acts(do func(session.Live) error) policy {
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
func inject(l session.Live) error { return l.Inject(session.FromExtension("p", "note")) }
func steer(l session.Live) error  { return l.Steer(session.FromExtension("p", "go on")) }

func several(do ...func(session.Live) error) policy {
	return acts(func(l session.Live) error {
		for _, f := range do {
			if err := f(l); err != nil {
				return err
			}
		}
		return nil
	})
}

func said(texts ...string) (list []session.Message) {
	for _, s := range texts {
		list = append(list, session.FromExtension("p", s))
	}
	return list
}

func specificOf(event string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",`
}

const cannotJudge = `dsh blocks this prompt because it could not be judged: `

var turnAnswers = []struct {
	name     string
	stdin    string
	policies []policy
	want     string // without the line feed
}{
	{"prompt: nobody", prompted, []policy{nobody}, ""},
	{"prompt: enters", prompted, []policy{entered(func(m []session.Message) []session.Message { return m })}, ""},
	{"prompt: reject", prompted, []policy{step(agent.Reject{Reason: "no <b>"})}, `{"decision":"block","reason":"no <b>"}`},
	{
		"prompt: reject with a blank reason", prompted,
		[]policy{step(agent.Reject{Reason: " "})},
		`{"decision":"block","reason":"the prompt is blocked by a policy that gives no reason"}`,
	},
	{
		"prompt: additions before and behind", prompted,
		[]policy{entered(func(m []session.Message) []session.Message { return slices.Concat(said("a"), m, said("b", "c")) })},
		specificOf("UserPromptSubmit") + `"additionalContext":"a\nb\nc"}}`,
	},
	{
		"prompt: changed", prompted,
		[]policy{entered(func(m []session.Message) []session.Message {
			m = slices.Clone(m)
			m[0].Content = []session.Part{session.Text{Text: "hell"}}
			return m
		})},
		`{"decision":"block","reason":"` + cannotJudge + `enter.messages: this client's hooks cannot change or remove what the human wrote"}`,
	},
	{
		"prompt: removed", prompted,
		[]policy{entered(func([]session.Message) []session.Message { return said("instead") })},
		`{"decision":"block","reason":"` + cannotJudge + `enter.messages: this client's hooks cannot change or remove what the human wrote"}`,
	},
	{
		"prompt: words in the model's mouth", prompted,
		[]policy{entered(func(m []session.Message) []session.Message {
			return append(slices.Clone(m), session.Message{Role: session.RoleAssistant, Content: []session.Part{session.Text{Text: "yes"}}})
		})},
		`{"decision":"block","reason":"` + cannotJudge + `enter.messages: this client's hooks cannot speak for the model"}`,
	},
	{
		"prompt: a picture", prompted,
		[]policy{acts(picture)},
		`{"decision":"block","reason":"` + cannotJudge + `inject: this client's hooks can only inject text"}`,
	},
	{"prompt: inject and tell", prompted, []policy{several(inject, tell)}, `{"systemMessage":"psst",` + specificOf("UserPromptSubmit")[1:] + `"additionalContext":"note"}}`},
	{"prompt: halt", prompted, []policy{acts(halt)}, `{"continue":false,"stopReason":"enough"}`},
	{"prompt: halt and reject", prompted, []policy{acts(halt), step(agent.Reject{Reason: "no"})}, `{"decision":"block","reason":"no"}`},
	{
		"prompt: steer", prompted,
		[]policy{acts(steer)},
		`{"decision":"block","reason":"` + cannotJudge + `agent/pre-step: extension policy: steer: this client cannot do that"}`,
	},

	{"start: nobody", begins, []policy{nobody}, ""},
	{"start: inject and tell", begins, []policy{several(inject, tell)}, `{"systemMessage":"psst",` + specificOf("SessionStart")[1:] + `"additionalContext":"note"}}`},

	{"stop: nobody", stops, []policy{nobody}, ""},
	{"stop: steer", stops, []policy{acts(steer)}, `{"decision":"block","reason":"go on"}`},
	{"stop: steer again", stopsOnce, []policy{acts(steer)}, `{"decision":"block","reason":"go on"}`},
	{"stop: two steer", stops, []policy{acts(steer), acts(steer)}, `{"decision":"block","reason":"go on\ngo on"}`},
	{
		"stop: steer with a blank text", stops,
		[]policy{acts(func(l session.Live) error { return l.Steer(session.FromExtension("p", " \n")) })},
		`{"decision":"block","reason":"a policy wants this turn to go on and gives no reason"}`,
	},
	{"stop: inject alone", stops, []policy{acts(inject)}, specificOf("Stop") + `"additionalContext":"note"}}`},
	{
		"stop: inject and steer", stops,
		[]policy{several(inject, steer)},
		`{"decision":"block","reason":"go on",` + specificOf("Stop")[1:] + `"additionalContext":"note"}}`,
	},
	{"stop: halt beats steer", stops, []policy{several(steer, halt, tell)}, `{"continue":false,"stopReason":"enough","systemMessage":"psst"}`},
	{
		"stop: a fault lets it stop", stops,
		[]policy{several(steer, tell), acts(func(session.Live) error { return errors.New("oops") })},
		`{"systemMessage":"psst\ndsh lets this end although it could not be judged: agent/turn-stopping: extension policy: oops"}`,
	},
	{
		"stop: a picture", stops,
		[]policy{acts(picture)},
		`{"systemMessage":"dsh lets this end although it could not be judged: inject: this client's hooks can only inject text"}`,
	},

	{"subagent: nobody", childEnds, []policy{nobody}, ""},
	{"subagent: steer", childEnds, []policy{acts(steer)}, `{"decision":"block","reason":"go on"}`},
	{"subagent: inject alone", childEnds, []policy{acts(inject)}, specificOf("SubagentStop") + `"additionalContext":"note"}}`},
	{"subagent: halt", childEnds, []policy{several(steer, halt)}, `{"continue":false,"stopReason":"enough"}`},
	{
		"subagent: a fault lets it stop", childEnds,
		[]policy{acts(steer), acts(func(session.Live) error { panic("oops") })},
		`{"systemMessage":"dsh lets this end although it could not be judged: agent/turn-stopping: extension policy: panic: oops"}`,
	},

	{"permission: nobody", asks, []policy{nobody}, ""},
	{"permission: pass", asks, []policy{approve(tool.Pass{})}, ""},
	{"permission: grant", asks, []policy{approve(tool.Grant{})}, specificOf("PermissionRequest") + `"decision":{"behavior":"allow"}}}`},
	{"permission: refuse", asks, []policy{approve(tool.Refuse{Reason: "no"})}, specificOf("PermissionRequest") + `"decision":{"behavior":"deny","message":"no"}}}`},
	{
		"permission: refuse without a reason", asks,
		[]policy{approve(tool.Refuse{})},
		specificOf("PermissionRequest") + `"decision":{"behavior":"deny","message":"denied by a policy that gives no reason"}}}`,
	},
	{"permission: refuse and tell", asks, []policy{acts(tell), approve(tool.Refuse{Reason: "no"})}, `{"systemMessage":"psst",` + specificOf("PermissionRequest")[1:] + `"decision":{"behavior":"deny","message":"no"}}}`},
	{"permission: tell", asks, []policy{acts(tell)}, `{"systemMessage":"psst"}`},
	{"permission: halt", asks, []policy{acts(halt)}, specificOf("PermissionRequest") + `"decision":{"behavior":"deny","message":"enough","interrupt":true}}}`},
	{"permission: halt and refuse", asks, []policy{acts(halt), approve(tool.Refuse{Reason: "no"})}, specificOf("PermissionRequest") + `"decision":{"behavior":"deny","message":"no","interrupt":true}}}`},
	{
		"permission: inject", asks,
		[]policy{acts(inject)},
		specificOf("PermissionRequest") + `"decision":{"behavior":"deny","message":"dsh denies this call because it could not be judged: tools/approve: extension policy: inject: this client cannot do that"}}}`,
	},
}

func TestTurn(t *testing.T) {
	for _, test := range turnAnswers {
		t.Run(test.name, func(t *testing.T) { checkReply(t, explain(t, test.stdin, test.policies...).Reply, test.want) })
	}
}

// Nobody can refuse that a session begins: a fault is a line for the log, and
// what others say is said.
func TestFaultAtSessionStart(t *testing.T) {
	for name, do := range map[string]func(session.Live) error{
		"agent/session-start: extension policy: oops":                              func(session.Live) error { return errors.New("oops") },
		"agent/session-start: extension policy: halt: this client cannot do that":  halt,
		"inject: this client's hooks can only inject text":                         picture,
		"agent/session-start: extension policy: steer: this client cannot do that": steer,
	} {
		served := explain(t, begins, acts(tell), acts(do))
		require.JSONEq(t, `{"systemMessage":"psst"}`, string(served.Reply.Stdout), name)
		require.Equal(t, "dsh: claude-code: "+name+"\n", string(served.Reply.Stderr))
		require.Zero(t, served.Reply.Exit)
		require.ErrorContains(t, served.Fault, name)
	}
}

// What the handlers are told.
func TestTurnPayloads(t *testing.T) {
	var seen []any
	look := func(in *point.Installer) {
		agent.PreStep.Handle(in, func(ctx context.Context, s agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			s.Live, s.Session = nil, session.Ref{}
			seen = append(seen, s)
			return next(ctx)
		})
		agent.OnSessionStart.Handle(in, func(_ context.Context, s agent.Started) error { seen = append(seen, s.Source); return nil })
		agent.OnTurnStopping.Handle(in, func(_ context.Context, s agent.Stopping) error {
			s.Live, s.Session = nil, session.Ref{}
			seen = append(seen, s)
			return nil
		})
		subagent.OnEnd.Handle(in, func(_ context.Context, e subagent.Ended) error {
			require.Nil(t, e.Session.Agent, "it is that of the agent that it works for")
			e.Live, e.Session = nil, session.Ref{}
			seen = append(seen, e)
			return nil
		})
		tool.OnApprove.Handle(in, func(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			seen = append(seen, a.Call.Action)
			return next(ctx)
		})
	}
	for _, stdin := range []string{prompted, begins, stops, stopsOnce, childEnds, asks} {
		require.Empty(t, explain(t, stdin, look).Reply)
	}
	human := session.Message{Role: session.RoleUser, Content: []session.Part{session.Text{Text: "hello"}}, Source: session.User{}}
	require.Equal(t, []any{
		agent.Step{Messages: []session.Message{human}, Prompt: "hello"},
		"startup",
		agent.Stopping{Reason: "completed", LastMessage: "done"},
		agent.Stopping{Reason: "completed", LastMessage: "done", StopActive: true, Stops: 1},
		agent.Stopping{Reason: "completed", LastMessage: "found", StopActive: true, Stops: 1},
		subagent.Ended{ID: "a1", Type: "Explore", Outcome: "completed", LastMessage: "found", StopActive: true},
		tool.Shell{Command: "ls", Cwd: "/home/dev/app"},
	}, seen)
}
