package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Input that is no payload refuses by its exit status: whose event it is cannot
// be known.
func TestUndecodable(t *testing.T) {
	for name, test := range map[string]struct{ stdin, want string }{
		"empty":            {"", "line 1, column 1: want a value, got end of text"},
		"blank":            {" \n\t", "want a value, got end of text"},
		"truncated":        {before[:63], "string without an end"},
		"cut at the end":   {before[:len(before)-1], "want ',' or '}', got end of text"},
		"list":             {"[" + before + "]", "want an object, got list"},
		"string":           {`"x"`, "want an object, got string"},
		"null":             {"null", "want an object, got null"},
		"two objects":      {before + "\n" + before, "after the value"},
		"raw NUL":          {strings.Replace(before, "ls", "l\x00s", 1), "control character"},
		"NUL alone":        {"\x00", "want a value"},
		"byte order mark":  {"\uFEFF" + before, "want a value, got '\\ufeff'"},
		"20,000 brackets":  {strings.Repeat("[", 20_000), "nested deeper than"},
		"20,000 objects":   {strings.Repeat(`{"a":`, 20_000), "nested deeper than"},
		"no event":         {`{"tool_name":"Bash","tool_input":{}}`, "hook_event_name: missing"},
		"empty event":      {`{"hook_event_name":""}`, "hook_event_name: missing"},
		"event of a kind":  {`{"hook_event_name":7}`, "hook_event_name: want a string, got number"},
		"event of a list":  {`{"hook_event_name":["PreToolUse"]}`, "want a string, got list"},
		"unknown event":    {`{"hook_event_name":"BeforeTime"}`, `"BeforeTime" is no event of`},
		"event, own lines": {`{"hook_event_name":"Pre\nToolUse\u0000"}`, `"Pre\nToolUse\x00" is no event of`},
		"case":             {`{"hook_event_name":"pretooluse"}`, "is no event of"},
		"event given twice": {
			`{"hook_event_name":"PreToolUse","hook_event_name":"Nope"}`, `"Nope" is no event of`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range both(claudecode.Options{}) {
				served := c.Explain(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(test.stdin)})
				checkTotal(t, served.Reply)
				require.Equal(t, 2, served.Reply.Exit)
				require.Contains(t, string(served.Reply.Stderr), "dsh: "+c.Name()+": payload: ")
				require.Contains(t, string(served.Reply.Stderr), test.want)
				require.Empty(t, served.Event)
				require.Nil(t, served.Decision)
			}
		})
	}
}

// A payload whose event is known refuses in the client's own words.
func TestUnreadableFields(t *testing.T) {
	for _, test := range []struct{ stdin, old, new, want string }{
		{before, `"tool_name":"Bash",`, ``, "payload: tool_name: missing"},
		{before, `"Bash"`, `""`, "payload: tool_name: missing"},
		{before, `"Bash"`, `null`, "payload: tool_name: missing"},
		{before, `"Bash"`, `["Bash"]`, "payload: tool_name: want a string, got list"},
		{before, `"tool_input":{"command":"ls"},`, ``, "payload: tool_input: missing"},
		{before, `{"command":"ls"}`, `"ls"`, "payload: tool_input: want an object, got string"},
		{before, `{"command":"ls"}`, `["ls"]`, "payload: tool_input: want an object, got list"},
		{before, `"s1"`, `1`, "payload: session_id: want a string, got number"},
		{before, `"/w"`, `{}`, "payload: cwd: want a string, got object"},
		{before, `"c1"`, `true`, "payload: tool_use_id: want a string, got boolean"},
		{before, `"c1"`, `"c1","agent_id":5`, "payload: agent_id: want a string, got number"},
		{before, `"c1"`, `"c1","permission_mode":[]`, "payload: permission_mode: want a string, got list"},
		{after, `"tool_response":"secret",`, ``, "payload: tool_response: missing"},
		{after, `"tool_name":"Bash",`, ``, "payload: tool_name: missing"},
		{after, `"c1"`, `"c1","duration_ms":"12"`, "payload: duration_ms: want a number of milliseconds, got string"},
		{after, `"c1"`, `"c1","duration_ms":-1`, "payload: duration_ms: want a number"},
	} {
		stdin := strings.Replace(test.stdin, test.old, test.new, 1)
		require.NotEqual(t, test.stdin, stdin)
		for _, c := range both(claudecode.Options{}) {
			served := c.Explain(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(stdin)})
			require.True(t, refuses(t, served.Reply), stdin)
			require.Zero(t, served.Reply.Exit, stdin)
			require.Contains(t, string(served.Reply.Stdout), test.want)
			require.ErrorContains(t, served.Fault, test.want)
		}
	}
}

// What clients leave out, and what hand-written payloads leave out, is not
// needed to judge a call.
func TestSparePayload(t *testing.T) {
	in := host.Invocation{Stdin: []byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"transcript_path":null}`), Dir: "/started/here"}
	e, err := claudecode.New(claudecode.Options{Project: "/p"}).Decode(in)
	require.NoError(t, err)
	require.Equal(t, "/started/here", e.Session.Cwd)
	require.Equal(t, "/p", e.Session.Project)
	require.Nil(t, e.Session.Agent)
	require.Equal(t, tool.Shell{Command: "ls", Cwd: "/started/here"}, e.Proposal.Action)

	in.Env = host.Vars{"CLAUDE_PROJECT_DIR": "/env"}.Get
	e, err = claudecode.New(claudecode.Options{}).Decode(in)
	require.NoError(t, err)
	require.Equal(t, "/env", e.Session.Project)
	e, err = codex.New(codex.Options{}).Decode(in)
	require.NoError(t, err)
	require.Empty(t, e.Session.Project, "this client sets no such variable: it is another one's")
}

// A large payload is answered like a small one.
func TestLargePayload(t *testing.T) {
	stdin := strings.Replace(before, "ls", strings.Repeat(`\"<&>é\n`, 1<<17), 1)
	for _, c := range both(claudecode.Options{}) {
		require.Empty(t, c.Serve(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(stdin)}))
	}
}

func FuzzServe(f *testing.F) {
	for _, stdin := range []string{
		before, after, "", "{", `{"hook_event_name":"Stop"}`, `{"hook_event_name":"SubagentStop","agent_id":1}`,
		`{"hook_event_name":"UserPromptSubmit","prompt":"\ud800"}`, `{"hook_event_name":"SessionStart","source":null}`,
		`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":null}`, `{"hook_event_name":"PreToolUse","tool_name":7}`,
		`{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Glob","tool_input":{"pattern":"~/{a,b}/../*","path":"\u0000"}}`,
		`{"hook_event_name":"PreToolUse","cwd":"w","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"}}`,
		`{"hook_event_name":"PostToolUse","tool_name":"mcp__a__b","tool_input":{},"tool_response":[{"type":"image","source":{"data":"AA=="}}],"duration_ms":1e400}`,
	} {
		f.Add([]byte(stdin))
	}
	commands, h := both(claudecode.Options{}), hostOf(f)
	f.Fuzz(func(t *testing.T, stdin []byte) {
		for _, c := range commands {
			served := c.Explain(t.Context(), h, host.Invocation{Stdin: stdin, Dir: "/", Env: host.Vars{"HOME": "/h"}.Get})
			checkTotal(t, served.Reply)
			said := len(served.Reply.Stdout) > 0 || served.Reply.Exit == 2
			require.Equal(t, served.Fault != nil, said || served.Event == "SessionStart" && len(served.Reply.Stderr) > 0)
		}
	})
}
