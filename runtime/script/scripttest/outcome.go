package scripttest

import (
	"errors"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// The kinds of outcomes that are no answer of a point, as eval has them.
const (
	kindFault = "fault"
	kindTold  = "told"
	kindNone  = "none"
)

// An outcome is what came of putting a payload to the policies.
type outcome struct {
	point     point.Point // whose answer counts; nil if none was asked
	answer    value.Value
	arguments value.Value // that would run instead; absent if unchanged
	fault     error
	effects   *session.Effects
	handled   []point.Handled
	reply     *host.Reply // of a client's hook

	call    string // the ID of the call that it is about, in a session
	excused bool   // an expectation spoke of the fault
}

func (o *outcome) kind() string {
	switch {
	case o.fault != nil:
		return kindFault
	case o.answer.Kind() == value.Object:
		return o.answer.Get(schema.TagField).String()
	case o.point != nil && o.point.Kind() == point.NotificationKind:
		return kindTold
	}
	return kindNone
}

// reason is the text of the answer: what went wrong, or its first text.
func (o *outcome) reason() string {
	if o.fault != nil {
		return o.fault.Error()
	}
	return reasonOf(o.answer)
}

func reasonOf(answer value.Value) string {
	for _, field := range []string{"reason", "feedback", "message"} {
		if text := session.TextOf(answer.Get(field)); text != "" {
			return text
		}
	}
	return ""
}

// decider returns the handler that gave the answer: the innermost whose own
// answer is of the same kind and gives the same reason.
func (o *outcome) decider() (point.Handled, bool) {
	for _, h := range o.handled {
		if h.Extension == witnessName {
			continue
		}
		if o.fault != nil && h.Err != nil {
			return h, true
		}
		if o.fault != nil || h.Err != nil || !h.Own || o.point == nil || h.Point != o.point.Name() || o.point.Decision() == nil {
			continue
		}
		v, err := o.point.Decision().Encode(h.Answer)
		if err == nil && v.Get(schema.TagField).String() == o.kind() && reasonOf(v) == o.reason() {
			return h, true
		}
	}
	if o.effects != nil && o.fault == nil {
		if by := o.effects.HaltedBy(); by.Extension != "" {
			return point.Handled{Extension: by.Extension, Rule: by.Rule, At: by.At}, true
		}
	}
	for _, h := range o.handled {
		if h.Own && h.Err == nil && h.Extension != witnessName && !o.arguments.IsAbsent() {
			return h, true
		}
	}
	return point.Handled{}, false
}

// at is the line that built the answer, or of a fault the line that is at fault.
func (o *outcome) at(h point.Handled) string {
	if e := (*luavm.Error)(nil); errors.As(o.fault, &e) && e.File != "" && e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e := (*script.Error)(nil); errors.As(o.fault, &e) {
		return e.At
	}
	return h.At
}

func (o *outcome) contexts() (list []string) {
	for _, c := range o.answer.Get("contexts").Items() {
		list = append(list, c.Get("text").String())
	}
	return list
}

// effect returns the texts of one kind of effect.
func (o *outcome) effect(what session.Effect) (list []string) {
	if o.effects == nil {
		return nil
	}
	switch what {
	case session.EffectInject:
		return messageTexts(o.effects.Injected())
	case session.EffectSteer:
		return messageTexts(o.effects.Steered())
	case session.EffectTell:
		return o.effects.Told()
	case session.EffectHalt:
		if reason, ok := o.effects.Halted(); ok {
			return []string{reason}
		}
	}
	return nil
}

func messageTexts(messages []session.Message) (list []string) {
	for _, m := range messages {
		list = append(list, m.Text())
	}
	return list
}

// effects are the effects there are, in the order in which they are shown.
func effects() []session.Effect {
	return []session.Effect{session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell}
}

// outcomeFields are the members of an outcome in Lua; each is absent where there is
// nothing to say.
var outcomeFields = []string{"kind", "decided", "reason", "rule", "at", "extension", "point", "answer", "arguments", "contexts", "effects", "fault", "stdout", "stderr", "exit"}

// value is the outcome as Lua and snapshots see it.
func (o *outcome) value() value.Value {
	h, decided := o.decider()
	m := members{}
	m.add("kind", value.OfString(o.kind()))
	m.add("decided", value.OfBool(decided && o.fault == nil))
	m.text("reason", o.reason())
	m.text("rule", h.Rule)
	m.text("at", o.at(h))
	m.text("extension", h.Extension)
	if o.point != nil {
		m.text("point", o.point.Name())
	}
	m.add("answer", o.answer)
	m.add("arguments", o.arguments)
	m.texts("contexts", o.contexts())
	var done members
	for _, what := range effects() {
		done.texts(string(what), o.effect(what))
	}
	if len(done) > 0 {
		m.add("effects", value.OfObject(done...))
	}
	if o.fault != nil {
		m.text("fault", o.fault.Error())
	}
	if o.reply != nil {
		m.add("stdout", value.OfString(string(o.reply.Stdout)))
		m.add("stderr", value.OfString(string(o.reply.Stderr)))
		m.add("exit", value.OfInt(int64(o.reply.Exit)))
	}
	return value.OfObject(m...)
}

// members are collected one by one.
type members []value.Member

func (m *members) add(key string, v value.Value) {
	if !v.IsAbsent() {
		*m = append(*m, value.Member{Key: key, Value: v})
	}
}

func (m *members) text(key, text string) {
	if text != "" {
		m.add(key, value.OfString(text))
	}
}

func (m *members) texts(key string, list []string) {
	if len(list) == 0 {
		return
	}
	items := make([]value.Value, len(list))
	for i, text := range list {
		items[i] = value.OfString(text)
	}
	m.add(key, value.OfList(items...))
}

// said is the outcome in one line.
func (o *outcome) said() string {
	line := o.kind()
	if reason := o.reason(); reason != "" {
		line += ": " + reason
	}
	if h, ok := o.decider(); ok {
		return line + fmt.Sprintf("  (rule %s, %s)", h.Rule, o.at(h))
	}
	if o.answer.Kind() == value.Object {
		line += "  (no policy has an opinion)"
	}
	return line
}

// An observer collects what handlers did during one fire.
type observer struct{ handled []point.Handled }

func (o *observer) Handled(h point.Handled) { o.handled = append(o.handled, h) }

// spoke reports whether a handler had something to say.
func spoke(h point.Handled) bool {
	p := catalog.Find(h.Point)
	return h.Err == nil && (h.Said != nil && h.Own || p != nil && p.Kind() == point.NotificationKind)
}
