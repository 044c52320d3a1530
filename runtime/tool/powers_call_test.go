package tool_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// TestARewriteReplacesTheArgumentsOnly, as a whole, and every later phase and
// what reads the call on the way see the same ones.
func TestARewriteReplacesTheArgumentsOnly(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		want := value.OfObject(value.Member{Key: "x", Value: g.json(2)})
		if _, err := tool.Snapshot(want); err != nil {
			continue
		}
		var seen []tool.Call
		see := func(c tool.Call) { seen = append(seen, c) }
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			see(run.Call())
			return run.Arguments(), nil
		}, func(d *tool.Definition) {
			d.FinalizeContent = func(c tool.Call, _ tool.Result) ([]session.Part, error) { see(c); return nil, nil }
		})
		r.attach(func(in *point.Installer) {
			tool.OnRewrite.Handle(in, func(_ context.Context, p tool.Proposal, _ point.Next[tool.Rewriting]) (tool.Rewriting, error) {
				p.Tool, p.ID, p.Arguments = "other", "2", value.NullValue()
				return tool.Rewrite{Arguments: want, Reason: g.text()}, nil
			})
			tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				see(c)
				return next(ctx)
			})
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) { see(c); return tool.Abstain{}, nil })
			tool.OnExecute.Handle(in, func(ctx context.Context, c tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
				see(c)
				return next(ctx)
			})
			tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				see(d.Call)
				return next(ctx)
			})
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error { see(d.Call); return nil })
		})
		result := r.call(t.Context(), g.json(1))
		if _, lossy := result.(tool.Failure); lossy {
			require.Empty(t, seen[:max(0, len(seen)-2)], "arguments of the model that are not JSON") // finalised and told only
			continue
		}
		require.True(t, result.(tool.Success).Value.Equal(want))
		require.Len(t, seen, 7)
		for _, c := range seen {
			require.True(t, c.Arguments.Equal(want))
			require.Equal(t, [2]string{"t", "1"}, [2]string{c.Tool, c.ID})
		}
	}
}

// TestABodyHasItsValueOnly: whatever it returns is the value, from which the
// content is made, and an error is a failure; of contexts it adds its own.
func TestABodyHasItsValueOnly(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		returned := value.OfObject(
			value.Member{Key: "kind", Value: value.OfString("failure")}, value.Member{Key: "content", Value: g.json(2)},
			value.Member{Key: "meta", Value: g.json(1)}, value.Member{Key: "contexts", Value: g.json(1)},
		)
		fails, contexts := g.IntN(3) == 0, g.contexts()
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			for _, c := range contexts {
				run.DeferContext(c)
			}
			if fails {
				return returned, errors.New("failed")
			}
			return returned, nil
		})
		r.attach(func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
				return tool.Allow{Contexts: []session.Context{{Text: "policy"}}}, nil
			})
		})
		switch got := r.call(t.Context(), nil).(type) {
		case tool.Success:
			require.False(t, fails)
			require.True(t, got.Value.Equal(returned))
			require.Equal(t, returned.String(), texts(got.Content))
			require.True(t, got.Meta.IsAbsent() && !got.Concludes)
			requirePolicyFirst(t, contexts, got.Contexts)
		case tool.Failure:
			if !fails {
				require.Equal(t, tool.CodeInvalidOutput, got.Code)
				continue
			}
			require.Equal(t, "failed", got.Message)
			require.Equal(t, "Error: failed", texts(got.Content))
			require.True(t, got.Meta.IsAbsent())
			requirePolicyFirst(t, contexts, got.Contexts)
		}
	}
}

// requirePolicyFirst wants the context of policy and then those that the body
// deferred.
func requirePolicyFirst(t *testing.T, deferred, got []session.Context) {
	t.Helper()
	require.Len(t, got, 1+len(deferred))
	require.Equal(t, session.Context{Text: "policy", Extension: "ext"}, got[0])
	for _, c := range got[1:] {
		require.NotEmpty(t, c.Extension)
	}
}

// TestPostHasContentOrValueOnly: of a success it replaces what the model is shown
// or the value, from which the tool makes all else anew, and adds contexts. The
// wish to conclude stays the body's.
func TestPostHasContentOrValueOnly(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		d := tool.Accept{Contexts: g.contexts()}
		switch g.IntN(3) {
		case 0:
			d.Content = g.content()
		case 1:
			d.Value = g.json(2)
		}
		concludes := g.IntN(2) == 0
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			run.DeferContext(session.Context{Text: "deferred"})
			if concludes {
				run.ConcludeTurn()
			}
			return "body", nil
		}, func(d *tool.Definition) {
			d.Output.Meta = func(_, v value.Value) (any, error) { return v, nil }
		})
		r.attach(func(in *point.Installer) {
			tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				return d, nil
			})
		})
		result := r.call(t.Context(), nil)
		requireLossless(t, result)
		got, ok := result.(tool.Success)
		if !ok {
			require.True(t, d.Content != nil || !d.Value.IsAbsent(), "only a replacement that is not JSON fails")
			continue
		}
		want := value.OfString("body")
		if !d.Value.IsAbsent() {
			want = d.Value
		}
		require.True(t, got.Value.Equal(want) && got.Meta.Equal(want))
		if d.Content != nil {
			require.Equal(t, d.Content, got.Content)
		} else {
			require.Equal(t, shown(want), texts(got.Content))
		}
		require.Equal(t, concludes, got.Concludes)
		require.Equal(t, session.Context{Text: "deferred", Extension: "t"}, got.Contexts[0])
		require.Len(t, got.Contexts, 1+len(d.Contexts))
	}
}

// shown is what a tool shows of v that does not render it.
func shown(v value.Value) string {
	if text, ok := v.Str(); ok {
		return text
	}
	return v.String()
}

// TestErrorsOfScriptsKeepTheirCode, wherever the script raises them.
func TestErrorsOfScriptsKeepTheirCode(t *testing.T) {
	for _, p := range []string{"tools/rewrite", "tools/pre-execute", "tools/guard", "tools/execute", "tools/post-execute"} {
		for raised, want := range map[string]tool.Failure{
			`error { message = "disk full", code = "ENOSPC", name = "DiskError" }`:   {Message: "disk full", Code: "ENOSPC", Name: "DiskError"},
			`error { message = "disk full" }`:                                        {Message: "disk full"},
			`local ok, e = pcall(error, { message = "again", code = "C" }) error(e)`: {Message: "again", Code: "C"},
		} {
			t.Run(p+" "+raised, func(t *testing.T) {
				r := newRig(t)
				r.tool(returning("x"))
				source := `dsh.on("` + p + `", function(call) ` + raised + ` end)`
				s, err := script.Load(t.Context(), "e.lua", source, script.Options{Points: tool.Points()})
				require.NoError(t, err)
				_, err = r.scope.Host.Run.Handlers.Install(s)
				require.NoError(t, err)
				got := r.call(t.Context(), nil).(tool.Failure)
				require.Equal(t, [3]any{want.Message, want.Code, want.Name}, [3]any{got.Message, got.Code, got.Name})
			})
		}
	}
}

// TestNoPhaseWritesIntoTheActionOfAnother: what a handler, the body or the tool
// writes into the files of the action that it is shown, none of the others sees.
func TestNoPhaseWritesIntoTheActionOfAnother(t *testing.T) {
	files := []tool.File{{Path: "/a"}}
	for _, want := range []tool.Action{
		tool.Write{Files: files}, tool.Edit{Files: files}, tool.Read{Files: files}, tool.Delete{Files: files}, tool.Search{Files: files},
	} {
		r, seen := newRig(t), 0
		see := func(a tool.Action) {
			seen++
			require.IsType(t, want, a)
			path := reflect.ValueOf(a).FieldByName("Files").Index(0).FieldByName("Path")
			require.Equal(t, "/a", path.String())
			path.SetString("/forged")
		}
		r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(_ context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
			see(a.Call.Action)
			return tool.Grant{}, nil
		})}
		r.tool(func(_ context.Context, run *tool.Running) (any, error) { see(run.Call().Action); return "x", nil }, func(d *tool.Definition) {
			d.Action = func(value.Value) tool.Action { return want }
			d.FinalizeContent = func(c tool.Call, _ tool.Result) ([]session.Part, error) { see(c.Action); return nil, nil }
		})
		r.attach(func(in *point.Installer) {
			tool.OnRewrite.Handle(in, func(ctx context.Context, p tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
				see(p.Action)
				return next(ctx)
			})
			tool.PreExecute.Handle(in, func(_ context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
				see(c.Action)
				return tool.Ask{}, nil
			})
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				see(c.Action)
				return tool.Abstain{}, nil
			})
			tool.OnExecute.Handle(in, func(ctx context.Context, c tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
				see(c.Action)
				return next(ctx)
			})
			tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				see(d.Call.Action)
				return next(ctx)
			})
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error { see(d.Call.Action); return nil })
		})
		require.IsType(t, tool.Success{}, r.call(t.Context(), nil))
		require.Equal(t, 9, seen)
		require.Equal(t, "/a", files[0].Path)
	}
}
