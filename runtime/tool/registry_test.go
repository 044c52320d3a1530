package tool_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

func definition(name string) tool.Definition {
	return tool.Definition{Name: name, Output: tool.Output{Schema: value.OfObject()}, Execute: returning(name)}
}

func TestDefinitionsAreChecked(t *testing.T) {
	for _, test := range []struct {
		change func(d *tool.Definition)
		want   string
	}{
		{func(d *tool.Definition) { d.Name = "" }, "a tool needs a name"},
		{func(d *tool.Definition) { d.Name = "run_code" }, `the tool name "run_code" is reserved`},
		{func(d *tool.Definition) { d.Execute = nil }, `tool "t" has no body`},
		{func(d *tool.Definition) { d.Output.Schema = value.Value{} }, `tool "t": Output.Schema is missing; the empty object takes any value`},
		{func(d *tool.Definition) { d.Output.Schema = object(t, `{"type":"any"}`) }, `tool "t": output: unsupported JSON schema: schema.type must be one of object/array/string/number/integer/boolean/null`},
		{func(d *tool.Definition) { d.Parameters = object(t, `{"$ref":"#"}`) }, `tool "t": parameters: unsupported JSON schema: schema.$ref is not a supported keyword (subset: type/oneOf/properties/required/additionalProperties/items/enum/const + annotations)`},
		{func(d *tool.Definition) { d.Timeout = -1 }, `tool "t": Timeout is negative`},
	} {
		d := definition("t")
		test.change(&d)
		_, err := new(tool.Registry).Register(d)
		require.EqualError(t, err, test.want)
	}
	d := definition("t")
	d.Parameters, d.Unchecked = object(t, `{"$ref":"#"}`), true
	_, err := new(tool.Registry).Register(d)
	require.NoError(t, err)
}

func TestScopesShadowAndRestrict(t *testing.T) {
	root := new(tool.Registry)
	for _, name := range []string{"a", "b", "c"} {
		_, err := root.Register(definition(name))
		require.NoError(t, err)
	}
	_, err := root.Register(definition("a"))
	require.EqualError(t, err, `a tool "a" is registered already`)
	parent := root.Child()
	child := parent.Child()

	_, err = root.Restrict(tool.Restriction{Deny: []string{"a"}})
	require.Error(t, err)
	_, err = parent.Restrict(tool.Restriction{})
	require.Error(t, err)
	_, err = parent.Restrict(tool.Restriction{Deny: []string{"nope"}})
	require.EqualError(t, err, `cannot restrict unknown tool "nope"`)

	lift, err := parent.Restrict(tool.Restriction{Allow: []string{"a", "b"}})
	require.NoError(t, err)
	_, err = child.Restrict(tool.Restriction{Deny: []string{"b"}})
	require.NoError(t, err)
	own := definition("c")
	own.Description = "the child's"
	remove, err := child.Register(own)
	require.NoError(t, err)

	require.Equal(t, []string{"a", "b", "c"}, names(t, root))
	require.Equal(t, []string{"a", "b"}, names(t, parent))
	require.Equal(t, []string{"a", "c"}, names(t, child))
	d, _ := child.Lookup("c")
	require.Equal(t, "the child's", d.Description)
	remove()
	remove()
	require.Equal(t, []string{"a"}, names(t, child))
	lift()
	require.Equal(t, []string{"a", "c"}, names(t, child))
}

func names(t *testing.T, r *tool.Registry) (out []string) {
	t.Helper()
	schemas, err := r.Schemas()
	require.NoError(t, err)
	for _, s := range schemas {
		out = append(out, s.Name)
	}
	return out
}

func TestSchemasAreJSON(t *testing.T) {
	r := new(tool.Registry)
	d := definition("t")
	d.Parameters, d.Unchecked = object(t, `{"default":-0}`), true
	_, err := r.Register(d)
	require.NoError(t, err)
	_, err = r.Schemas()
	require.EqualError(t, err, `tool "t" parameters must be lossless JSON before schema projection`)
}

// TestTerminal asks, line by line, and does not take an old line for an answer.
func TestTerminal(t *testing.T) {
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	terminal := tool.NewTerminal(in, out)
	screen := bufio.NewReader(shown)
	ask := func(ctx context.Context, answer string) (tool.ApprovalDecision, error) {
		go func() {
			_, _ = screen.ReadString('?')
			_, _ = screen.ReadString(']')
			_, _ = screen.Discard(1)
			if answer != "" {
				_, _ = io.WriteString(typed, answer)
			}
		}()
		return terminal.Approve(ctx, tool.Approval{Call: tool.Call{Tool: "shell", Arguments: object(t, `{"command":"ls\u001b[2K"}`)}, Reason: "why"})
	}
	for answer, want := range map[string]tool.ApprovalDecision{"y\n": tool.Grant{}, " YES \n": tool.Grant{}, "\n": tool.Refuse{}, "yep\n": tool.Refuse{}} {
		got, err := ask(t.Context(), answer)
		require.NoError(t, err)
		require.Equal(t, want, got, answer)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := terminal.Approve(ctx, tool.Approval{})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, typed.Close())
	got, err := ask(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, tool.Pass{}, got)
}

// TestTerminalShowsWhatItAsksAbout: no text can be shown as another one, or as a
// question of its own.
func TestTerminalShowsWhatItAsksAbout(t *testing.T) {
	var screen strings.Builder
	_, err := tool.NewTerminal(strings.NewReader("n\n"), &screen).Approve(t.Context(), tool.Approval{
		Call:   tool.Call{Tool: "read\nAllow this call?", Arguments: object(t, `{"p":"a\u202eb\u2066c\u200bd\u2028e"}`)},
		Reason: "why\x1b[1A\u202e\nand",
	})
	require.NoError(t, err)
	require.Equal(t, `read Allow this call? {"p":"a\u202eb\u2066c\u200bd\u2028e"}`+"\n"+`why\x1b[1A\u202e`+"\nand\nAllow this call? [y/N] ", screen.String())
}
