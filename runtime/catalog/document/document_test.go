package document_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/catalog/document"
	"github.com/dsh-lua/dsh/runtime/point"
)

func render(t *testing.T, write func(io.Writer, []point.Point) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, catalog.Points()))
	return b.String()
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWritersReportWhatTheyCannotWrite(t *testing.T) {
	for _, write := range []func(io.Writer, []point.Point) error{document.Markdown, document.JSONSchema, document.LuaCATS} {
		require.ErrorIs(t, write(broken{}, catalog.Points()), io.ErrClosedPipe)
		require.NoError(t, write(io.Discard, nil))
	}
}

// TestJSONSchemaIsClosed: every reference leads to a definition, every
// definition is used, and every object says which members it has.
func TestJSONSchemaIsClosed(t *testing.T) {
	text := render(t, document.JSONSchema)
	var doc struct {
		Points map[string]map[string]any `json:"points"`
		Defs   map[string]map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.Len(t, doc.Points, len(catalog.Points()))
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"\$ref": "#/\$defs/([^"]+)"`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		require.Contains(t, doc.Defs, m[1])
	}
	require.Len(t, used, len(doc.Defs))
	require.Equal(t, strings.Count(text, `"type": "object"`), strings.Count(text, `"additionalProperties": false`))
	require.Equal(t, map[string]any{
		"kind": "waterfall", "payload": map[string]any{"$ref": "#/$defs/tool.Call"}, "decision": map[string]any{"$ref": "#/$defs/tool.Result"},
		"max_next": 8.0, "joined": false, "filters": []any{"tool", "action", "match"},
		"description": doc.Points["tools/execute"]["description"],
	}, doc.Points["tools/execute"])
	require.Equal(t, []any{}, doc.Points["agent/error"]["filters"])
}

// TestLuaCATSIsClosed: every type that is named is declared, once.
func TestLuaCATSIsClosed(t *testing.T) {
	text := render(t, document.LuaCATS)
	declared := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^---@(?:class \(exact\)|alias) (dsh[\w.]*)`).FindAllStringSubmatch(text, -1) {
		declared[m[1]]++
	}
	for name, times := range declared {
		require.Equal(t, 1, times, name)
	}
	for _, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "---@field", "---@param", "---@return", "---@overload", "---@alias", "---@class":
		default:
			continue
		}
		// A doc text behind a type may mention a function of the table dsh.
		for _, name := range regexp.MustCompile(`\bdsh\.(?:[A-Z]\w*|[a-z]+\.\w+)`).FindAllString(rest, -1) {
			require.Contains(t, declared, name, line)
		}
	}
}

func TestLuaCATSDescribesEveryPointAndAnswer(t *testing.T) {
	text := render(t, document.LuaCATS)
	for _, p := range catalog.Points() {
		require.Equal(t, 2, strings.Count(text, `---@overload fun(point: "`+p.Name()+`", `), p.Name())
		for _, tag := range p.Tags() {
			require.Equal(t, 1, strings.Count(text, "\nfunction dsh."+strings.ReplaceAll(tag, "-", "_")+"("), tag)
		}
	}
	for _, want := range []string{
		`---@overload fun(point: "tools/guard", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Call): dsh.tool.GuardDecision?)`,
		`---@overload fun(point: "agent/error", filter: dsh.Filter, handler: fun(payload: dsh.agent.Error))`,
		`---@overload fun(point: "agent/notify", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Notice))`,
		`next: fun(options?: dsh.NextOptions): dsh.tool.Result): dsh.tool.Result?)`,
		"---@class (exact) dsh.answer.refuse: dsh.tool.Refuse, dsh.host.Refuse\n",
		"---@param fields string|{ reason: string, contexts?: string|(string|dsh.session.Context)[] }\n---@return dsh.tool.Deny\nfunction dsh.deny(fields) end\n",
		"---@param fields { arguments: any, reason?: string }\n---@return dsh.tool.Rewrite\n",
		"---@return dsh.tool.Keep\nfunction dsh.keep() end\n",
		"---@alias dsh.ActionKind \"shell\"|\"write\"|",
	} {
		require.Contains(t, text, want)
	}
}

// TestMarkdownLinksLeadSomewhere.
func TestMarkdownLinksLeadSomewhere(t *testing.T) {
	text := render(t, document.Markdown)
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		slug := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		slug = strings.ReplaceAll(slug, " ", "-")
		require.False(t, anchors[slug], "two headings are %q", slug)
		anchors[slug] = true
	}
	links := regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, links)
	for _, m := range links {
		require.True(t, anchors[m[1]], m[1])
	}
}

// TestMarkdownSaysEverythingAboutAPoint.
func TestMarkdownSaysEverythingAboutAPoint(t *testing.T) {
	text := render(t, document.Markdown)
	for _, p := range catalog.Points() {
		_, section, ok := strings.Cut(text, "\n## "+p.Name()+"\n")
		require.True(t, ok, p.Name())
		section, _, _ = strings.Cut(section, "\n## ")
		require.Contains(t, section, "- **Kind:** "+p.Kind().String()+".")
		require.NotContains(t, section, "- **Fired by:** \n", "who fires %s?", p.Name())
		require.NotContains(t, section, "%!")
		for _, f := range p.Payload().Fields() {
			require.Contains(t, section, "| `"+f.Name()+"` |")
		}
		for _, tag := range p.Tags() {
			require.Contains(t, section, "\n`"+tag+"`: ")
		}
	}
	_, section, _ := strings.Cut(text, "\n## tools/execute\n")
	require.Contains(t, section, "- **next:** up to 8 times.\n- **Answers without next:** stand as they are.")
}
