package cli

import (
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/value"
)

// report is the outcome for programs: one object whose first members are always
// kind, decided, reason, rule and at.
func (o outcome) report(h point.Handled, decided, explain bool) value.Value {
	members := []value.Member{
		{Key: "kind", Value: value.OfString(o.kindName())},
		{Key: "decided", Value: value.OfBool(decided && o.fault == nil)},
		{Key: "reason", Value: value.OfString(o.reason())},
		{Key: "rule", Value: optional(h.Rule)},
		{Key: "at", Value: optional(place(h, o.fault))},
		{Key: "extension", Value: optional(h.Extension)},
		{Key: "event", Value: optional(o.event)},
		{Key: "point", Value: optional(o.point)},
		{Key: "action", Value: o.action},
		{Key: "answer", Value: o.answer},
		{Key: "arguments", Value: o.rewrite},
	}
	if effects := o.effectList(); len(effects) > 0 {
		list := make([]value.Value, len(effects))
		for i, e := range effects {
			list[i] = value.OfObject(value.Member{Key: "effect", Value: value.OfString(e.Key)}, value.Member{Key: "text", Value: e.Value})
		}
		members = append(members, value.Member{Key: "effects", Value: value.OfList(list...)})
	}
	if len(o.notes) > 0 {
		members = append(members, value.Member{Key: "notes", Value: texts(o.notes)})
	}
	if explain {
		members = append(members, value.Member{Key: "handlers", Value: handlers(o.handled)})
	}
	return value.OfObject(members...)
}

// optional leaves out a member whose text is empty.
func optional(text string) value.Value {
	if text == "" {
		return value.Value{}
	}
	return value.OfString(text)
}

func texts(list []string) value.Value {
	items := make([]value.Value, len(list))
	for i, text := range list {
		items[i] = value.OfString(text)
	}
	return value.OfList(items...)
}

func handlers(list []point.Handled) value.Value {
	items := make([]value.Value, len(list))
	for i, h := range list {
		items[i] = handler(h)
	}
	return value.OfList(items...)
}

func handler(h point.Handled) value.Value {
	var said, answer, fault value.Value
	if p := catalog.Find(h.Point); h.Err == nil && p.Decision() != nil {
		answer, _ = p.Decision().Encode(h.Answer)
		if h.Said != nil {
			said, _ = p.Decision().Encode(h.Said)
		}
	}
	if h.Err != nil {
		fault = value.OfString(h.Err.Error())
	}
	return value.OfObject(
		value.Member{Key: "point", Value: value.OfString(h.Point)},
		value.Member{Key: "extension", Value: value.OfString(h.Extension)},
		value.Member{Key: "rule", Value: value.OfString(h.Rule)},
		value.Member{Key: "at", Value: optional(h.At)},
		value.Member{Key: "own", Value: value.OfBool(h.Own)},
		value.Member{Key: "steps", Value: value.OfInt(h.Steps)},
		value.Member{Key: "took_us", Value: value.OfInt(h.Took.Microseconds())},
		value.Member{Key: "said", Value: said},
		value.Member{Key: "answer", Value: answer},
		value.Member{Key: "fault", Value: fault},
	)
}
