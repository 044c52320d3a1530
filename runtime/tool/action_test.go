package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func files(changes ...tool.Change) []tool.File {
	list := make([]tool.File, len(changes))
	for i, c := range changes {
		list[i] = tool.File{Path: "/f", Change: c}
	}
	return list
}

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		action tool.Action
		want   string
	}{
		{nil, ""},
		{tool.Shell{}, "shell"},
		{tool.Write{Files: files(tool.ChangeCreate)}, "write"},
		{tool.Edit{Files: files(tool.ChangeEdit)}, "edit"},
		{tool.Edit{Files: files(tool.ChangeEdit, tool.ChangeCreate, tool.ChangeDelete, tool.ChangeDelete)}, "edit write delete"},
		{tool.Edit{Files: files("unheard-of")}, "edit"},
		{tool.Edit{Files: files(tool.ChangeEdit), Partial: true}, "edit write delete"},
		{tool.Read{}, "read"},
		{tool.Delete{}, "delete"},
		{tool.Search{}, "search"},
		{tool.Fetch{}, "fetch"},
		{tool.MCP{}, "mcp"},
		{tool.Agent{}, "agent"},
		{tool.Other{}, "other"},
	} {
		require.Equal(t, test.want, tool.Kinds(test.action), "%#v", test.action)
	}
}

// TestActionKindsAreThoseOfTheUnion: a filter and a payload spell them the same.
func TestActionKindsAreThoseOfTheUnion(t *testing.T) {
	action, ok := tool.PreExecute.Payload().Field("action")
	require.True(t, ok)
	var tags []string
	for _, v := range action.Type().Variants() {
		tags = append(tags, v.Tag())
	}
	require.ElementsMatch(t, tags, tool.ActionKinds())
}

// TestEveryChangeOfAFileCountsAsAKind, so that no filter is blind to it.
func TestEveryChangeOfAFileCountsAsAKind(t *testing.T) {
	for _, change := range tool.Change("").Values() {
		kinds := strings.Fields(tool.Kinds(tool.Edit{Files: files(tool.Change(change))}))
		require.Subset(t, tool.ActionKinds(), kinds)
		if change != string(tool.ChangeEdit) {
			require.Len(t, kinds, 2, change)
		}
	}
}

type extension func(in *point.Installer)

func (extension) Name() string { return "ext" }

func (e extension) Install(in *point.Installer) error { e(in); return nil }

// TestFiltersSeeWhatACallIsAboutToDo at every point along its way.
func TestFiltersSeeWhatACallIsAboutToDo(t *testing.T) {
	patch := tool.Call{ID: "1", Tool: "apply_patch", Action: tool.Edit{Files: files(tool.ChangeEdit, tool.ChangeDelete)}}
	for _, test := range []struct {
		name   string
		filter point.Filter
		want   int
	}{
		{"no filter", point.Filter{}, 7},
		{"the tool", point.Filter{Tool: []string{"apply_patch"}}, 7},
		{"another tool", point.Filter{Tool: []string{"Bash"}}, 0},
		{"a pattern", point.Filter{Match: []string{"apply_*"}}, 7},
		{"the action", point.Filter{Action: []string{"edit"}}, 7},
		{"what it does to one file", point.Filter{Action: []string{"delete"}}, 7},
		{"another action", point.Filter{Action: []string{"shell"}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := new(point.Registry)
			asked := 0
			_, err := r.Install(extension(func(in *point.Installer) {
				for _, p := range tool.Points() {
					p.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { asked++; return point.Answer{}, nil },
						point.Attach{Filter: test.filter})
				}
			}))
			require.NoError(t, err)
			run, ctx, done := point.Run{Handlers: r}, context.Background(), tool.Done{Call: patch, Result: tool.Failure{}}
			_, err = tool.OnRewrite.Run(ctx, run, tool.Proposal{ID: "1", Tool: patch.Tool, Action: patch.Action})
			require.NoError(t, err)
			_, err = tool.PreExecute.Run(ctx, run, patch)
			require.NoError(t, err)
			_, err = tool.OnApprove.Run(ctx, run, tool.Approval{Call: patch})
			require.NoError(t, err)
			_, err = tool.OnGuard.Run(ctx, run, patch)
			require.NoError(t, err)
			_, err = tool.OnExecute.Run(ctx, run, patch)
			require.NoError(t, err)
			_, err = tool.PostExecute.Run(ctx, run, done)
			require.NoError(t, err)
			require.NoError(t, tool.OnResult.Run(ctx, run, done))
			require.Equal(t, test.want, asked)
		})
	}
}

// TestACallThatSaysNothingPassesNoActionFilterUnseen: a host that forgot the
// action gets a fault from the policy rather than silence.
func TestACallThatSaysNothingPassesNoActionFilterUnseen(t *testing.T) {
	r := new(point.Registry)
	_, err := r.Install(extension(func(in *point.Installer) {
		tool.PreExecute.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { return point.Answer{}, nil },
			point.Attach{Filter: point.Filter{Action: []string{"delete"}}})
	}))
	require.NoError(t, err)
	_, err = tool.PreExecute.Run(context.Background(), point.Run{Handlers: r}, tool.Call{ID: "1", Tool: "New"})
	require.ErrorContains(t, err, "tool.Call.action: tool.Action: nil is not a variant")
}
