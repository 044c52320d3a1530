package point_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

func TestFilter(t *testing.T) {
	shell := Question{Tool: "Bash", Action: "shell", Text: "Bash"}
	patch := Question{Tool: "apply_patch", Action: "edit write delete", Text: "apply_patch"}
	mcp := Question{Tool: "mcp__github__create", Action: "mcp", Text: "mcp__github__create"}
	unknown := Question{Tool: "Bash", Text: "Bash"}
	for _, test := range []struct {
		name   string
		filter point.Filter
		fits   []Question
		not    []Question
	}{
		{"none", point.Filter{}, []Question{shell, patch, mcp, unknown}, nil},
		{"exact name", point.Filter{Tool: []string{"Bash"}}, []Question{shell}, []Question{patch, mcp}},
		{"one of several names", point.Filter{Tool: []string{"Bash", "apply_patch"}}, []Question{shell, patch}, []Question{mcp}},
		{"a name is not a pattern", point.Filter{Tool: []string{"*", "bash", "Bas"}}, nil, []Question{shell}},
		{"action", point.Filter{Action: []string{"shell"}}, []Question{shell}, []Question{patch, mcp}},
		{"one action of several", point.Filter{Action: []string{"delete"}}, []Question{patch}, []Question{shell}},
		{"an action that nobody told", point.Filter{Action: []string{"delete"}}, []Question{unknown}, nil},
		{"pattern", point.Filter{Match: []string{"mcp__*__create"}}, []Question{mcp}, []Question{shell}},
		{"several patterns", point.Filter{Match: []string{"x*", "[A-C]ash"}}, []Question{shell}, []Question{patch}},
		{"a pattern that cannot be read", point.Filter{Match: []string{"[A-"}}, []Question{shell, patch}, nil},
		{"all fields must fit", point.Filter{Tool: []string{"Bash"}, Action: []string{"edit"}}, nil, []Question{shell, patch}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			asked := 0
			install(t, &r, "ext", func(in *point.Installer) {
				at := point.Attach{Filter: test.filter}
				ask.HandleWith(in, func(ctx context.Context, _ Question, next next) (Answer, error) { asked++; return next(ctx) }, at)
				guard.HandleWith(in, func(context.Context, Question) (Answer, error) { asked++; return Maybe{}, nil }, at)
				tell.HandleWith(in, func(context.Context, Question) error { asked++; return nil }, at)
			})
			count := func(q Question) int {
				asked = 0
				_, err := ask.Run(context.Background(), point.Run{Handlers: &r}, q)
				require.NoError(t, err)
				_, err = guard.Run(context.Background(), point.Run{Handlers: &r}, q)
				require.NoError(t, err)
				require.NoError(t, tell.Run(context.Background(), point.Run{Handlers: &r}, q))
				return asked
			}
			for range 2 { // the second time from the cached chain
				for _, q := range test.fits {
					require.Equal(t, 3, count(q), "%+v", q)
				}
				for _, q := range test.not {
					require.Equal(t, 0, count(q), "%+v", q)
				}
			}
		})
	}
}

// TestALateFilterThatThePointDoesNotHave: an installer that was kept has nobody
// to give an error to, so the handler is asked too often rather than never.
func TestALateFilterThatThePointDoesNotHave(t *testing.T) {
	var r point.Registry
	var kept *point.Installer
	install(t, &r, "ext", func(in *point.Installer) { kept = in })
	told := 0
	stop.HandleWith(kept, func(context.Context, Question) error { told++; return nil }, point.Attach{Filter: point.Filter{Match: []string{"x"}}})
	require.NoError(t, stop.Run(context.Background(), point.Run{Handlers: &r}, Question{}))
	require.Equal(t, 1, told)
}

// TestHandlersThatDoNotFitCostNothing: what a run allocates and whom it asks does
// not depend on how many handlers there are that are not concerned.
func TestHandlersThatDoNotFitCostNothing(t *testing.T) {
	cost := func(others int) int {
		var r point.Registry
		for i := range others {
			install(t, &r, fmt.Sprint("other", i), func(in *point.Installer) {
				ask.HandleWith(in, func(context.Context, Question, next) (Answer, error) {
					t.Error("must not be asked")
					return Maybe{}, nil
				}, point.Attach{Filter: point.Filter{Tool: []string{"Other"}}})
			})
		}
		on(t, &r, "concerned", delegates)
		q := Question{Tool: "Bash", Text: "Bash"}
		ran := 0
		o := point.ObserverFunc(func(point.Handled) { ran++ })
		_, err := ask.Run(context.Background(), point.Run{Handlers: &r, Observer: o}, q)
		require.NoError(t, err)
		require.Equal(t, 1, ran)
		return int(testing.AllocsPerRun(100, func() {
			_, _ = ask.Run(context.Background(), point.Run{Handlers: &r}, q)
		}))
	}
	require.Equal(t, cost(0), cost(1_000))
}

// TestTheChainCacheFollowsChanges: chains are kept by subject, and a change
// anywhere in the tree is seen by the next run of every scope.
func TestTheChainCacheFollowsChanges(t *testing.T) {
	var root point.Registry
	child := root.Child()
	var log []string
	require.Empty(t, order(t, child, &log))
	remove := on(t, &root, "root", notes(&log, "root"))
	require.Equal(t, []string{"root"}, order(t, child, &log))
	sibling := root.Child()
	on(t, sibling, "sibling", notes(&log, "sibling"))
	require.Equal(t, []string{"root"}, order(t, child, &log))
	remove()
	require.Empty(t, order(t, child, &log))
	require.Equal(t, []string{"sibling"}, order(t, sibling, &log))
}

// TestTheChainCacheIsBounded: names come from models, so there is no end of
// different subjects; all of them are answered, and few are kept.
func TestTheChainCacheIsBounded(t *testing.T) {
	var r point.Registry
	asked := 0
	install(t, &r, "ext", func(in *point.Installer) {
		ask.HandleWith(in, func(ctx context.Context, _ Question, next next) (Answer, error) { asked++; return next(ctx) },
			point.Attach{Filter: point.Filter{Match: []string{"tool*"}}})
	})
	const subjects = 10_000
	before := heap()
	for i := range subjects {
		_, err := ask.Run(context.Background(), point.Run{Handlers: &r}, Question{Text: fmt.Sprint("tool", i)})
		require.NoError(t, err)
	}
	require.Equal(t, subjects, asked)
	require.Less(t, heap()-before, int64(1<<20), "bytes kept")
	runtime.KeepAlive(&r)
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
