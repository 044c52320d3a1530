package scripttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An expectation is what test.expect began.
type expectation struct {
	at  string
	got lua.LValue
}

var errExpected = errors.New("not as expected")

var errNoTest = errors.New("it is for tests, not for file level")

// expect implements test.expect.
func (f *fileRun) expect(c *stdlib.Call) error {
	if f.test == nil {
		return errNoTest
	}
	if f.test.begun != nil {
		return fmt.Errorf("the one at %s is followed by no expectation", f.test.begun.at)
	}
	file, line := luavm.Caller(c.L)
	e := &expectation{fmt.Sprintf("%s:%d", file, line), c.Arg(1)}
	f.test.begun = e
	return c.Return(f.env.Object(f.class, e, nil))
}

// A verdict is what an expectation found: ok, or what differs.
type verdict struct {
	ok        bool
	text      string
	want, got string // compared line by line; empty if text says it all
}

// A check holds a value against what a call of an expectation says.
type check func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error)

// method makes an expectation of a check. It hands out its receiver, so that
// another can follow.
func (f *fileRun) method(name, doc string, params []field, judge check) stdlib.Function {
	return stdlib.Function{
		Name: name, Doc: doc, Params: params, Returns: []field{{Type: "dsh.test.Expectation"}},
		Call: func(c *stdlib.Call) error {
			e, ok := c.Self.(*expectation)
			if !ok || f.test == nil {
				return errNoTest
			}
			f.test.begun = nil
			v, err := judge(f, c, e)
			if err != nil {
				return err
			}
			f.test.said++
			if !v.ok {
				return f.unexpected(c, e, v)
			}
			return c.Return(c.Arg(0))
		},
	}
}

// unexpected makes the test fail.
func (f *fileRun) unexpected(c *stdlib.Call, e *expectation, v verdict) error {
	file, line := luavm.Caller(c.L)
	failed := &Failure{At: fmt.Sprintf("%s:%d", file, line), Text: v.text}
	if v.want != "" || v.got != "" {
		failed.Diff = diff(v.want, v.got)
	}
	if o := outcomeOf(e.got); o != nil {
		failed.Notes = append(failed.Notes, "got "+o.said())
	}
	f.test.fail(failed)
	return errExpected
}

func outcomeOf(v lua.LValue) *outcome {
	carried, _ := luavm.Carried(v)
	o, _ := carried.(*outcome)
	return o
}

// judged makes a check of one that is for outcomes without a fault.
func judged(judge func(f *fileRun, c *stdlib.Call, o *outcome) (verdict, error)) check {
	return func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
		o := outcomeOf(e.got)
		if o == nil {
			return verdict{}, fmt.Errorf("it is for what test.fire, test.hook or a session returns, got a %s", luavm.TypeName(e.got))
		}
		if o.fault != nil {
			o.excused = true
			return verdict{text: "a policy is at fault"}, nil
		}
		return judge(f, c, o)
	}
}

func expectationClass(f *fileRun) stdlib.Class {
	return stdlib.Class{
		Name: "dsh.test.Expectation", Doc: "What a test says of a value. Each returns the expectation, so that more can follow.",
		Methods: slices.Concat(f.ofAnswers(), f.ofEffects(), f.ofValues()),
	}
}

// answers are the expectations that stand for one kind of answer.
var answers = []struct{ name, kind, doc string }{
	{"allows", "allow", "The call is allowed."},
	{"denies", "deny", "The call is denied."},
	{"asks", "ask", "Somebody has to approve the call."},
	{"forbids", "forbid", "A guard refuses the call."},
	{"accepts", "accept", "The result is accepted."},
	{"blocks", "block", "The result is withheld."},
	{"rejects", "reject", "The step is rejected."},
}

func (f *fileRun) ofAnswers() []stdlib.Function {
	part := []field{{Name: "part?", Type: "string", Doc: "that the reason contains"}}
	list := []stdlib.Function{
		f.method("is", "The answer is of a kind.", []field{{Name: "kind", Type: "string"}, part[0]}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			return ofKind(o, c.Str(1), c.Str(2))
		})),
	}
	for _, a := range answers {
		list = append(list, f.method(a.name, a.doc, part, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			return ofKind(o, a.kind, c.Str(1))
		})))
	}
	return append(
		list,
		f.method("silent", "No policy has an opinion, and none has an effect.", nil, judged(func(_ *fileRun, _ *stdlib.Call, o *outcome) (verdict, error) {
			_, decided := o.decider()
			for _, what := range effects() {
				decided = decided || len(o.effect(what)) > 0
			}
			return verdict{ok: !decided, text: "want no opinion"}, nil
		})),
		f.method("reason", "The reason is exactly this text.", []field{{Name: "text", Type: "string"}}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			return verdict{o.reason() == c.Str(1), "another reason", c.Str(1), o.reason()}, nil
		})),
		f.method("rule", "The rule with this name decided.", []field{{Name: "name", Type: "string"}}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			h, _ := o.decider()
			return verdict{h.Rule == c.Str(1), "another rule decided", c.Str(1), shownOr(h.Rule, "(no rule)")}, nil
		})),
		f.method("at", "The answer was built on a line: file:line or the end of it, such as :12.", []field{{Name: "place", Type: "string"}}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			h, _ := o.decider()
			return verdict{strings.HasSuffix(o.at(h), c.Str(1)), "built elsewhere", c.Str(1), shownOr(o.at(h), "(nowhere)")}, nil
		})),
		f.method("answer", "The whole answer is this table.", []field{{Name: "answer", Type: "table"}}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			want, err := c.Value(1, "answer")
			return sameValue("another answer", want, o.answer), err
		})),
		f.method("rewrites", "A client's call runs with these arguments instead of its own.", []field{{Name: "arguments", Type: "table"}}, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			want, err := c.Value(1, "arguments")
			return sameValue("other arguments", want, o.rewritten()), err
		})),
		f.method("faults", "A policy is at fault; part is in what is wrong.", []field{{Name: "part?", Type: "string"}}, func(_ *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			o := outcomeOf(e.got)
			switch {
			case o == nil:
				return verdict{}, fmt.Errorf("it is for outcomes, got a %s", luavm.TypeName(e.got))
			case o.fault == nil:
				return verdict{text: "want a fault of a policy"}, nil
			}
			o.excused = true
			return holds("the fault", o.fault.Error(), c.Str(1)), nil
		}),
	)
}

// rewritten are the arguments that the call runs with instead of its own.
func (o *outcome) rewritten() value.Value {
	if o.arguments.IsAbsent() {
		return o.answer.Get("arguments")
	}
	return o.arguments
}

func shownOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// ofKind expects an answer of a kind, with a part of its reason.
func ofKind(o *outcome, kind, part string) (verdict, error) {
	known := []string{kindNone, kindTold}
	if o.point != nil && o.point.Decision() != nil {
		known = o.point.Tags()
	}
	if !slices.Contains(known, kind) && kind != kindNone {
		return verdict{}, fmt.Errorf("no answer here is of kind %q%s", kind, luavm.Hint(kind, known))
	}
	if got := o.kind(); got != kind {
		return verdict{text: "another answer", want: kind, got: got}, nil
	}
	return holds("the reason", o.reason(), part), nil
}

// holds expects a text to contain a part.
func holds(what, text, part string) verdict {
	if strings.Contains(text, part) {
		return verdict{ok: true}
	}
	return verdict{text: fmt.Sprintf("%s does not contain the text", what), want: part, got: text}
}

func sameValue(text string, want, got value.Value) verdict {
	w, g := pretty(want), pretty(got)
	return verdict{w == g, text, w, g}
}

// effectNames are the expectations of effects.
var effectNames = []struct {
	name   string
	effect session.Effect
	doc    string
}{
	{"injects", session.EffectInject, "A policy adds a message to the next request."},
	{"steers", session.EffectSteer, "A policy asks for another step."},
	{"halts", session.EffectHalt, "A policy ends the turn."},
	{"tells", session.EffectTell, "A policy tells the human something."},
}

func (f *fileRun) ofEffects() []stdlib.Function {
	part := []field{{Name: "part?", Type: "string", Doc: "that a text of it contains"}}
	list := []stdlib.Function{
		f.method("context", "The answer adds a text for the model.", part, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			return among("no such context", o.contexts(), c.Str(1)), nil
		})),
		f.method("no_effects", "No policy injects, steers, halts or tells anything.", nil, judged(func(_ *fileRun, _ *stdlib.Call, o *outcome) (verdict, error) {
			for _, what := range effects() {
				if texts := o.effect(what); len(texts) > 0 {
					return verdict{text: "want no effects", want: "", got: string(what) + ": " + strings.Join(texts, "\n")}, nil
				}
			}
			return verdict{ok: true}, nil
		})),
	}
	for _, n := range effectNames {
		list = append(list, f.method(n.name, n.doc, part, judged(func(_ *fileRun, c *stdlib.Call, o *outcome) (verdict, error) {
			return among("no such effect: "+string(n.effect), o.effect(n.effect), c.Str(1)), nil
		})))
	}
	return list
}

// among expects one of the texts to contain a part.
func among(text string, texts []string, part string) verdict {
	for _, t := range texts {
		if strings.Contains(t, part) {
			return verdict{ok: true}
		}
	}
	return verdict{text: text, want: shownOr(part, "(any)"), got: shownOr(strings.Join(texts, "\n"), "(none)")}
}

func (f *fileRun) ofValues() []stdlib.Function {
	any := []field{{Name: "want", Type: "any"}}
	return []stdlib.Function{
		f.method("equals", "The value is this one; tables are compared by what is in them.", any, func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			return f.equal(c, e)
		}),
		f.method("differs", "The value is not this one.", any, func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			v, err := f.equal(c, e)
			return verdict{ok: !v.ok, text: "want another value than " + v.got}, err
		}),
		f.method("contains", "A text contains a part, or a list an item.", any, func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			want, got, err := f.both(c, e)
			if err != nil {
				return verdict{}, err
			}
			if text, ok := got.Str(); ok {
				part, _ := want.Str()
				return holds("the text", text, part), nil
			}
			for _, item := range got.Items() {
				if pretty(item) == pretty(want) {
					return verdict{ok: true}, nil
				}
			}
			return verdict{text: "the list does not contain the item", want: pretty(want), got: pretty(got)}, nil
		}),
		f.method("truthy", "The value is neither nil nor false.", nil, func(_ *fileRun, _ *stdlib.Call, e *expectation) (verdict, error) {
			return verdict{ok: lua.LVAsBool(e.got), text: "want a value that is true, got " + e.got.String()}, nil
		}),
		f.method("falsy", "The value is nil or false.", nil, func(_ *fileRun, _ *stdlib.Call, e *expectation) (verdict, error) {
			return verdict{ok: !lua.LVAsBool(e.got), text: "want nil or false, got " + luavm.TypeName(e.got)}, nil
		}),
		f.method("raises", "The function raises an error; part is in its text.", []field{{Name: "part?", Type: "string"}}, func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			if e.got.Type() != lua.LTFunction {
				return verdict{}, errors.New("it is for functions")
			}
			_, err := f.vm.Call(e.got)
			if err == nil {
				return verdict{text: "the function raises nothing"}, nil
			}
			return holds("the error", err.Error(), c.Str(1)), nil
		}),
		f.method("snapshot", "The value is the one that is kept under a name in the file NAME_test.snap. dsh test --update writes it.", []field{{Name: "name", Type: "string"}}, func(f *fileRun, c *stdlib.Call, e *expectation) (verdict, error) {
			if o := outcomeOf(e.got); o != nil && o.fault != nil {
				o.excused = true
			}
			got, err := f.vm.ToValue("got", e.got)
			if err != nil {
				return verdict{}, err
			}
			return f.snapshots.compare(f, c.Str(1), got)
		}),
	}
}

func (f *fileRun) both(c *stdlib.Call, e *expectation) (want, got value.Value, err error) {
	if want, err = c.Value(1, "want"); err != nil {
		return want, got, err
	}
	got, err = f.vm.ToValue("got", e.got)
	return want, got, err
}

func (f *fileRun) equal(c *stdlib.Call, e *expectation) (verdict, error) {
	if c.Arg(1) == e.got {
		return verdict{ok: true, got: pretty(value.OfString(e.got.String()))}, nil
	}
	want, got, err := f.both(c, e)
	return sameValue("another value", want, got), err
}
