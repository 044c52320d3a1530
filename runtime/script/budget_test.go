package script_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// burn is Lua that uses about n thousand instructions.
func burn(n int) string { return fmt.Sprintf("for i = 1, %d do local x = i end", n*500) }

// pools are the ways in which two scripts may come by their states.
func pools(t *testing.T, f func(t *testing.T, a, b *script.Pool)) {
	for _, test := range []struct {
		name   string
		shared bool
	}{{"one pool", true}, {"a pool each", false}} {
		t.Run(test.name, func(t *testing.T) {
			a, b := new(script.Pool), new(script.Pool)
			if test.shared {
				b = a
			}
			f(t, a, b)
		})
	}
}

// A run that is nested through next has a budget of its own, and gives the outer
// one nothing back.
func TestNestedRunDoesNotRefillTheBudget(t *testing.T) {
	pools(t, func(t *testing.T, a, b *script.Pool) {
		limits := luavm.Limits{Instructions: 100_000, Wall: -1}
		outer, inner := offered(), offered()
		outer.Pool, outer.Limits = a, limits
		inner.Pool, inner.Limits = b, limits
		d := newDesk(t,
			load(t, "outer.lua", pre(burn(60)+"\nnext()\n"+burn(60)), outer),
			load(t, "inner.lua", pre(burn(60)), inner))
		_, err := d.ask(t, rm())
		require.ErrorIs(t, err, luavm.ErrInstructions)
		require.ErrorContains(t, err, "outer.lua")
		require.Len(t, d.handled, 2)
		require.NoError(t, d.handled[0].Err, "the inner script has a whole budget of its own")
		require.Equal(t, "inner.lua", d.handled[0].Extension)
	})
}

// What the rest of the chain costs is not on the outer handler's account.
func TestNestedRunIsNotChargedToTheOuterOne(t *testing.T) {
	pools(t, func(t *testing.T, a, b *script.Pool) {
		limits := luavm.Limits{Instructions: 100_000, Wall: -1}
		outer, inner := offered(), offered()
		outer.Pool, outer.Limits = a, limits
		inner.Pool, inner.Limits = b, limits
		light := pre("return next()")
		alone := newDesk(t, load(t, "outer.lua", light, outer))
		_, err := alone.ask(t, rm())
		require.NoError(t, err)
		d := newDesk(t, load(t, "outer.lua", light, outer), load(t, "inner.lua", pre(burn(90)), inner))
		_, err = d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, alone.last(t).Steps, d.last(t).Steps)
	})
}

// The wall clock stands still while others work.
func TestSlowNextDoesNotTripTheClock(t *testing.T) {
	const wall = 200 * time.Millisecond
	opts := offered()
	opts.Limits.Wall = wall
	d := newDesk(t, load(t, "policy.lua", pre(burn(5)+"\nlocal d = next()\n"+burn(5)+"\nreturn d"), opts),
		goPolicy{"slow", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			busy := time.Now() // the time that passes is what is tested; nothing waits for it
			for time.Since(busy) < 3*wall {
				<-time.After(wall / 10)
			}
			return next(ctx)
		}})
	_, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Less(t, d.last(t).Took, 3*wall, "nor is it counted as the handler's time")
}

func TestEndlessLoopsOverNextEnd(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       error
	}{
		{"caught", "while true do pcall(next) end", luavm.ErrInstructions},
		{"caught and nested", "while true do pcall(pcall, next) end", luavm.ErrInstructions},
		{"not caught", "while true do next() end", point.ErrNextTwice},
		{"no next", "while true do end", luavm.ErrInstructions},
		{"caught without next", "while true do pcall(error, 'x') end", luavm.ErrInstructions},
		{"log", "while true do dsh.log 'x' end", luavm.ErrInstructions},
		{"constructors", "while true do dsh.allow{} end", luavm.ErrInstructions},
		{"with", "local d = next() while true do dsh.with(d, {}) end", luavm.ErrInstructions},
		{"payload", "while true do local x = call.arguments.command end", luavm.ErrInstructions},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := offered()
			opts.Limits = luavm.Limits{Instructions: 100_000, Wall: -1}
			d := newDesk(t, load(t, "policy.lua", pre(test.body), opts))
			_, err := d.ask(t, rm())
			require.ErrorIs(t, err, test.want)
			_, err = d.ask(t, rm())
			require.ErrorIs(t, err, test.want, "the script is as usable as before")
		})
	}
}

// A second next is an error in the script, and no answer comes of it that the
// rest of the chain did not give.
func TestNextTwice(t *testing.T) {
	for _, test := range []struct{ name, body string }{
		{"open", "next() return next()"},
		{"behind an answer", "next() next() return dsh.allow{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := desked(t, pre(test.body))
			_, err := d.ask(t, rm())
			require.ErrorIs(t, err, point.ErrNextTwice)
			require.ErrorContains(t, err, "policy.lua:2")
		})
	}
	t.Run("caught", func(t *testing.T) {
		d := newDesk(t, load(t, "a.lua", pre("local a = next() local ok = pcall(next) assert(not ok) return a"), offered()),
			says(tool.Deny{Reason: "no"}))
		got, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, tool.Deny{Reason: "no"}, got)
	})
}

// Once a handler has failed, nobody in front of it can answer.
func TestFaultsAreSticky(t *testing.T) {
	broken := errors.New("broken")
	for _, body := range []string{
		"pcall(next) return dsh.allow{}", "pcall(next)", "local ok, e = pcall(next) return dsh.ask(tostring(e))",
		"local d = select(2, xpcall(next, function() return dsh.allow{} end)) return d",
	} {
		t.Run(body, func(t *testing.T) {
			d := newDesk(t, load(t, "a.lua", pre(body), offered()), fails(broken))
			_, err := d.ask(t, rm())
			require.ErrorIs(t, err, broken)
			var fault *point.HandlerError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, "go", fault.Extension, "the one that failed, not the one that passed it on")
		})
	}
}

// Without a heap watch, what others allocate does not decide: neither behind next
// nor while the script runs.
func TestNeighboursMemoryDoesNotDecide(t *testing.T) {
	opts := offered()
	var neighbour []byte
	opts.Services.Clock = func(context.Context) time.Time {
		neighbour = make([]byte, 300<<20)
		return time.Unix(1, 0)
	}
	source := "local time = require 'time'\n" + pre(burn(400)+"\ntime.now()\n"+burn(400)+"\nlocal d = next()\n"+burn(50)+"\nreturn d")
	d := newDesk(t, load(t, "a.lua", source, opts),
		goPolicy{"hungry", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			held := make([]byte, 300<<20)
			defer func() { held[0]++ }()
			return next(ctx)
		}})
	_, err := d.ask(t, rm())
	require.NoError(t, err)
	require.NotEmpty(t, neighbour)
}

// With one, it is the script's own memory that counts, not that of next.
func TestHeapWatchStandsStillInNext(t *testing.T) {
	opts := offered()
	opts.Limits.HeapBytes = 64 << 20
	var held [][]byte
	hungry := goPolicy{"hungry", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		held = append(held, make([]byte, 200<<20))
		return next(ctx)
	}}
	d := newDesk(t, load(t, "a.lua", pre(burn(100)+"\nlocal d = next()\n"+burn(100)+"\nreturn d"), opts), hungry)
	_, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Len(t, held, 1)
}

// What a handler costs does not depend on what ran before, nor on when the file
// was compiled.
func TestStepsAreTheSame(t *testing.T) {
	sources := map[string]string{
		"reusable":     pre("for i = 1, 10 do local x = call.arguments.command end\nif call.tool == 'Bash' then return dsh.deny 'no' end"),
		"not reusable": "local seen = {}\n" + pre("seen[call.tool] = true\nfor k in pairs(call.arguments) do end\nreturn dsh.deny 'no'"),
		"file level":   burn(5) + "\n" + pre("return dsh.deny 'no'"),
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			steps := map[int64]bool{}
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy = lazy
				d := newDesk(t, load(t, "policy.lua", source, opts))
				for range 100 {
					_, err := d.ask(t, rm())
					require.NoError(t, err)
					steps[d.last(t).Steps] = true
				}
			}
			require.Len(t, steps, 1)
			require.NotContains(t, steps, int64(0))
		})
	}
}

// A script that calls itself through next, without end, runs out of states and
// fails; nothing waits.
func TestTooManyLiveStates(t *testing.T) {
	pools(t, func(t *testing.T, pool, other *script.Pool) {
		opts := offered()
		opts.Pool = pool
		s := load(t, "deep.lua", pre("return next()"), opts)
		d, depth := &desk{}, 0
		again := goPolicy{"again", func(ctx context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			depth++
			return tool.PreExecute.Run(ctx, d.run(), c)
		}}
		d.install(t, s)
		d.install(t, again)
		_, err := d.ask(t, rm())
		require.ErrorIs(t, err, script.ErrTooManyRuns)
		require.Equal(t, script.MaxLive, depth)

		depth = -1 << 20
		other2 := offered()
		other2.Pool = other
		_, err = newDesk(t, load(t, "fine.lua", pre("return next()"), other2)).ask(t, rm())
		require.NoError(t, err, "the states are back")
	})
}

// The limit is one of each script: many scripts may share a pool.
func TestManyScriptsShareAPool(t *testing.T) {
	opts := offered()
	opts.Pool = new(script.Pool)
	d := &desk{}
	for i := range script.MaxLive + 10 {
		d.install(t, load(t, fmt.Sprintf("p%d.lua", i), pre("return next()"), opts))
	}
	_, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Len(t, d.handled, script.MaxLive+10)
}

func TestOneScriptInManyGoroutines(t *testing.T) {
	for name, source := range map[string]string{
		"reusable": pre("if call.arguments.command == 'no' then return dsh.deny(call.id) end"),
		"fresh":    "local n = 0\n" + pre("n = n + 1\nassert(n == 1)\nif call.arguments.command == 'no' then return dsh.deny(call.id) end"),
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "policy.lua", source, offered())
			var registry point.Registry
			_, err := registry.Install(s)
			require.NoError(t, err)
			var group sync.WaitGroup
			faults := make(chan error, 8*100)
			for g := range 8 {
				group.Go(func() {
					for i := range 100 {
						c := rm()
						c.ID = fmt.Sprintf("%d.%d", g, i)
						var want tool.PreDecision = tool.Allow{}
						if i%2 == 0 {
							c.Arguments, want = doc(`{"command":"no"}`), tool.Deny{Reason: c.ID}
						}
						got, err := tool.PreExecute.Run(t.Context(), point.Run{Handlers: &registry}, c)
						if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
							err = fmt.Errorf("got %v, want %v", got, want)
						}
						if err != nil {
							faults <- err
						}
					}
				})
			}
			group.Wait()
			close(faults)
			for err := range faults {
				require.NoError(t, err)
			}
		})
	}
}

func TestCancellationStopsAHandler(t *testing.T) {
	gone := errors.New("the human left")
	for name, body := range map[string]string{
		"plain":  "while true do end",
		"caught": "while true do pcall(function() while true do end end) end",
		"inside": "return next()",
	} {
		t.Run(name, func(t *testing.T) {
			opts := offered()
			opts.Limits.Instructions = 1 << 50
			opts.Limits.Wall = time.Hour
			s := load(t, "policy.lua", "dsh.on('tools/pre-execute', {tool = 'Loop'}, function(call, next)\n"+body+"\nend)\ndsh.on('tools/pre-execute', {tool = 'Bash'}, function() return dsh.deny 'no' end)", opts)
			ctx, cancel := context.WithCancelCause(t.Context())
			started := make(chan struct{})
			first := goPolicy{"first", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				close(started)
				return next(ctx)
			}}
			hangs := goPolicy{"hangs", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				if c.Tool == "Loop" {
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
				return next(ctx)
			}}
			d := &desk{}
			d.install(t, first)
			d.install(t, s)
			d.install(t, hangs)
			done := make(chan struct{})
			defer func() { <-done }()
			go func() {
				defer close(done)
				<-started
				cancel(gone)
			}()
			loop := rm()
			loop.Tool = "Loop"
			_, err := tool.PreExecute.Run(ctx, d.run(), loop)
			require.ErrorIs(t, err, gone)

			other := newDesk(t, s)
			got, err := other.ask(t, rm())
			require.NoError(t, err)
			require.Equal(t, tool.Deny{Reason: "no"}, got)
		})
	}
}

func TestCancelledBeforeItStarts(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	_, err := script.Load(ctx, "policy.lua", pre("return nil"), offered())
	require.ErrorIs(t, err, gone)
}

// A Go error crosses Lua unchanged, caught and raised again or not.
func TestGoErrorsCross(t *testing.T) {
	broken := errors.New("broken")
	for _, body := range []string{
		"return next()", "local d = next() return d",
		"local ok, e = pcall(next) error(e)", "local ok, e = pcall(next) error(e, 0)", "return assert(pcall(next))",
	} {
		t.Run(body, func(t *testing.T) {
			d := newDesk(t, load(t, "a.lua", pre(body), offered()), fails(broken))
			_, err := d.ask(t, rm())
			require.ErrorIs(t, err, broken)
		})
	}
}
