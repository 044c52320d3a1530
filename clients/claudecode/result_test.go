package claudecode_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	printed  = `{"stdout":"secret","stderr":"warning","interrupted":false,"isImage":false,"noOutputExpected":false}`
	fileText = `{"type":"text","file":{"filePath":"/a","content":"secret\nx\n","numLines":3,"startLine":7,"totalLines":30}}`
	report   = `{"status":"completed","agentId":"a1","content":[{"type":"text","text":"secret"}],"totalTokens":12}`
	blocks   = `[{"type":"text","text":"secret"}]`
	unknown  = `{"filenames":["secret"]}`
)

var (
	ranBash  = after("Bash", `{"command":"ls"}`, printed)
	ranRead  = after("Read", `{"file_path":"/a"}`, fileText)
	ranAgent = after("Agent", `{"prompt":"p"}`, report)
	ranMCP   = after("mcp__rig__echo", `{}`, blocks)
	ranGrep  = after("Grep", `{"pattern":"x"}`, unknown)
)

func texts(list ...string) (parts []session.Part) {
	for _, s := range list {
		parts = append(parts, session.Text{Text: s})
	}
	return parts
}

func accept(v string) tool.Accept { return tool.Accept{Value: parsed(v)} }

func parsed(s string) value.Value {
	v, err := value.ParseString(s)
	if err != nil {
		panic(err)
	}
	return v
}

const (
	postSpecific = `"hookSpecificOutput":{"hookEventName":"PostToolUse",`
	notWithheld  = `the result itself could not be withheld: the shape in which its tool returns it is not known`
	notTaken     = `{"decision":"block","reason":"dsh withholds this result because it could not be judged: accept: the client would not take this in place of a result of `
)

var (
	no   = tool.Block{Feedback: texts("no")}
	seen = tool.Accept{Content: texts("seen", "too")}
)

var results = []struct {
	name, stdin string
	decision    tool.PostDecision
	want, note  string
}{
	{"accept", ranBash, tool.Accept{}, "", ""},
	{"accept with a context", ranBash, tool.Accept{Contexts: contexts("c", "d")}, `{` + postSpecific + `"additionalContext":"c\nd"}}`, ""},
	{
		"block Bash", ranBash, no,
		`{"decision":"block","reason":"no",` + postSpecific + `"updatedToolOutput":{"stdout":"no","stderr":"","interrupted":false,"isImage":false}}}`, "",
	},
	{
		"block with contexts", ranBash,
		tool.Block{Feedback: texts("no"), Contexts: contexts("c")},
		`{"decision":"block","reason":"no",` + postSpecific + `"additionalContext":"c","updatedToolOutput":{"stdout":"no","stderr":"","interrupted":false,"isImage":false}}}`, "",
	},
	{
		"block without feedback", ranMCP,
		tool.Block{},
		`{"decision":"block","reason":"the result is withheld by a policy that gives no reason",` + postSpecific + `"updatedToolOutput":[{"type":"text","text":"the result is withheld by a policy that gives no reason"}]}}`, "",
	},
	{
		"block Read", ranRead,
		tool.Block{Feedback: texts("a", "b")},
		`{"decision":"block","reason":"a\nb",` + postSpecific + `"updatedToolOutput":{"type":"text","file":{"filePath":"/a","content":"a\nb","numLines":2,"startLine":1,"totalLines":2}}}}`, "",
	},
	{
		"block Agent", ranAgent, no,
		`{"decision":"block","reason":"no",` + postSpecific + `"updatedToolOutput":{"status":"completed","agentId":"a1","content":[{"type":"text","text":"no"}],"totalTokens":12}}}`, "",
	},
	{"block MCP", ranMCP, no, `{"decision":"block","reason":"no",` + postSpecific + `"updatedToolOutput":[{"type":"text","text":"no"}]}}`, ""},
	{
		"block a picture", ranMCP,
		tool.Block{Feedback: []session.Part{session.Image{MediaType: "image/png", Data: "AA=="}}},
		`{"decision":"block","reason":"[image content]",` + postSpecific + `"updatedToolOutput":[{"type":"text","text":"[image content]"}]}}`, "",
	},
	{"block an unknown shape", ranGrep, no, `{"decision":"block","reason":"no\n(` + notWithheld + `)"}`, "dsh: claude-code: Grep: " + notWithheld + "\n"},
	{"block Bash in a new shape", after("Bash", `{"command":"ls"}`, `"text"`), no, `{"decision":"block","reason":"no\n(` + notWithheld + `)"}`, "dsh: claude-code: Bash: " + notWithheld + "\n"},
	{
		"block a picture that was read", after("Read", `{"file_path":"/a"}`, `{"type":"image","file":{"base64":"AA=="}}`), no,
		`{"decision":"block","reason":"no\n(` + notWithheld + `)"}`, "dsh: claude-code: Read: " + notWithheld + "\n",
	},
	{
		"block a reading of another type", after("Read", `{"file_path":"/a"}`, `{"type":"notebook","file":{"content":"secret"}}`), no,
		`{"decision":"block","reason":"no\n(` + notWithheld + `)"}`, "dsh: claude-code: Read: " + notWithheld + "\n",
	},
	{"content for Bash", ranBash, seen, `{` + postSpecific + `"updatedToolOutput":{"stdout":"seen\ntoo","stderr":"","interrupted":false,"isImage":false}}}`, ""},
	{"no content for Bash", ranBash, tool.Accept{Content: []session.Part{}}, `{` + postSpecific + `"updatedToolOutput":{"stdout":"","stderr":"","interrupted":false,"isImage":false}}}`, ""},
	{"content for MCP", ranMCP, seen, `{` + postSpecific + `"updatedToolOutput":[{"type":"text","text":"seen\ntoo"}]}}`, ""},
	{"content for an unknown shape", ranGrep, seen, notTaken + `Grep\n(` + notWithheld + `)"}`, "dsh: claude-code: Grep: " + notWithheld + "\n"},
	{
		"a picture as content", ranMCP,
		tool.Accept{Content: []session.Part{session.Image{}}},
		`{"decision":"block","reason":"dsh withholds this result because it could not be judged: accept.content: a hook of this client can only put text in place of a result",` + postSpecific +
			`"updatedToolOutput":[{"type":"text","text":"dsh withholds this result because it could not be judged: accept.content: a hook of this client can only put text in place of a result"}]}}`, "",
	},
	{
		"value for Bash", ranBash, accept(`{"stdout":"clean"}`),
		`{` + postSpecific + `"updatedToolOutput":{"stdout":"clean","stderr":"warning","interrupted":false,"isImage":false,"noOutputExpected":false}}}`, "",
	},
	{"text value for Bash", ranBash, accept(`"clean"`), `{` + postSpecific + `"updatedToolOutput":{"stdout":"clean","stderr":"","interrupted":false,"isImage":false}}}`, ""},
	{
		"nested value for Read", ranRead, accept(`{"file":{"content":"clean"}}`),
		`{` + postSpecific + `"updatedToolOutput":{"type":"text","file":{"filePath":"/a","content":"clean","numLines":3,"startLine":7,"totalLines":30}}}}`, "",
	},
	{"value for MCP", ranMCP, accept(`{"any":1.50}`), `{` + postSpecific + `"updatedToolOutput":{"any":1.50}}}`, ""},
	{"null for MCP", ranMCP, accept(`null`), `{` + postSpecific + `"updatedToolOutput":null}}`, ""},
	{"value for an unknown shape", ranGrep, accept(`{"filenames":[]}`), notTaken + `Grep\n(` + notWithheld + `)"}`, "dsh: claude-code: Grep: " + notWithheld + "\n"},
}

func TestPostToolUse(t *testing.T) {
	for _, test := range results {
		t.Run(test.name, func(t *testing.T) {
			r := explain(t, test.stdin, post(test.decision)).Reply
			require.Equal(t, test.note, string(r.Stderr))
			r.Stderr = nil
			checkReply(t, r, test.want)
		})
	}
}

// A value that would not fit in the tool's own shape is a fault: the client
// would ignore it in silence and show the original.
func TestValueOfAnotherShape(t *testing.T) {
	for _, v := range []string{`{"stdout":1}`, `{"nope":"x"}`, `null`, `[]`, `7`, `{"stdout":null}`} {
		served := explain(t, ranBash, post(accept(v)))
		require.Error(t, served.Fault, v)
		require.IsType(t, tool.Block{}, served.Decision, v)
		require.NotContains(t, string(served.Reply.Stdout), "secret", v)
		require.Contains(t, string(served.Reply.Stdout), `"decision":"block"`, v)
	}
}

func TestPostToolUseEffects(t *testing.T) {
	served := explain(t, ranBash, func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			if err := d.Live.Tell("human"); err != nil {
				return nil, err
			}
			return next(ctx)
		})
		tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error {
			if err := d.Live.Halt(" "); err != nil {
				return err
			}
			return d.Live.Inject(session.FromExtension("x", "model"))
		})
	})
	checkReply(t, served.Reply, `{"continue":false,"stopReason":"the turn was ended by a policy that gives no reason","systemMessage":"human",`+
		postSpecific+`"additionalContext":"model"}}`)
}

// tools/result is told what became of the result; its failures are said and
// change nothing.
func TestResultIsTold(t *testing.T) {
	for _, test := range []struct {
		decision tool.PostDecision
		want     tool.Result
	}{
		{tool.Accept{}, tool.Success{Value: parsed(printed), Content: texts("secret\nwarning")}},
		{tool.Accept{Content: texts("x")}, tool.Success{Value: parsed(printed), Content: texts("x")}},
		{accept(`"y"`), tool.Success{Value: value.OfString("y"), Content: texts("y")}},
		{tool.Block{Feedback: texts("no", "way")}, tool.Failure{Message: "no\nway", Content: texts("no", "way")}},
	} {
		var told tool.Done
		served := explain(t, ranBash, post(test.decision), func(in *point.Installer) {
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error {
				told = d
				return context.Canceled
			})
		})
		require.NoError(t, served.Fault)
		require.Equal(t, test.want, told.Result)
		require.EqualValues(t, 12, told.DurationMS)
		require.Equal(t, "dsh: claude-code: tools/result: extension policy: context canceled\n", string(served.Reply.Stderr))
	}
}
