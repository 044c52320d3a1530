package tool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// FuzzDecisions gives every point an answer made of any JSON, as a script or a
// hook may have written it, and the same to the tool as its arguments and its
// value: the call has a result that is JSON, and its body runs only if policy let
// it and nothing was wrong with what policy said.
func FuzzDecisions(f *testing.F) {
	for _, text := range []string{
		`{"kind":"allow"}`, `{"kind":"deny","reason":"x"}`, `{"kind":"ask"}`, `{"kind":"rewrite","arguments":-0}`, `{"kind":"forbid"}`, `{"kind":"forbid","reason":"x"}`,
		`{"kind":"grant"}`, `{"kind":"accept","content":["a"]}`, `{"kind":"accept","value":1e400}`, `{"kind":"block","feedback":[]}`,
		`{"kind":"success","value":null}`, `{"kind":"failure","message":"\ud800"}`, `{"kind":"maybe"}`, `null`, `7`, `{}`,
	} {
		addAt(f, text)
	}
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		v, err := value.ParseString(text)
		if err != nil {
			return
		}
		r := newRig(t)
		said, ran := r.consents(), false
		r.tool(func(context.Context, *tool.Running) (any, error) { ran = true; return v, nil })
		for i, p := range tool.Points() {
			if at&(1<<i) != 0 {
				r.attach(func(in *point.Installer) { p.HandleValue(in, answering(v), point.Attach{Raw: true}) })
			}
		}
		requireLossless(t, r.call(t.Context(), v))
		require.True(t, !ran || said.given(), "the body ran in spite of %v", said.said)
	})
}

// addAt adds text as the answer of every point, and of each alone.
func addAt(f *testing.F, text string) {
	f.Add(text, uint8(0xff))
	for i := range tool.Points() {
		f.Add(text, uint8(1<<i))
	}
}

// answering makes a handler that always says v.
func answering(v value.Value) point.ValueHandler {
	return func(_ context.Context, asked point.Asked) (point.Answer, error) {
		if asked.Decode == nil || v.IsAbsent() {
			return point.Answer{}, nil
		}
		d, err := asked.Decode(schema.NodeOf(v))
		return point.Answer{Decision: d}, err
	}
}

// FuzzScripts lets scripts answer with any Lua value. text is an expression.
func FuzzScripts(f *testing.F) {
	for _, text := range []string{
		`dsh.allow()`, `{kind="deny", reason="x"}`, `function() end`, `{kind="accept", value=0/0}`, `{kind="accept", value=-0.0}`,
		`{kind="success", value={1, a=2}}`, `{kind="block", feedback={"a", "b"}}`, `next`, `call`, `setmetatable({}, {})`, `1e308*10`,
		`{kind="failure", message=("x"):rep(100), content={}}`, `(next and next())`, `{kind="rewrite", arguments={f=print}}`,
		`{kind="rewrite", arguments=call.arguments or {}}`, `next and {kind="ask"} or nil`, `next and dsh.grant()`, `{kind="forbid", reason=1}`, `{kind="forbid", reason="x"}`,
	} {
		addAt(f, text)
	}
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		r := newRig(t)
		said, ran := r.consents(), false
		r.tool(func(context.Context, *tool.Running) (any, error) { ran = true; return "body", nil })
		var source strings.Builder
		for i, p := range tool.Points() {
			if at&(1<<i) != 0 {
				fmt.Fprintf(&source, "dsh.on(%q, {raw = true}, function(call, next) return (%s) end)\n", p.Name(), text)
			}
		}
		s, err := script.Load(t.Context(), "f.lua", source.String(), script.Options{Points: tool.Points()})
		if err != nil {
			return
		}
		_, err = r.scope.Host.Run.Handlers.Install(s)
		require.NoError(t, err)
		requireLossless(t, r.call(t.Context(), text))
		require.True(t, !ran || said.given(), "the body ran in spite of %v", said.said)
	})
}
