package claudecode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

func load(layer claudecode.Layer, text string, lenient bool) hookproto.Config {
	return claudecode.Load([]claudecode.File{{Path: "f.json", Data: []byte(text), Layer: layer}}, claudecode.Options{Lenient: lenient})
}

func commands(handlers []hookproto.Handler) (list []string) {
	for _, h := range handlers {
		list = append(list, h.Command)
	}
	return list
}

// hooks is a file with one bad entry beside good ones of the event and of Stop.
func hooks(event, bad string) string {
	return fmt.Sprintf(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"stop"}]}],%q:[%s,{"hooks":[{"type":"command","command":"good"}]}]}}`, event, bad)
}

func TestStrictAndLenientEvents(t *testing.T) {
	t.Parallel()
	group := func(handler string) string { return `{"hooks":[` + handler + `]}` }
	for name, test := range map[string]struct {
		bad  string
		kept bool // by a lenient reader
	}{
		"no type":       {bad: group(`{"command":"x"}`)},
		"unknown type":  {bad: group(`{"type":"Command","command":"x"}`)},
		"no command":    {bad: group(`{"type":"command"}`)},
		"command":       {bad: group(`{"type":"command","command":5}`)},
		"no object":     {bad: group(`"x"`)},
		"no group":      {bad: `7`},
		"no hooks":      {bad: `{"matcher":"x"}`},
		"hooks":         {bad: `{"hooks":"x"}`},
		"matcher":       {bad: `{"matcher":5,"hooks":[{"type":"command","command":"x"}]}`},
		"null matcher":  {bad: `{"matcher":null,"hooks":[{"type":"command","command":"x"}]}`, kept: true},
		"timeout":       {bad: group(`{"type":"command","command":"x","timeout":"5"}`), kept: true},
		"zero timeout":  {bad: group(`{"type":"command","command":"x","timeout":0}`), kept: true},
		"shell":         {bad: group(`{"type":"command","command":"x","shell":"fish"}`), kept: true},
		"if":            {bad: group(`{"type":"command","command":"x","if":5}`)},
		"async":         {bad: group(`{"type":"command","command":"x","async":"yes"}`), kept: true},
		"args":          {bad: group(`{"type":"command","command":"x","args":"a"}`)},
		"args of other": {bad: group(`{"type":"command","command":"x","args":[1]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, event := range []string{"PreToolUse", "PermissionRequest"} {
				c := load(claudecode.User, hooks(event, test.bad), false)
				require.Empty(t, c.Handlers)
				require.Equal(t, hookproto.FileDropped, c.Problems[0].Severity)
				require.Equal(t, 1, c.Problems[0].At.Line)
			}
			c := load(claudecode.User, hooks("PostToolUse", test.bad), false)
			require.Equal(t, []string{"stop", "good"}, commands(c.Handlers))
			require.Equal(t, hookproto.EntrySkipped, c.Problems[0].Severity)
			want := []string{"stop", "good"}
			if test.kept {
				want = []string{"stop", "x", "good"}
			}
			c = load(claudecode.User, hooks("PreToolUse", test.bad), true)
			require.Equal(t, want, commands(c.Handlers))
			require.NotEmpty(t, c.Problems)
			require.Empty(t, load(claudecode.Plugin, hooks("PostToolUse", test.bad), false).Handlers)
		})
	}
}

// A lenient reader says what the client would do, and drops no file.
func TestLenientDropsNoFile(t *testing.T) {
	t.Parallel()
	c := load(claudecode.Project, hooks("PreToolUse", `{"hooks":[{"type":"Command","command":"x"}]}`), true)
	require.Len(t, c.Problems, 1)
	require.Equal(t, hookproto.EntrySkipped, c.Problems[0].Severity)
	require.Contains(t, c.Problems[0].Text, "would drop the whole file")
}

// A matcher that takes too long for the name of a tool is told at load.
func TestSlowMatcherIsTold(t *testing.T) {
	t.Parallel()
	c := load(claudecode.Project, `{"hooks":{"PreToolUse":[{"matcher":"^(([a-zA-Z]+)+)+$x","hooks":[{"type":"command","command":"x"}]}]}}`, false)
	require.Len(t, c.Problems, 1)
	require.Contains(t, c.Problems[0].Text, "it takes too long for")
}

func TestTolerated(t *testing.T) {
	t.Parallel()
	good := `"Stop":[{"hooks":[{"type":"command","command":"stop"}]}]`
	for text, kind := range map[string]string{
		`{"hooks":{"PreToolUse":null,` + good + `}}`:                                              "type",
		`{"hooks":{"PreToolUse":5,` + good + `}}`:                                                 "type",
		`{"hooks":{"Nope":[5],` + good + `}}`:                                                     "unknown-event",
		`{"hooks":{"PreToolUse":[{"hooks":[]}],` + good + `}}`:                                    "empty",
		`{"hooks":{"PreToolUse":[{"matcher":"(","hooks":[]}],` + good + `}}`:                      "regex",
		"\ufeff" + `{"hooks":{"x":1,` + good + `}}`:                                               "unknown-key",
		`{"hooks":{` + good + `,"PreToolUse":[]},"a":1,"a":2}`:                                    "duplicate-key",
		`{"hooks":{` + strings.Replace(good, `"command":`, `"once":true,"command":`, 1) + `}}`:    "once",
		`{"hooks":{` + strings.Replace(good, `"command":`, `"shell":"bash","command":`, 1) + `}}`: "shell",
	} {
		c := load(claudecode.User, text, false)
		require.Equal(t, []string{"stop"}, commands(c.Handlers), text)
		require.Equal(t, kind, kindOf(c, kind), text)
	}
	for _, text := range []string{`{"hooks":[]}`, `[]`, `{"hooks":{` + good + `,}}`, `{"disableAllHooks":1,"hooks":{` + good + `}}`, "", "//\n{}", "\xff\xfe{"} {
		c := load(claudecode.User, text, false)
		require.Empty(t, c.Handlers, text)
		require.Equal(t, hookproto.FileDropped, c.Problems[len(c.Problems)-1].Severity, text)
	}
	require.Empty(t, load(claudecode.User, `{"hooks":"x"}`, false).Handlers)
}

func kindOf(c hookproto.Config, kind string) string {
	for _, p := range c.Problems {
		if p.Kind == kind {
			return kind
		}
	}
	return fmt.Sprint(c.Problems)
}

func TestFields(t *testing.T) {
	t.Parallel()
	c := load(claudecode.User, `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
		{"type":"command","command":"a","timeout":0.5,"if":"Bash(git *)","async":true,"once":true,"statusMessage":"m","shell":"bash","args":["1","2"]},
		{"type":"command","command":"b","timeout":1e12},
		{"type":"mcp_tool","server":"s","tool":"t","input":{"b":1,"a":"${tool_input.x}"}},
		{"type":"http","url":"u"}]}],
		"UserPromptSubmit":[{"hooks":[{"type":"command","command":"c"}]}]}}`, false)
	require.Len(t, c.Handlers, 5)
	require.Equal(t, "once", kindOf(c, "once"))
	a := c.Handlers[0]
	require.Equal(t, "claude-code:PreToolUse:1", a.ID)
	require.Equal(t, "f.json:2", a.At.String())
	require.Equal(t, 500*time.Millisecond, a.Timeout)
	require.True(t, a.HasIf && a.Async && a.Once)
	require.Equal(t, []string{"1", "2"}, a.Args)
	require.Positive(t, c.Handlers[1].Timeout)
	inOrder := `{"b":1,"a":"${tool_input.x}"}`
	require.Equal(t, []string{inOrder}, []string{string(c.Handlers[2].Input)})
	require.NotEmpty(t, c.Handlers[3].NotRun)
	require.Equal(t, "claude-code:UserPromptSubmit:1", c.Handlers[4].ID)
	require.Equal(t, 30*time.Second, c.Handlers[4].Timeout)
}

func TestDisableAllHooks(t *testing.T) {
	t.Parallel()
	file := func(layer claudecode.Layer, command, extra string) claudecode.File {
		return claudecode.File{Path: command, Layer: layer, Data: []byte(`{` + extra + `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}}`)}
	}
	off := `"disableAllHooks":true,`
	c := claudecode.Load([]claudecode.File{file(claudecode.Managed, "m", ""), file(claudecode.User, "u", ""), file(claudecode.Local, "l", off)}, claudecode.Options{})
	require.True(t, c.Disabled)
	require.Equal(t, []string{"m"}, commands(c.Handlers))
	c = claudecode.Load([]claudecode.File{file(claudecode.Managed, "m", off), file(claudecode.User, "u", "")}, claudecode.Options{})
	require.Empty(t, c.Handlers)
}

func TestSelect(t *testing.T) {
	t.Parallel()
	c := load(claudecode.User, `{"hooks":{"PreToolUse":[
		{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"command","command":"a","if":"Bash(git *)"},{"type":"command","command":"a","timeout":7}]},
		{"matcher":"Edit","hooks":[{"type":"command","command":"a"}]},
		{"matcher":"(","hooks":[{"type":"command","command":"b"}]}],
		"Stop":[{"hooks":[{"type":"command","command":"s","if":"Bash(x)"},{"type":"command","command":"t"}]}]}}`, false)
	got, errs := claudecode.Select(c.Handlers, claudecode.Firing{Event: "PreToolUse", Subject: "Bash", Input: json.RawMessage(`{"command":"git status"}`)})
	require.Len(t, errs, 1)
	require.Equal(t, []string{"a", "a"}, commands(got))
	require.Equal(t, 7*time.Second, got[0].Timeout, "the last one's fields count")
	got, _ = claudecode.Select(c.Handlers, claudecode.Firing{Event: "PreToolUse", Subject: "Edit"})
	require.Equal(t, []string{"a"}, commands(got))
	got, _ = claudecode.Select(c.Handlers, claudecode.Firing{Event: "Stop"})
	require.Equal(t, []string{"t"}, commands(got))
}

func TestExpand(t *testing.T) {
	t.Parallel()
	h := hookproto.Handler{Command: "${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PROJECT_DIR}", Env: []string{"CLAUDE_PLUGIN_ROOT=/p"}}
	require.Equal(t, "/p/x ${CLAUDE_PROJECT_DIR}", claudecode.Expand(h, "/d").Command)
	h.Args = []string{"${CLAUDE_PROJECT_DIR}", "$HOME"}
	require.Equal(t, []string{"/d", "$HOME"}, claudecode.Expand(h, "/d").Args)
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(hooks("PreToolUse", `{"matcher":"Bash","hooks":[{"type":"command","command":"x","if":"Bash(git *)"}]}`)), true)
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		c := claudecode.Load([]claudecode.File{{Path: "f", Data: data, Layer: claudecode.User}}, claudecode.Options{Lenient: lenient})
		for _, h := range c.Handlers {
			_, known := claudecode.Lookup(h.Event)
			require.True(t, known)
			require.Positive(t, h.Timeout)
		}
	})
}
