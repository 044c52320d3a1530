package spec_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// What follows brings a log, a request and a recording into one form. Texts that
// are each program's own are replaced by what they say.

// plain are the texts that are each program's own.
var plain = []struct {
	text *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`^(agent|tools)/[a-z-]+: extension [^:]+: (rule [^:]+: )?`), ""},
	{regexp.MustCompile(`^event \d+: [^:]+: `), ""},
	{regexp.MustCompile(`^(Current runtime context\. This snapshot supersedes earlier runtime-context snapshots\.|Current state, which replaces what was said about it before:)`), "<snapshot>"},
	{regexp.MustCompile(`^(Current runtime context: none\. Earlier runtime-context snapshots no longer apply\.|What was said before about the current state no longer holds\.)$`), "<no snapshot>"},
	{regexp.MustCompile(`^(agent "[^"]*" has no provider/model: .*|nobody says which model to ask: .*)$`), "<no model>"},
	{regexp.MustCompile(`^(section "[^"]*" of the prompt refers to "[^"]*", which has no value|.*\{\{[a-z]+\}\}.*section.*|.*variable "[^"]*".*|.*prompt variable.*)$`), "<missing variable>"},
	{regexp.MustCompile(`^(The tool call was interrupted before the Harness recorded it.*|Error: the session was interrupted before this call was recorded as started\..*)$`), "<not started>"},
	{regexp.MustCompile(`^(The tool call was interrupted after it was recorded.*|Error: the session was interrupted while this call was under way.*)$`), "<outcome unknown>"},
}

func plainText(s string) string {
	for _, p := range plain {
		s = p.text.ReplaceAllString(s, p.by)
	}
	return s
}

const snapshotSource = "plugin:@deepseek-ai/dsh-system-prompt"

func sourceText(s session.Source) string {
	switch s := s.(type) {
	case session.User:
		return "user"
	case session.Model:
		return "model:" + s.Name
	case session.Extension:
		return "plugin:" + s.Name
	case session.Call:
		return "tool:" + s.ID
	case session.Runtime:
		return snapshotSource
	}
	return "?"
}

func flat(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case session.Text:
			texts = append(texts, plainText(p.Text))
		case session.Reasoning:
			texts = append(texts, "<reasoning:"+p.Text+">")
		case session.ToolCall:
			texts = append(texts, fmt.Sprintf("<call:%s:%s:%s>", p.ID, p.Tool, argsText(p.Arguments)))
		case session.ToolResult:
			how := "ok"
			if p.Failed {
				how = "error"
			}
			texts = append(texts, fmt.Sprintf("<result:%s:%s:%s>", p.Call, how, flat(p.Content)))
		case session.Image:
		}
	}
	return strings.Join(texts, "|")
}

func argsText(v value.Value) string {
	if _, text := v.Str(); text {
		return v.String()
	}
	return string(v.AppendJSON(nil))
}

// generated are IDs that recordings do not give.
var generated = regexp.MustCompile(`^(auto-\d+|<generated>|)$`)

// id returns the ID of a message as recordings write it: that of a context that
// came with a result is known by its text.
func (w *loopWorld) id(m session.Message) string {
	found := ""
	var walk func(v value.Value)
	walk = func(v value.Value) {
		id, named := v.Get("id").Str()
		if text, ok := v.Get("text").Str(); ok && named && m.Text() != "" && found == "" {
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\$callId`, "(.*)") + "$")
			if match := pattern.FindStringSubmatch(m.Text()); match != nil {
				found = id
				if len(match) > 1 {
					found = strings.ReplaceAll(id, "$callId", match[1])
				}
			}
		}
		for _, item := range v.Items() {
			walk(item)
		}
		for _, x := range v.Members() {
			walk(x)
		}
	}
	if strings.Contains(m.ID, "-") && !strings.HasPrefix(m.ID, "x-") && !strings.HasPrefix(m.ID, "result-") {
		walk(w.given.Get("tools"))
		walk(w.given.Get("listeners"))
		if found == "" {
			return "*"
		}
		return found
	}
	return m.ID
}

func (w *loopWorld) ids(list []session.Message) []string {
	out := []string{}
	for _, m := range list {
		out = append(out, w.id(m))
	}
	return out
}

func messageLines(list []session.Message) []string {
	out := []string{}
	for _, m := range list {
		out = append(out, fmt.Sprintf("%s %s %s", m.Role, sourceText(m.Source), flat(m.Content)))
	}
	return out
}

// eventLines writes a log as lines, runs of chunks as one.
func (w *loopWorld) eventLines() ([]string, error) {
	out := []string{}
	chunks := 0
	calls := map[int64]string{}
	for e, err := range w.log.Entries() {
		if err != nil {
			return nil, err
		}
		if e.Seq < w.from {
			continue
		}
		if e.Type == session.EventChunk {
			chunks++
			line := fmt.Sprintf("assistant/chunk %d/%d ", e.Turn(), e.Step())
			if n := len(out) - 1; n >= 0 && strings.HasPrefix(out[n], line) && chunks > 1 {
				out[n] = line + fmt.Sprint(chunks)
			} else {
				chunks = 1
				out = append(out, line+"1")
			}
			continue
		}
		chunks = 0
		if e.Type == session.EventCall {
			calls[e.Seq] = e.Data.Get("id").String()
		}
		line, err := w.eventLine(e, calls)
		if err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}

func (w *loopWorld) eventLine(e session.Entry, calls map[int64]string) (string, error) {
	place := fmt.Sprintf("%s %d/%d", e.Type, e.Turn(), e.Step())
	switch e.Type {
	case session.EventTurnEnd:
		return place + " " + endText(e.End()), nil
	case session.EventInbox:
		var list []session.Message
		for _, item := range e.Data.Get("inserted").Items() {
			m, err := session.DecodeMessage(item)
			if err != nil {
				return "", err
			}
			list = append(list, m)
		}
		return fmt.Sprintf("%s %s start=%s removed=%d inserted=%v cancelled=%t", e.Type, e.Data.Get("target"), e.Data.Get("start"),
			intOf(e.Data.Get("removed")), w.ids(list), e.Data.Get("outcome").String() != ""), nil
	case session.EventUser:
		m, err := e.Message()
		return fmt.Sprintf("%s %s %s %s", e.Type, w.id(m), sourceText(m.Source), flat(m.Content)), err
	case session.EventHeader:
		h := e.Data.Get("header")
		var names []string
		for _, t := range h.Get("tools").Items() {
			names = append(names, t.Get("name").String())
		}
		return fmt.Sprintf("%s %s %s max=%d tools=%v", e.Type, e.Data.Get("reason"), h.Get("config").Get("model"), intOf(h.Get("config").Get("max_tokens")), names), nil
	case session.EventContext:
		return fmt.Sprintf("%s %s", e.Type, e.Data.Get("model")), nil
	case session.EventAssistant:
		m, err := e.Message()
		cut, _ := e.Data.Get("interrupted").Bool()
		return fmt.Sprintf("%s %s interrupted=%t sources=%d", place, flat(m.Content), cut, len(e.Sources)), err
	case session.EventCall:
		return fmt.Sprintf("%s %s %s %s", place, e.Data.Get("id"), e.Data.Get("tool"), argsText(e.Data.Get("arguments"))), nil
	case session.EventResult:
		m, err := e.Message()
		r := m.Content[0].(session.ToolResult)
		problem := e.Data.Get("error")
		cites := len(e.Sources) == 1 && calls[e.Sources[0]] == r.Call
		return fmt.Sprintf("%s %s failed=%t %s error=%s/%s cites=%t", place, r.Call, r.Failed, flat(r.Content), problem.Get("name"), problem.Get("code"), cites), err
	default:
		return place, nil
	}
}

func endText(e session.End) string {
	out := string(e.Kind)
	if e.Cause != nil {
		out += fmt.Sprintf(" %s %s", e.Cause.Kind, e.Cause.Reason)
	}
	if e.Failure != nil {
		out += failureText(*e.Failure)
	}
	return out
}

func failureText(f session.Failure) string {
	return fmt.Sprintf(" %s %s %d %d %s", plainText(f.Message), f.Code, f.Status, f.RetryAfterMS, f.RequestID)
}

// recordedEnd is endText of a recording.
func recordedEnd(v value.Value) string {
	out := v.Get("kind").String()
	if c := v.Get("reason"); !c.IsAbsent() {
		out += fmt.Sprintf(" %s %s", c.Get("kind"), c.Get("reason"))
	}
	if f := v.Get("error"); !f.IsAbsent() {
		out += failureText(loopFailure(f))
	}
	return out
}

// recordedLine is eventLine of a recording.
func recordedLine(e value.Value) string {
	kind := e.Get("type").String()
	place := fmt.Sprintf("%s %d/%d", kind, intOf(e.Get("turn")), intOf(e.Get("step")))
	id := func(v value.Value) string {
		if generated.MatchString(v.String()) {
			return "*"
		}
		return v.String()
	}
	switch session.EventType(kind) {
	case session.EventChunk:
		return fmt.Sprintf("%s %s", place, e.Get("count"))
	case session.EventTurnEnd:
		return place + " " + recordedEnd(e.Get("reason"))
	case session.EventInbox:
		list := []string{}
		for _, item := range e.Get("inserted").Items() {
			list = append(list, id(item))
		}
		return fmt.Sprintf("%s %s start=%s removed=%d inserted=%v cancelled=%t", kind, e.Get("target"), e.Get("start"),
			intOf(e.Get("removedCount")), list, e.Get("outcome").String() != "")
	case session.EventUser:
		return fmt.Sprintf("%s %s %s %s", kind, id(e.Get("id")), e.Get("source"), plainText(e.Get("text").String()))
	case session.EventHeader:
		var names []string
		for _, t := range e.Get("tools").Items() {
			names = append(names, t.String())
		}
		c := e.Get("config")
		return fmt.Sprintf("%s %s %s max=%d tools=%v", kind, e.Get("reason"), route(c), intOf(c.Get("maxTokens")), names)
	case session.EventContext:
		return fmt.Sprintf("%s %s", kind, route(e))
	case session.EventAssistant:
		cut, _ := e.Get("interrupted").Bool()
		return fmt.Sprintf("%s %s interrupted=%t sources=%d", place, recordedFlat(e.Get("content").String()), cut, intOf(e.Get("sourceChunks")))
	case session.EventCall:
		return fmt.Sprintf("%s %s %s %s", place, e.Get("callId"), e.Get("name"), argsOf(e.Get("arguments").String()))
	case session.EventResult:
		failed, _ := e.Get("isError").Bool()
		cites, _ := e.Get("citesCall").Bool()
		problem := e.Get("error")
		return fmt.Sprintf("%s %s failed=%t %s error=%s/%s cites=%t", place, e.Get("callId"), failed, plainText(e.Get("text").String()), problem.Get("name"), problem.Get("code"), cites)
	default:
		return place
	}
}

func route(v value.Value) string { return v.Get("provider").String() + "/" + v.Get("model").String() }

// argsOf writes arguments that a recording holds as text the way a log does.
func argsOf(text string) string {
	if text == "" {
		return "{}"
	}
	return text
}

var emptyArgs = regexp.MustCompile(`<call:([^:>]*):([^:>]*):>`)

func recordedFlat(s string) string { return emptyArgs.ReplaceAllString(s, "<call:$1:$2:{}>") }

func recordedMessages(list value.Value) []string {
	out := []string{}
	for _, m := range list.Items() {
		text := recordedFlat(m.Get("text").String())
		out = append(out, fmt.Sprintf("%s %s %s", m.Get("role"), m.Get("source"), plainText(text)))
	}
	return out
}

// snapshot writes what an agent looks like at one moment.
func (w *loopWorld) snapshot(name string) string {
	var types []string
	chunks := 0
	for e, err := range w.log.Entries() {
		if err != nil {
			return err.Error()
		}
		if e.Type != session.EventChunk {
			chunks = 0
			types = append(types, string(e.Type))
			continue
		}
		if chunks++; chunks == 1 {
			types = append(types, "")
		}
		types[len(types)-1] = fmt.Sprintf("assistant/chunk*%d", chunks)
	}
	var pending []string
	for _, m := range w.agent.Pending(session.NextStep) {
		pending = append(pending, "s:"+w.id(m))
	}
	for _, m := range w.agent.Pending(session.NextTurn) {
		pending = append(pending, "t:"+w.id(m))
	}
	return fmt.Sprintf("snapshot:%s:status=%s:events=%s:inbox=%s", name, w.agent.Status(), strings.Join(types, ","), strings.Join(pending, ","))
}
