package stdlib

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func setClass() Class {
	parts := []Field{{"parts", "string|any[]", "what is judged: the commands of a line, the files of a call"}}
	answer := func(kind string) []Field {
		return []Field{{"", "{ kind: " + kind + ", reason: string, contexts?: string[] }?", "an answer, or nil"}}
	}
	return Class{
		Name: "dsh.rules.Set", Doc: "Rules, in order, with their exceptions.",
		Methods: []Function{
			{Name: "deny", Doc: "Denies if any part breaks a rule: the first part in order, by the first rule. The reason names the rule, its hint becomes a context for the model.", Params: parts, Returns: answer(`"deny"`), Call: judge("deny")},
			{Name: "ask", Doc: "Asks in the same case.", Params: parts, Returns: answer(`"ask"`), Call: judge("ask")},
			{Name: "hit", Doc: "Returns the rule that is broken and the part that does, or nil, for a rule that answers in its own way.", Params: parts, Returns: []Field{{"", "dsh.rules.Hit?", ""}}, Call: rulesHit},
			{Name: "every", Doc: "Reports whether each part fits at least one rule, and there is a part. Allow only then: a line is as harmless as its worst part.", Params: parts, Returns: []Field{{"", "boolean", ""}}, Call: rulesEvery},
		},
	}
}

func rulesModule() Module {
	return Module{
		Name: "rules",
		Doc: "Rules as data: each has a name, a reason and a hint for the agent, and exceptions that are narrower than a switch. " +
			"Deny if any part breaks a rule; allow only if every part fits one.",
		Classes: []Class{
			{Name: "dsh.rules.Rule", Doc: "One rule.", Fields: []Field{
				{"name", "string", "names it in answers and exceptions"},
				{"reason", "string", "tells the model why"},
				{"hint?", "string", "tells the model what to do instead"},
				{"match", "string|string[]|fun(part: any): any", "a pattern of re, or several, for a part that is a text, or for its path; or a function that is true for a part that the rule is about"},
			}},
			{Name: "dsh.rules.Exception", Doc: "Where a rule does not hold.", Fields: []Field{
				{"rule", "string", "the name of the rule"},
				{"path", "string|string[]", "a pattern of glob for the part, or for its path and real path, which both have to fit; one that does not begin with / is for paths below the project"},
				{"expires?", "string", "the last day on which it holds, as 2026-12-31, by the time of the event; where that is not known it does not hold"},
				{"because?", "string", "why, for readers"},
			}},
			{Name: "dsh.rules.Hit", Doc: "A rule that is broken.", Fields: []Field{
				{"rule", "string", "its name"},
				{"reason", "string", ""},
				{"hint", "string?", ""},
				{"part", "any", "the part that breaks it"},
			}},
			setClass(),
		},
		Functions: []Function{{
			Name: "new", Doc: "Makes a set of rules, at file level. Mistakes in them raise an error there: unknown fields, two rules of one name, an exception of a rule that is not there.",
			Params:  []Field{{"rules", "dsh.rules.Rule[]", ""}, {"exceptions?", "dsh.rules.Exception[]", ""}},
			Returns: []Field{{"", "dsh.rules.Set", ""}},
			Call:    rulesNew,
		}},
	}
}

func rulesNew(c *Call) error {
	set, err := c.readRules()
	if err != nil {
		return err
	}
	return c.Return(c.Object(setClass(), set, nil))
}

// parts reads argument 1.
func (c *Call) parts() ([]lua.LValue, error) {
	if _, ok := c.Arg(1).(lua.LString); ok {
		return []lua.LValue{c.Arg(1)}, nil
	}
	r := c.vm.Reader("parts")
	items, err := r.Root(c.Arg(1)).Items()
	c.Charge(stepsPerItem * (r.Work() + len(items)))
	if err != nil {
		return nil, err
	}
	parts := make([]lua.LValue, len(items))
	for i, item := range items {
		parts[i] = item.LValue()
	}
	return parts, nil
}

// hit returns the first rule that a part breaks.
func (c *Call) hit() (broken *rule, part lua.LValue, err error) {
	set, ok := c.Self.(*ruleSet)
	if !ok {
		return nil, nil, errColon
	}
	parts, err := c.parts()
	if err != nil {
		return nil, nil, err
	}
	for _, part := range parts {
		for i := range set.rules {
			holds, err := c.holds(set, &set.rules[i], part)
			if holds || err != nil {
				return &set.rules[i], part, err
			}
		}
	}
	return nil, lua.LNil, nil
}

// judge is a method that answers with the given kind.
func judge(kind string) func(*Call) error {
	return func(c *Call) error {
		broken, _, err := c.hit()
		if err != nil || broken == nil {
			return orNil(c, err)
		}
		answer := map[string]lua.LValue{
			"kind": lua.LString(kind), "reason": c.vm.Text(broken.name + ": " + broken.reason),
		}
		if broken.hint != "" {
			answer["contexts"] = c.Texts([]string{broken.hint})
		}
		return c.Return(c.Table(answer))
	}
}

func rulesHit(c *Call) error {
	broken, part, err := c.hit()
	if err != nil || broken == nil {
		return orNil(c, err)
	}
	return c.Return(c.Table(map[string]lua.LValue{
		"rule": c.vm.Text(broken.name), "reason": c.vm.Text(broken.reason), "hint": c.optional(broken.hint), "part": part,
	}))
}

func rulesEvery(c *Call) error {
	set, ok := c.Self.(*ruleSet)
	if !ok {
		return errColon
	}
	parts, err := c.parts()
	if err != nil {
		return err
	}
	for _, part := range parts {
		fits := false
		for i := 0; i < len(set.rules) && !fits; i++ {
			if fits, err = c.holds(set, &set.rules[i], part); err != nil {
				return err
			}
		}
		if !fits {
			return c.Return(lua.LFalse)
		}
	}
	return c.Return(lua.LBool(len(parts) > 0))
}

// holds reports whether a rule is about a part and no exception is.
func (c *Call) holds(set *ruleSet, r *rule, part lua.LValue) (bool, error) {
	about, err := c.about(r, part)
	if err != nil || !about {
		return false, err
	}
	for i := range set.exceptions {
		if e := &set.exceptions[i]; e.rule == r.name && c.excepts(e, part) {
			return false, nil
		}
	}
	return true, nil
}

func (c *Call) about(r *rule, part lua.LValue) (bool, error) {
	if r.judge != nil {
		c.L.Push(r.judge)
		c.L.Push(part)
		c.L.Call(1, 1)
		truth := lua.LVAsBool(c.L.Get(-1))
		c.L.Pop(1)
		return truth, nil
	}
	text, ok := c.textOf(part, "path")
	if !ok {
		return false, fmt.Errorf("rule %q: a pattern is for a part that is a text or has a path, got %s", r.name, luavm.TypeName(part))
	}
	if len(text) > maxSearched {
		return false, fmt.Errorf("rule %q: a part is %d bytes long; it may have %d", r.name, len(text), maxSearched)
	}
	for _, source := range r.patterns {
		p, err := c.pattern(source)
		if err != nil {
			return false, fmt.Errorf("rule %q: %w", r.name, err)
		}
		if c.matches(sought{pattern: p, text: text}) {
			return true, nil
		}
	}
	return false, nil
}

// textOf returns a part that is a text, or a field of it.
func (c *Call) textOf(part lua.LValue, field string) (string, bool) {
	if text, ok := part.(lua.LString); ok {
		return string(text), true
	}
	member, ok := c.vm.Reader("part").Root(part).Get(field)
	return member.Str(), ok && member.Kind() == luavm.KindString
}

var errRules = errors.New("rules: want a list of rules")
