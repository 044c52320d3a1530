package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An outcome is what an evaluation came to.
type outcome struct {
	event   string // the client's event; empty for a payload of dsh's own
	point   string // the point whose answer counts; empty if none was asked
	kind    point.Kind
	answer  value.Value // of that point, with its kind
	rewrite value.Value // the arguments that would run instead; absent if unchanged
	action  value.Value // what the call is about to do, where that is known
	fault   error
	effects *session.Effects
	notes   []string // what the client is told beside its answer
	handled []point.Handled
}

// kindDeny is the kind of a denied call.
const kindDeny = "deny"

// The kinds of outcomes that are no answer of a point.
const (
	kindFault = "fault" // an extension or the payload is at fault
	kindTold  = "told"  // a notification, which nobody answers
	kindNone  = "none"  // an event that dsh has no opinion on
)

// kindName returns the kind of answer.
func (o outcome) kindName() string {
	switch {
	case o.fault != nil:
		return kindFault
	case o.answer.Kind() == value.Object:
		return o.answer.Get(schema.TagField).String()
	case o.kind == point.NotificationKind:
		return kindTold
	}
	return kindNone
}

// reason is the text of the answer: what went wrong, or its first text.
func (o outcome) reason() string {
	if o.fault != nil {
		return o.fault.Error()
	}
	for _, field := range []string{"reason", "feedback", "message"} {
		if text := session.TextOf(o.answer.Get(field)); text != "" {
			return text
		}
	}
	return ""
}

// shown is what v shows.
func shown(v value.Value) string {
	if text := session.TextOf(v); text != "" {
		return text
	}
	return v.String()
}

// decider returns the handler that gave the answer: the innermost whose own
// answer is of the same kind and gives the same reason.
func (o outcome) decider() (point.Handled, bool) {
	p := catalog.Find(o.point)
	for _, h := range o.handled {
		if o.fault != nil && h.Err != nil {
			return h, true
		}
		if h.Err != nil || !h.Own || h.Point != o.point || p.Decision() == nil {
			continue
		}
		v, err := p.Decision().Encode(h.Answer)
		if own := (outcome{answer: v}); err == nil && own.kindName() == o.kindName() && own.reason() == o.reason() {
			return h, true
		}
	}
	if h, ok := o.halter(); ok {
		return h, true
	}
	return o.rewriter()
}

// halter returns the handler that ended the turn, where the call is denied and no
// handler said so: a call is denied too when the turn ends before it.
func (o outcome) halter() (h point.Handled, ok bool) {
	if o.effects == nil || o.fault != nil || o.kindName() != kindDeny {
		return h, false
	}
	by := o.effects.HaltedBy()
	return point.Handled{Point: o.point, Extension: by.Extension, Rule: by.Rule, At: by.At}, by.Extension != ""
}

// rewriter returns the handler that changed what runs, where nobody said more.
func (o outcome) rewriter() (point.Handled, bool) {
	for _, h := range o.handled {
		if _, ok := h.Answer.(tool.Rewrite); ok && h.Own && !o.rewrite.IsAbsent() {
			return h, true
		}
	}
	return point.Handled{}, false
}

// place is where the answer comes from: the line that built it, or of a fault
// the line that is at fault.
func place(h point.Handled, fault error) string {
	if e := (*luavm.Error)(nil); errors.As(fault, &e) && e.File != "" && e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e := (*script.Error)(nil); errors.As(fault, &e) {
		return e.At
	}
	return h.At
}

// print writes the outcome and returns errReported if it is a fault.
func (o outcome) print(opts evalOptions, std console.IO) error {
	h, decided := o.decider()
	var page bytes.Buffer
	if opts.json {
		page.Write(append(o.report(h, decided, opts.explain).AppendJSON(nil), '\n'))
	} else {
		o.text(&page, h, decided, opts.explain)
	}
	if _, err := std.Out.Write(page.Bytes()); err != nil {
		return err
	}
	if o.fault == nil {
		return nil
	}
	console.PrintFault(std.Err, o.fault)
	return errReported
}

// text is the outcome for a human.
func (o outcome) text(w io.Writer, h point.Handled, decided, explain bool) {
	if explain {
		for _, h := range o.handled {
			console.PrintLine(w, explained(h))
		}
	}
	if o.fault != nil {
		return
	}
	line := o.kindName()
	if reason := o.reason(); reason != "" {
		line += ": " + reason
	}
	switch {
	case decided && place(h, nil) == "":
		line += fmt.Sprintf("  (rule %s)", h.Rule)
	case decided:
		line += fmt.Sprintf("  (rule %s, %s)", h.Rule, place(h, nil))
	case o.answer.Kind() == value.Object && len(o.effectList()) == 0:
		line += "  (no policy has an opinion)"
	}
	console.PrintLine(w, line)
	for _, text := range o.extras() {
		fmt.Fprintln(w, "  "+console.OneLine(text))
	}
}

// extras lists what comes with the answer.
func (o outcome) extras() (lines []string) {
	if !o.rewrite.IsAbsent() {
		lines = append(lines, "runs instead: "+o.rewrite.String())
	}
	for _, field := range []string{"content", "value"} {
		if v := o.answer.Get(field); !v.IsAbsent() {
			lines = append(lines, "shows instead: "+shown(v))
		}
	}
	for _, c := range o.answer.Get("contexts").Items() {
		lines = append(lines, "tells the model: "+c.Get("text").String())
	}
	for _, e := range o.effectList() {
		lines = append(lines, e.Key+": "+e.Value.String())
	}
	for _, note := range o.notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

func (o outcome) effectList() (list []value.Member) {
	if o.effects == nil {
		return nil
	}
	add := func(kind session.Effect, text string) {
		list = append(list, value.Member{Key: string(kind), Value: value.OfString(text)})
	}
	for _, m := range o.effects.Injected() {
		add(session.EffectInject, m.Text())
	}
	for _, m := range o.effects.Steered() {
		add(session.EffectSteer, m.Text())
	}
	if reason, ok := o.effects.Halted(); ok {
		add(session.EffectHalt, reason)
	}
	for _, text := range o.effects.Told() {
		add(session.EffectTell, text)
	}
	return list
}

func explained(h point.Handled) string {
	said := "no opinion"
	switch p := catalog.Find(h.Point); {
	case h.Err != nil:
		said = "fault: " + h.Err.Error()
	case p.Kind() == point.NotificationKind:
		said = "told"
	case h.Said != nil:
		if v, err := p.Decision().Encode(h.Said); err == nil {
			said = v.String()
		}
	}
	at := ""
	if h.Said != nil && h.At != "" {
		at = " at " + h.At
	}
	return fmt.Sprintf("%s  %s  rule %s%s  %d steps, %v  %s", h.Point, h.Extension, h.Rule, at, h.Steps, h.Took.Round(time.Microsecond), said)
}
