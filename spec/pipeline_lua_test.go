package spec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// luaPrelude is what the scripts of a scenario share.
const luaPrelude = `local json = require "json"
local function status(result, coded)
  if result.kind == "success" then return "ok" end
  if coded and result.code then return result.code end
  return "error"
end
local function joined(first, second)
  local out = {}
  for _, c in ipairs(first or {}) do out[#out + 1] = c end
  for _, c in ipairs(second or {}) do out[#out + 1] = c end
  return out
end
`

// luaPoints are the points of the kinds of handlers, and what the payload of each
// is called.
var luaPoints = map[string]struct{ point, payload, call string }{
	"pre":      {"tools/pre-execute", "call, next", "call"},
	"guard":    {"tools/guard", "call", "call"},
	"answerer": {"tools/approve", "asked, next", "asked.call"},
	"around":   {"tools/execute", "call, next", "call"},
	"post":     {"tools/post-execute", "done, next", "done.call"},
	"observer": {"tools/result", "done", "done.call"},
}

// scripted attaches h as a script; it is false for a handler that has no form
// as one: what only Go has are contexts, errors that are no data, and state that
// outlives a call.
func (w *world) scripted(h pipelineHandler, kind string) bool {
	body, ok := luaBody(h, kind)
	if !ok || h.Prepend {
		return false
	}
	p := luaPoints[kind]
	source := fmt.Sprintf("%sdsh.on(%q, {raw = true}, function(%s)\n%send)\n", luaPrelude, p.point, p.payload, body)
	s, err := script.Load(context.Background(), "h-"+h.ID+".lua", source, script.Options{Points: tool.Points(), Log: func(_, text string) { w.told(text) }})
	require.NoError(w.t, err, source)
	w.install(h.Scope, s)
	return true
}

// luaPlace is what messages of scripts begin with.
var luaPlace = regexp.MustCompile(`h-\w+\.lua:\d+: `)

// told acts on what a script says: a trace, or a wish that only the world can
// fulfil.
func (w *world) told(text string) {
	what, args, _ := strings.Cut(text, "\n")
	switch list := strings.Split(args, "\n"); what {
	case "!abort":
		w.cancel(nil)
	case "!unregister":
		w.removers[list[0]]()
	case "!request":
		w.note(list[0], map[string]any{"toolName": list[1], "callId": list[2], "reason": list[3]})
	case "!observed":
		w.note(list[0], map[string]any{
			"execFrozen": true, "resultFrozen": true, "contentFrozen": true, "argsDefined": list[1] == "true", "name": list[2],
		})
	default:
		w.trace("%s", text)
	}
}

func luaBody(h pipelineHandler, kind string) (string, bool) {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	call := luaPoints[kind].call
	switch kind {
	case "post":
		say(`dsh.log("post:%s:" .. status(done.result, true))`, h.ID)
	case "observer":
		say(`dsh.log("result:%s:" .. status(done.result))`, h.ID)
	case "answerer":
		say(`dsh.log("ask:%s")`, h.ID)
	default:
		say(`dsh.log("%s:%s")`, kind, h.ID)
	}
	if h.RecordAs != "" && kind == "answerer" {
		say(`dsh.log(table.concat({"!request", %q, asked.call.tool, asked.call.id, asked.reason or ""}, "\n"))`, h.RecordAs)
	}
	if h.RecordAs != "" && kind == "observer" {
		say(`dsh.log(table.concat({"!observed", %q, tostring(done.call.arguments ~= nil and done.call.arguments ~= json.null), done.call.tool}, "\n"))`, h.RecordAs)
	}
	if h.OnlyTool != "" {
		say(`if %s.tool ~= %q then return %s end`, call, h.OnlyTool, map[bool]string{true: "nil", false: "next()"}[kind == "guard"])
	}
	if h.AbortCaller {
		say(`dsh.log("!abort")`)
	}
	ok := true
	switch {
	case h.Throw != nil:
		ok = luaThrow(say, *h.Throw)
	case h.Reject != nil || h.AddGuard != nil:
		return "", false
	case h.Deny != nil:
		say("do return dsh.forbid{reason = %s} end", luaString(*h.Deny))
	case kind == "answerer":
		ok = luaAnswer(say, h)
	}
	say("local last")
	for _, op := range h.Do {
		ok = ok && luaOp(say, op, h, kind)
	}
	if kind == "pre" || kind == "around" || kind == "post" {
		say("return last")
	}
	return b.String(), ok
}

func luaAnswer(say func(string, ...any), h pipelineHandler) bool {
	answers := map[string]string{"allowed-once": "dsh.grant()", "rejected": "dsh.refuse()", "unavailable": "dsh.pass()"}
	switch answer, known := answers[h.Outcome]; {
	case h.Delegate:
		say("do return next() end")
	case h.Outcome == "cancelled":
		return false
	case known:
		say("do return %s end", answer)
	default:
		say("do return {kind = %q} end", h.Outcome)
	}
	return true
}

func luaThrow(say func(string, ...any), op pipelineOp) bool {
	switch {
	case op.Hostile:
		return false
	case op.Raw != nil:
		v, err := value.Parse(op.Raw)
		if err != nil || v.Kind() == value.Null {
			return false
		}
		say("do error(%s, 0) end", luaValue(v))
	case op.Code != "":
		name := op.Name
		if name == "" {
			name = "HarnessError"
		}
		say("do error{message = %s, name = %q, code = %q} end", luaString(*op.Message), name, op.Code)
	default:
		say("do error(%s, 0) end", luaString(*op.Message))
	}
	return true
}

func luaOp(say func(string, ...any), op pipelineOp, h pipelineHandler, kind string) bool {
	call := luaPoints[kind].call
	switch op.Op {
	case "next":
		say("last = next()")
		if kind == "around" {
			say(`dsh.log("around-after:%s:" .. status(last, true))`, h.ID)
		}
	case "decide":
		say("do return %s end", luaDecision(op, kind))
	case "returnNext":
		say("do return last end")
	case "when":
		say("if call.tool ~= %q then return next() end", op.Tool)
	case "patch":
		say("last = dsh.with(last, %s)", luaPatch(op.Set))
	case "prependContext":
		say("last = dsh.with(last, {contexts = joined({%s}, last.contexts)})", luaContext(op.Text, op.Plugin))
	case "appendContext":
		say("last = dsh.with(last, {contexts = joined(last.contexts, {%s})})", luaContext(op.Text, op.Plugin))
	case "trace":
		say("dsh.log(%s)", luaString(op.Label))
	case "throw":
		return luaThrow(say, op)
	case "abortCaller":
		say(`dsh.log("!abort")`)
	case "unregister":
		say(`dsh.log("!unregister\n%s")`, op.Tool)
	case "mutateArgs":
		say(`dsh.log("mutate-args:" .. tostring((pcall(function() %s.arguments.written = true end))))`, call)
	case "mutateResult":
		say(`dsh.log("mutate-result:" .. tostring((pcall(function() last.content[1].text = "written" end))))`)
	default:
		return false
	}
	return true
}

func luaDecision(op pipelineOp, kind string) string {
	if kind == "around" {
		return luaResult(op.Result)
	}
	d := op.Decision
	fields := []string{fmt.Sprintf("kind = %q", d.Kind)}
	add := func(name, text string) { fields = append(fields, name+" = "+text) }
	if d.Reason != nil {
		add("reason", luaString(*d.Reason))
	}
	if d.Content != nil {
		add("content", luaBlocks(d.Content))
	}
	if d.Feedback != nil {
		add("feedback", luaBlocks(d.Feedback))
	}
	if !d.Value.IsAbsent() {
		add("value", luaValue(d.Value))
	}
	if d.ValueLossy != "" {
		add("value", "function() end")
	}
	if d.ContentLossy {
		add("content", "{function() end}")
	}
	if d.FeedbackLossy {
		add("feedback", "{function() end}")
	}
	if d.Contexts != nil {
		add("contexts", luaContexts(d.Contexts))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func luaResult(r pipelineResult) string {
	if r.IsError {
		text := fmt.Sprintf(`{kind = "failure", message = %s, content = %s`, luaString(r.Error.Message), luaBlocks(r.Content))
		if r.Error.Code != "" {
			text += fmt.Sprintf(", name = %q, code = %q", r.Error.Name, r.Error.Code)
		}
		return text + luaRest(r) + "}"
	}
	text := fmt.Sprintf(`{kind = "success", content = %s, concludes = %v`, luaBlocks(r.Content), r.ConcludesTurn)
	if !r.Value.IsAbsent() {
		text += ", value = " + luaValue(r.Value)
	}
	return text + luaRest(r) + "}"
}

func luaRest(r pipelineResult) (text string) {
	if !r.Meta.IsAbsent() {
		text += ", meta = " + luaValue(r.Meta)
	}
	if r.Contexts != nil {
		text += ", contexts = " + luaContexts(r.Contexts)
	}
	return text
}

func luaPatch(set pipelineResult) string {
	var fields []string
	if !set.Value.IsAbsent() {
		fields = append(fields, "value = "+luaValue(set.Value))
	}
	if set.Content != nil {
		fields = append(fields, "content = "+luaBlocks(set.Content))
	}
	if set.Contexts != nil {
		fields = append(fields, "contexts = joined(last.contexts, "+luaContexts(set.Contexts)+")")
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func luaContext(text, plugin string) string {
	return fmt.Sprintf("{text = %s, extension = %s}", luaString(text), luaString(plugin))
}

func luaContexts(list []pipelineContext) string {
	var items []string
	for _, c := range list {
		items = append(items, luaContext(c.Text, c.Plugin))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

func luaBlocks(list []pipelineBlock) string {
	var items []string
	for _, b := range list {
		items = append(items, fmt.Sprintf("{kind = %q, text = %s}", b.Type, luaString(b.Text)))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// luaValue writes JSON as a Lua expression.
func luaValue(v value.Value) string {
	switch v.Kind() {
	case value.Null, value.Absent:
		return "json.null"
	case value.String:
		text, _ := v.Str()
		return luaString(text)
	case value.List:
		var items []string
		for _, item := range v.Items() {
			items = append(items, luaValue(item))
		}
		return "json.array{" + strings.Join(items, ", ") + "}"
	case value.Object:
		var items []string
		for key, item := range v.Members() {
			items = append(items, "["+luaString(key)+"] = "+luaValue(item))
		}
		return "{" + strings.Join(items, ", ") + "}"
	default:
		return v.String()
	}
}

// luaString quotes text for Lua, byte by byte where it must.
func luaString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// withoutPlaces drops the places in scripts that messages begin with: a handler
// in Go has none.
func withoutPlaces(x any) any {
	var out any
	_ = json.Unmarshal([]byte(luaPlace.ReplaceAllString(compact(x), "")), &out)
	return out
}

func (w *world) Tell(string) error { return nil }
