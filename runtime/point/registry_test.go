package point_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

// order runs the waterfall on r and returns who was asked.
func order(t *testing.T, r *point.Registry, log *[]string) []string {
	t.Helper()
	*log = nil
	_, err := run(r)
	require.NoError(t, err)
	return (*log)[:len(*log)/2]
}

func TestAScopeSeesItsAncestorsInOrderOfAttachment(t *testing.T) {
	var root point.Registry
	left, right := root.Child(), root.Child()
	below := left.Child()
	var log []string
	for _, h := range []struct {
		name string
		in   *point.Registry
	}{{"left 1", left}, {"root 1", &root}, {"below", below}, {"right", right}, {"root 2", &root}, {"left 2", left}} {
		on(t, h.in, h.name, notes(&log, h.name))
	}
	require.Equal(t, []string{"root 1", "root 2"}, order(t, &root, &log), "a run without an agent sees the root only")
	require.Equal(t, []string{"left 1", "root 1", "root 2", "left 2"}, order(t, left, &log))
	require.Equal(t, []string{"left 1", "root 1", "below", "root 2", "left 2"}, order(t, below, &log))
	require.Equal(t, []string{"root 1", "right", "root 2"}, order(t, right, &log), "siblings do not see each other")
	require.Equal(t, []string{"root 1", "root 2"}, order(t, root.Child(), &log), "a new scope sees what its ancestors have")
}

func TestFirstReachesAcrossScopes(t *testing.T) {
	var root point.Registry
	child := root.Child()
	var log []string
	on(t, &root, "root", notes(&log, "root"))
	install(t, child, "first", func(in *point.Installer) { ask.HandleWith(in, notes(&log, "first"), point.Attach{First: true}) })
	require.Equal(t, []string{"first", "root"}, order(t, child, &log))
	require.Equal(t, []string{"root"}, order(t, &root, &log))
}

func TestDisposeRemovesTheHandlersOfOneScope(t *testing.T) {
	var root point.Registry
	child := root.Child()
	below := child.Child()
	var log []string
	on(t, &root, "root", notes(&log, "root"))
	remove := on(t, child, "child", notes(&log, "child"))
	on(t, below, "below", notes(&log, "below"))
	require.Equal(t, []string{"root", "child", "below"}, order(t, below, &log))
	child.Dispose()
	child.Dispose()
	require.Equal(t, []string{"root", "below"}, order(t, below, &log))
	require.Equal(t, []string{"root"}, order(t, child, &log))
	_, err := child.Install(extension{"late", func(in *point.Installer) error { return nil }})
	require.ErrorIs(t, err, point.ErrDisposed)
	require.EqualError(t, err, "install late: the registry is disposed")
	remove()
	on(t, below, "still", notes(&log, "still"))
	require.Equal(t, []string{"root", "below", "still"}, order(t, below, &log))
}

func TestARunUnderWayKeepsItsChainWhenItsScopeIsDisposed(t *testing.T) {
	var root point.Registry
	child := root.Child()
	var log []string
	on(t, child, "disposes", func(ctx context.Context, _ Question, next next) (Answer, error) {
		child.Dispose()
		return next(ctx)
	})
	on(t, child, "behind", notes(&log, "behind"))
	require.Equal(t, []string{"behind"}, order(t, child, &log))
	require.Empty(t, order(t, child, &log))
}

// TestRemovalIsForGood: a removed extension never acts again, and cannot attach
// more with the installer that it kept.
func TestRemovalIsForGood(t *testing.T) {
	var r point.Registry
	var log []string
	var kept *point.Installer
	remove := install(t, &r, "a", func(in *point.Installer) { kept = in; ask.Handle(in, notes(&log, "a")) })
	on(t, &r, "b", notes(&log, "b"))
	require.Equal(t, "a", kept.Extension())
	ask.Handle(kept, notes(&log, "a later"))
	require.Equal(t, []string{"a", "b", "a later"}, order(t, &r, &log), "a kept installer attaches behind")
	remove()
	remove()
	ask.Handle(kept, notes(&log, "a too late"))
	require.Equal(t, []string{"b"}, order(t, &r, &log))
}

func TestOneExtensionInManyRegistries(t *testing.T) {
	var root, other point.Registry
	child := root.Child()
	var log []string
	ext := extension{"ext", func(in *point.Installer) error { ask.Handle(in, notes(&log, "ext")); return nil }}
	var removes []func()
	for _, r := range []*point.Registry{&root, child, &other} {
		remove, err := r.Install(ext)
		require.NoError(t, err)
		removes = append(removes, remove)
	}
	require.Equal(t, []string{"ext", "ext"}, order(t, child, &log))
	removes[0]()
	require.Equal(t, []string{"ext"}, order(t, child, &log), "each installation is removed by itself")
	require.Equal(t, []string{"ext"}, order(t, &other, &log))
}

// TestInstallIsAllOrNothing.
func TestInstallIsAllOrNothing(t *testing.T) {
	for _, test := range []struct {
		name    string
		install func(in *point.Installer) error
		want    string
	}{
		{"error", func(*point.Installer) error { return errBroken }, "install ext: broken"},
		{"panic", func(*point.Installer) error { panic("ouch") }, "install ext: panic: ouch"},
		{"a filter that the point does not have", func(in *point.Installer) error {
			stop.HandleWith(in, func(context.Context, Question) error { return nil }, point.Attach{Filter: point.Filter{Tool: []string{"x"}}})
			return nil
		}, "install ext: test/stop cannot be filtered by tool"},
		{"no handler of a waterfall", func(in *point.Installer) error { ask.Handle(in, nil); return nil }, "install ext: test/ask: no handler"},
		{"no handler of a guard", func(in *point.Installer) error { guard.Handle(in, nil); return nil }, "install ext: test/guard: no handler"},
		{"no handler of a notification", func(in *point.Installer) error { tell.Handle(in, nil); return nil }, "install ext: test/tell: no handler"},
		{"no untyped handler", func(in *point.Installer) error { ask.HandleValue(in, nil, point.Attach{}); return nil }, "install ext: test/ask: no handler"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			var log []string
			var kept *point.Installer
			_, err := r.Install(extension{"ext", func(in *point.Installer) error {
				kept = in
				ask.Handle(in, notes(&log, "before"))
				return test.install(in)
			}})
			require.EqualError(t, err, test.want)
			ask.Handle(kept, notes(&log, "afterwards"))
			require.Empty(t, order(t, &r, &log))
		})
	}
}

type nameless struct{}

func (nameless) Name() string                   { panic("no name") }
func (nameless) Install(*point.Installer) error { return nil }

func TestInstallContainsThePanicOfAName(t *testing.T) {
	_, err := new(point.Registry).Install(nameless{})
	require.ErrorContains(t, err, "panic: no name")
	_, err = new(point.Registry).Install(nil)
	require.EqualError(t, err, "install: no extension")
}

// Nobody can be told of a nil handler that is attached later, so it fails its runs.
func TestNoHandlerLater(t *testing.T) {
	var r point.Registry
	var kept *point.Installer
	install(t, &r, "ext", func(in *point.Installer) { kept = in })
	ask.Handle(kept, nil)
	_, err := run(&r)
	require.EqualError(t, err, "test/ask: extension ext: no handler")
}

// TestHandlersAppearTogether: nobody sees half of an installation.
func TestHandlersAppearTogether(t *testing.T) {
	var r point.Registry
	var log []string
	install(t, &r, "ext", func(in *point.Installer) {
		ask.Handle(in, notes(&log, "a"))
		require.Empty(t, order(t, &r, &log))
		ask.Handle(in, notes(&log, "b"))
	})
	require.Equal(t, []string{"a", "b"}, order(t, &r, &log))
}

func TestInstallKeepsCauses(t *testing.T) {
	_, err := new(point.Registry).Install(extension{"ext", func(*point.Installer) error { return fmt.Errorf("loading: %w", errBroken) }})
	require.ErrorIs(t, err, errBroken)
	var none *point.HandlerError
	require.NotErrorAs(t, err, &none)
}

// TestConcurrentUse runs, attaches, detaches and disposes at once, for the race
// detector; every run sees a chain that existed at some moment.
func TestConcurrentUse(t *testing.T) {
	var root point.Registry
	on(t, &root, "always", delegates)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 100 {
				child := root.Child()
				remove, err := root.Install(extension{"root", func(in *point.Installer) error {
					ask.HandleWith(in, delegates, point.Attach{Filter: point.Filter{Match: []string{"?"}}})
					return nil
				}})
				if err != nil {
					t.Error(err)
					return
				}
				_, err = child.Install(extension{"child", func(in *point.Installer) error {
					ask.Handle(in, delegates)
					guard.Handle(in, func(context.Context, Question) (Answer, error) { return Maybe{}, nil })
					return nil
				}})
				if err != nil {
					t.Error(err)
					return
				}
				ran := 0
				o := point.ObserverFunc(func(point.Handled) { ran++ })
				d, err := ask.Run(context.Background(), point.Run{Handlers: child, Observer: o}, Question{Text: "?"})
				if _, agreed := d.(Yes); err != nil || !agreed || ran < 3 {
					t.Errorf("worker %d, run %d: %v, %v after %d handlers", worker, i, d, err, ran)
				}
				_, _ = runGuard(child)
				remove()
				child.Dispose()
			}
		})
	}
	wg.Wait()
	d, err := run(&root)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
}
