package catalog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// joined runs a point with one untyped handler for each answer, first attached
// first, none of which asks the rest. It returns the outcome or the error.
func joined(t *testing.T, p point.Point, payload value.Value, answers ...string) string {
	t.Helper()
	var r point.Registry
	_, err := r.Install(extension(func(in *point.Installer) {
		for _, text := range answers {
			p.HandleValue(in, func(_ context.Context, asked point.Asked) (a point.Answer, err error) {
				v, err := value.ParseString(text)
				if err != nil {
					return a, err
				}
				a.Decision, err = asked.Decode(schema.NodeOf(v))
				return a, err
			}, point.Attach{})
		}
	}), tool.Preapprove)
	require.NoError(t, err)
	v, err := p.RunValue(context.Background(), point.Run{Handlers: &r}, payload, nil)
	if err != nil {
		return err.Error()
	}
	return v.String()
}

const (
	allow    = `{"kind":"allow"}`
	allowC   = `{"kind":"allow","contexts":"a"}`
	approved = `{"kind":"allow","preapproved":true}`
	deny     = `{"kind":"deny","reason":"d"}`
	denyC    = `{"kind":"deny","reason":"d","contexts":"d"}`
	ask      = `{"kind":"ask","reason":"q"}`
	askC     = `{"kind":"ask","reason":"q","contexts":"q"}`

	context1  = `"contexts":[{"text":"a","extension":"policy"}]`
	conflict  = `: extension policy: two extensions `
	userText  = `{"role":"user","content":[{"kind":"text","text":"u"}],"source":{"kind":"user"}}`
	otherText = `{"role":"user","content":[{"kind":"text","text":"x"}],"source":{"kind":"runtime"}}`
	otherTwo  = `{"role":"user","content":[{"kind":"text","text":"y"}],"source":{"kind":"runtime"}}`
)

// joins is what becomes of two answers that were given without asking the
// rest. A want that begins with ":" is the end of an error that begins with the
// point. The order of attachment decides nothing but the order of contexts, and
// which of two equally strict answers is kept.
var joins = []struct{ point, first, second, want string }{
	// deny > ask > allow, preapproved only among allowances
	{"tools/pre-execute", allow, allow, allow},
	{"tools/pre-execute", allow, ask, ask},
	{"tools/pre-execute", ask, allow, ask},
	{"tools/pre-execute", allow, deny, deny},
	{"tools/pre-execute", deny, allow, deny},
	{"tools/pre-execute", ask, deny, deny},
	{"tools/pre-execute", deny, ask, deny},
	{"tools/pre-execute", ask, `{"kind":"ask","reason":"other"}`, ask},
	{"tools/pre-execute", approved, allow, approved},
	{"tools/pre-execute", allow, approved, approved},
	{"tools/pre-execute", approved, ask, ask},
	{"tools/pre-execute", ask, approved, ask},
	{"tools/pre-execute", approved, deny, deny},
	{"tools/pre-execute", allowC, ask, `{"kind":"ask","reason":"q",` + context1 + `}`},
	{"tools/pre-execute", allowC, deny, `{"kind":"deny","reason":"d",` + context1 + `}`},
	{"tools/pre-execute", askC, allowC, `{"kind":"ask","reason":"q","contexts":[{"text":"q","extension":"policy"},{"text":"a","extension":"policy"}]}`},
	{"tools/pre-execute", allowC, denyC, `{"kind":"deny","reason":"d","contexts":[{"text":"a","extension":"policy"},{"text":"d","extension":"policy"}]}`},

	// a rewrite wins over keeping; two different ones conflict
	{"tools/rewrite", `{"kind":"keep"}`, `{"kind":"keep"}`, `{"kind":"keep"}`},
	{"tools/rewrite", `{"kind":"keep"}`, `{"kind":"rewrite","arguments":{"a":1}}`, `{"kind":"rewrite","arguments":{"a":1}}`},
	{"tools/rewrite", `{"kind":"rewrite","arguments":{"a":1}}`, `{"kind":"keep"}`, `{"kind":"rewrite","arguments":{"a":1}}`},
	{"tools/rewrite", `{"kind":"rewrite","arguments":{"a":1,"b":2}}`, `{"kind":"rewrite","arguments":{"b":2,"a":1.0}}`, `{"kind":"rewrite","arguments":{"a":1,"b":2}}`},
	{"tools/rewrite", `{"kind":"rewrite","arguments":{"a":1}}`, `{"kind":"rewrite","arguments":{"a":2}}`, conflict + `rewrite this call in different ways; let one ask the other with next`},

	// refuse > grant > pass
	{"tools/approve", `{"kind":"pass"}`, `{"kind":"pass"}`, `{"kind":"pass"}`},
	{"tools/approve", `{"kind":"pass"}`, `{"kind":"grant"}`, `{"kind":"grant"}`},
	{"tools/approve", `{"kind":"grant"}`, `{"kind":"pass"}`, `{"kind":"grant"}`},
	{"tools/approve", `{"kind":"grant"}`, `{"kind":"grant"}`, `{"kind":"grant"}`},
	{"tools/approve", `{"kind":"grant"}`, `{"kind":"refuse"}`, `{"kind":"refuse"}`},
	{"tools/approve", `{"kind":"pass"}`, `{"kind":"refuse","reason":"r"}`, `{"kind":"refuse","reason":"r"}`},
	{"tools/approve", `{"kind":"refuse","reason":"r"}`, `{"kind":"grant"}`, `{"kind":"refuse","reason":"r"}`},

	// block > accept; two different replacements conflict
	{"tools/post-execute", `{"kind":"accept"}`, `{"kind":"accept"}`, `{"kind":"accept"}`},
	{"tools/post-execute", `{"kind":"accept","contexts":"a"}`, `{"kind":"accept","value":null}`, `{"kind":"accept","value":null,` + context1 + `}`},
	{"tools/post-execute", `{"kind":"accept","value":1}`, `{"kind":"accept","contexts":"a"}`, `{"kind":"accept","value":1,` + context1 + `}`},
	{"tools/post-execute", `{"kind":"accept","content":"x"}`, `{"kind":"accept"}`, `{"kind":"accept","content":[{"kind":"text","text":"x"}]}`},
	{"tools/post-execute", `{"kind":"accept","content":[]}`, `{"kind":"accept"}`, `{"kind":"accept","content":[]}`},
	{"tools/post-execute", `{"kind":"accept","content":"x"}`, `{"kind":"accept","content":"x"}`, `{"kind":"accept","content":[{"kind":"text","text":"x"}]}`},
	{"tools/post-execute", `{"kind":"accept","content":"x"}`, `{"kind":"accept","content":"y"}`, conflict + `replace this result in different ways; let one ask the other with next`},
	{"tools/post-execute", `{"kind":"accept","content":[]}`, `{"kind":"accept","value":1}`, conflict + `replace this result in different ways; let one ask the other with next`},
	{"tools/post-execute", `{"kind":"accept","contexts":"a"}`, `{"kind":"block","feedback":"no"}`, `{"kind":"block","feedback":[{"kind":"text","text":"no"}]}`},
	{"tools/post-execute", `{"kind":"block","feedback":"no","contexts":"a"}`, `{"kind":"accept","value":1}`, `{"kind":"block","feedback":[{"kind":"text","text":"no"}],` + context1 + `}`},

	// reject > enter; what is only added goes behind what the other enters
	{"agent/pre-step", enter(userText), enter(userText), enter(userText)},
	{"agent/pre-step", enter(userText, otherText), enter(userText), enter(userText, otherText)},
	{"agent/pre-step", enter(userText), enter(userText, otherText), enter(userText, otherText)},
	{"agent/pre-step", enter(userText, otherText), enter(userText, otherTwo), enter(userText, otherTwo, otherText)},
	{"agent/pre-step", enter(userText, otherText), enter(), enter(otherText)},
	{"agent/pre-step", enter(), enter(userText, otherText), enter(otherText)},
	{"agent/pre-step", enter(otherText), enter(otherTwo), conflict + `change the entering messages in different ways; let one ask the other with next`},
	{"agent/pre-step", enter(otherText), `{"kind":"reject","reason":"r"}`, `{"kind":"reject","reason":"r"}`},
	{"agent/pre-step", `{"kind":"reject","reason":"r"}`, enter(otherText), `{"kind":"reject","reason":"r"}`},

	// the one change of a request; two different ones conflict
	{"agent/request", `{"kind":"send","config":{}}`, `{"kind":"send","config":{"model":"m"}}`, `{"kind":"send","config":{"model":"m"}}`},
	{"agent/request", `{"kind":"send","config":{"model":"m"}}`, `{"kind":"send","config":{}}`, `{"kind":"send","config":{"model":"m"}}`},
	{"agent/request", `{"kind":"send","config":{"model":"m"}}`, `{"kind":"send","config":{"model":"m"}}`, `{"kind":"send","config":{"model":"m"}}`},
	{"agent/request", `{"kind":"send","config":{"model":"m"}}`, `{"kind":"send","config":{"model":"n"}}`, conflict + `change this request in different ways; let one ask the other with next`},

	// a retry wins, after the longer wait
	{"agent/request-error", `{"kind":"fail"}`, `{"kind":"retry","after":5}`, `{"kind":"retry","after":5}`},
	{"agent/request-error", `{"kind":"retry","after":5}`, `{"kind":"fail"}`, `{"kind":"retry","after":5}`},
	{"agent/request-error", `{"kind":"retry","after":5}`, `{"kind":"retry","after":9}`, `{"kind":"retry","after":9}`},

	// cancel > proceed; instructions are added up
	{"agent/pre-compact", `{"kind":"proceed"}`, `{"kind":"proceed","instructions":"b"}`, `{"kind":"proceed","instructions":"b"}`},
	{"agent/pre-compact", `{"kind":"proceed","instructions":"a"}`, `{"kind":"proceed"}`, `{"kind":"proceed","instructions":"a"}`},
	{"agent/pre-compact", `{"kind":"proceed","instructions":"a"}`, `{"kind":"proceed","instructions":"b"}`, `{"kind":"proceed","instructions":"a\nb"}`},
	{"agent/pre-compact", `{"kind":"proceed"}`, `{"kind":"cancel","reason":"r"}`, `{"kind":"cancel","reason":"r"}`},
	{"agent/pre-compact", `{"kind":"cancel","reason":"r"}`, `{"kind":"proceed"}`, `{"kind":"cancel","reason":"r"}`},

	// refuse > note > pass
	{"host/event", `{"kind":"pass"}`, `{"kind":"note","contexts":"a"}`, `{"kind":"note",` + context1 + `}`},
	{"host/event", `{"kind":"note","contexts":"a"}`, `{"kind":"pass"}`, `{"kind":"note",` + context1 + `}`},
	{"host/event", `{"kind":"note","contexts":"b"}`, `{"kind":"note","contexts":"a"}`, `{"kind":"note","contexts":[{"text":"b","extension":"policy"},{"text":"a","extension":"policy"}]}`},
	{"host/event", `{"kind":"note","contexts":"a"}`, `{"kind":"refuse","reason":"r"}`, `{"kind":"refuse","reason":"r"}`},
	{"host/event", `{"kind":"refuse","reason":"r"}`, `{"kind":"note","contexts":"a"}`, `{"kind":"refuse","reason":"r"}`},
}

func TestJoins(t *testing.T) {
	for _, test := range joins {
		t.Run(test.point+" "+test.first+" "+test.second, func(t *testing.T) {
			p := catalog.Find(test.point)
			payload := least(p.Payload())
			if test.point == "agent/pre-step" {
				payload = payload.With("messages", messages(t, userText))
			}
			want := test.want
			if want[0] == ':' {
				want = test.point + want
			}
			require.Equal(t, want, joined(t, p, payload, test.first, test.second))
		})
	}
}

func enter(list ...string) string { return `{"kind":"enter","messages":` + listOf(list) + `}` }

func listOf(list []string) string {
	text := "["
	for i, m := range list {
		if i > 0 {
			text += ","
		}
		text += m
	}
	return text + "]"
}

func messages(t *testing.T, list ...string) value.Value {
	t.Helper()
	v, err := value.ParseString(listOf(list))
	require.NoError(t, err)
	return v
}

// TestEveryJoinIsTried: a point that joins has rows above, with each of its answers
// on both sides. Else a join may drop one that it does not know.
func TestEveryJoinIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, test := range joins {
		for side, answer := range map[string]string{"first": test.first, "second": test.second} {
			v, err := value.ParseString(answer)
			require.NoError(t, err)
			tag, _ := v.Get(schema.TagField).Str()
			tried[test.point+" "+tag+" "+side] = true
		}
	}
	for _, p := range catalog.Points() {
		for _, tag := range p.Tags() {
			require.Equal(t, p.Joined(), tried[p.Name()+" "+tag+" first"], p.Name()+" "+tag)
			require.Equal(t, p.Joined(), tried[p.Name()+" "+tag+" second"], p.Name()+" "+tag)
		}
	}
}

// TestInvalidAnswers are those that fit the type and break a rule across fields.
func TestInvalidAnswers(t *testing.T) {
	for _, test := range []struct{ point, answer, want string }{
		{"tools/post-execute", `{"kind":"accept","content":"x","value":1}`, "tools/post-execute accept decision cannot replace both value and content"},
		{"tools/post-execute", `{"kind":"accept","content":[],"value":null}`, "tools/post-execute accept decision cannot replace both value and content"},
		{"agent/pre-step", `{"kind":"reject","reason":""}`, "reject needs a reason"},
		{"agent/pre-compact", `{"kind":"cancel","reason":""}`, "cancel needs a reason"},
		{"agent/request-error", `{"kind":"retry","after":-1}`, "retry.after is negative"},
		{"host/event", `{"kind":"refuse","reason":""}`, "refuse needs a reason"},
	} {
		p := catalog.Find(test.point)
		require.Equal(t, test.point+": extension policy: decision: "+test.want, joined(t, p, least(p.Payload()), test.answer), test.answer)
	}
}

// TestARewriteNeedsArguments that are an object. To leave them out is possible only
// in Go: on the wire they must be there.
func TestARewriteNeedsArguments(t *testing.T) {
	require.EqualError(t, tool.Rewrite{}.Validate(), "rewrite needs arguments")
	require.EqualError(t, tool.Rewrite{Arguments: value.NullValue()}.Validate(), "rewrite.arguments: want an object, got null")
	require.EqualError(t, tool.Rewrite{Arguments: value.OfString("ls")}.Validate(), "rewrite.arguments: want an object, got string")
	require.NoError(t, tool.Rewrite{Arguments: value.OfObject()}.Validate())
}

// TestPreapprovalNeedsItsGrant.
func TestPreapprovalNeedsItsGrant(t *testing.T) {
	require.Equal(t, tool.Preapprove, tool.Allow{Preapproved: true}.Needs())
	require.Empty(t, tool.Allow{}.Needs())
	var r point.Registry
	_, err := r.Install(extension(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{Preapproved: true}, nil
		})
	}))
	require.NoError(t, err)
	_, err = tool.PreExecute.Run(context.Background(), point.Run{Handlers: &r}, tool.Call{})
	require.EqualError(t, err, `tools/pre-execute: extension policy: decision: needs the grant "preapprove", which this extension does not have`)
}
