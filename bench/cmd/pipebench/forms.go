package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A form is one way to make calls, with the time of one call as its cost.
type form struct {
	name    string
	workers int // that share the calls, on goroutines of their own; 0 means none
	rt      *tool.Runtime
	input   tool.Input
	firsts  []time.Duration // what the calls took that are not counted
}

// counts are how many handlers are attached in turn.
var counts = []int{0, 1, 10, 100, 1000}

// bare is the form without extensions, and elsewhere those with handlers whose
// filter does not fit.
const (
	bare      = "no extension"
	elsewhere = "elsewhere"
)

// A delegate attaches a handler that stays out of the way, and is named as its
// point.
type delegate struct {
	name   string
	attach func(in *point.Installer)
}

var delegates = []delegate{
	{"rewrite", func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(ctx context.Context, _ tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			return next(ctx)
		})
	}},
	{"pre-execute", func(in *point.Installer) { tool.PreExecute.Handle(in, allow) }},
	{"guard", func(in *point.Installer) {
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return tool.Abstain{}, nil })
	}},
	{"execute", func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			return next(ctx)
		})
	}},
	{"post-execute", func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(ctx context.Context, _ tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return next(ctx)
		})
	}},
	{"result", func(in *point.Installer) {
		tool.OnResult.Handle(in, func(context.Context, tool.Done) error { return nil })
	}},
}

func allow(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) {
	return next(ctx)
}

func attachElsewhere(in *point.Installer) {
	tool.PreExecute.HandleWith(in, allow, point.Attach{Filter: point.Filter{Tool: []string{"other"}}})
}

// scripts are policies in Lua, by how the host can run them.
var scripts = []struct{ name, source string }{
	{"reused", `dsh.on("tools/pre-execute", function(call)
		if call.arguments.command:find("rm -rf", 1, true) then return dsh.deny "no" end
	end)`},
	{"fresh", `local seen = {}
	dsh.on("tools/pre-execute", function(call)
		seen[#seen + 1] = call.tool
		if call.arguments.command:find("rm -rf", 1, true) then return dsh.deny "no" end
	end)`},
}

// scriptCounts are how many scripts are installed in turn.
var scriptCounts = []int{1, 5}

// The forms with workers, by what the bodies of their calls do.
const (
	shortBodies = "short bodies, workers"
	busyBodies  = "busy bodies, workers"
)

// busyTurns make a body compute for some 20 µs.
const busyTurns = 20_000

// forms lists what is timed on the goroutine of the benchmark, in groups of which
// each is compared within itself.
func forms(ctx context.Context) ([][]*form, error) {
	groups := [][]*form{{newForm(bare, idle)}}
	for _, p := range append(delegates, delegate{elsewhere, attachElsewhere}) {
		var group []*form
		for _, n := range counts {
			f := newForm(named(p.name, n), idle)
			group = append(group, f)
			if err := f.install(n, p.attach); err != nil {
				return nil, err
			}
		}
		groups = append(groups, group)
	}
	for _, s := range scripts {
		var group []*form
		for _, n := range scriptCounts {
			f := newForm(named(s.name, n), idle)
			group = append(group, f)
			if err := f.load(ctx, n, s.source); err != nil {
				return nil, err
			}
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// crews lists what is timed with one worker and with two.
func crews() ([][]*form, error) {
	var groups [][]*form
	for _, c := range []struct {
		name string
		body func(context.Context, *tool.Running) (any, error)
	}{{shortBodies, idle}, {busyBodies, busy}} {
		var group []*form
		for _, workers := range []int{1, 2} {
			f := newForm(named(c.name, workers), c.body)
			f.workers = workers
			group = append(group, f)
			if err := f.install(3, delegates[1].attach); err != nil {
				return nil, err
			}
		}
		groups = append(groups, group)
	}
	return groups, nil
}

func named(name string, n int) string { return fmt.Sprintf("%s %d", name, n) }

var done = value.OfString("done")

func idle(context.Context, *tool.Running) (any, error) { return done, nil }

func busy(context.Context, *tool.Running) (any, error) {
	x := uint64(1)
	for range busyTurns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return value.OfInt(int64(x >> 40)), nil
}

// newForm returns calls of a tool on behalf of an agent that nobody judges.
func newForm(name string, body func(context.Context, *tool.Running) (any, error)) *form {
	text := value.OfObject(value.Member{Key: "type", Value: value.OfString("string")})
	parameters := value.OfObject(
		value.Member{Key: "type", Value: value.OfString("object")},
		value.Member{Key: "properties", Value: value.OfObject(value.Member{Key: "command", Value: text})},
	)
	rt := &tool.Runtime{Warn: func(string) {}, Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: new(tool.Registry)}}
	_, err := rt.Root.Tools.Register(tool.Definition{
		Name: "shell", Parameters: parameters, Output: tool.Output{Schema: value.OfObject()}, Execute: body,
		Action: func(v value.Value) tool.Action { return tool.Shell{Command: v.Get("command").String()} },
	})
	if err != nil {
		panic(err) // the definition is written above
	}
	agent := &tool.Scope{
		Host:  host.Host{Run: point.Run{Handlers: rt.Root.Host.Run.Handlers.Child()}, Live: session.NewEffects()},
		Tools: rt.Root.Tools.Child(), Session: session.Ref{ID: "s", Cwd: "/work"},
	}
	arguments := value.OfObject(value.Member{Key: "command", Value: value.OfString("git status")})
	return &form{name: name, rt: rt, input: tool.Input{ID: "1", Tool: "shell", Arguments: arguments, Agent: agent}}
}

type extension struct {
	name   string
	attach func(in *point.Installer)
}

func (e extension) Name() string                      { return e.name }
func (e extension) Install(in *point.Installer) error { e.attach(in); return nil }

func (f *form) install(n int, attach func(in *point.Installer)) error {
	for i := range n {
		if _, err := f.input.Agent.Host.Run.Handlers.Install(extension{fmt.Sprint("e", i), attach}); err != nil {
			return err
		}
	}
	return nil
}

func (f *form) load(ctx context.Context, n int, source string) error {
	for i := range n {
		s, err := script.Load(ctx, fmt.Sprintf("e%d.lua", i), source, script.Options{Points: tool.Points()})
		if err != nil {
			return err
		}
		if _, err := f.input.Agent.Host.Run.Handlers.Install(s); err != nil {
			return err
		}
	}
	return nil
}

// window is the least time of calls that one timing is made of.
const window = time.Millisecond

// work proves that the calls of f succeed, and times as many of them at once as
// fill the window.
func (f *form) work(ctx context.Context) (rounds.Work, error) {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, cancel)
	if result, ok := f.rt.Execute(ctx, f.input).(tool.Success); !ok {
		return rounds.Work{}, fmt.Errorf("%s: the call failed: %v", f.name, result)
	}
	calls := 1
	for f.least(ctx, calls) < window {
		calls *= 2
	}
	return rounds.Work{Name: f.name, Once: func() (time.Duration, error) {
		return f.time(ctx, calls) / time.Duration(calls), ctx.Err()
	}}, nil
}

// least is the shortest time of a few: an interruption must not make few calls
// look like a window full.
func (f *form) least(ctx context.Context, calls int) time.Duration {
	least := f.time(ctx, calls)
	for range 7 {
		least = min(least, f.time(ctx, calls))
	}
	return least
}

// time makes calls, behind a first one that it times apart.
func (f *form) time(ctx context.Context, calls int) time.Duration {
	if f.workers > 0 {
		return f.share(ctx, calls)
	}
	start := time.Now()
	f.call(ctx, 1)
	first := time.Since(start)
	f.call(ctx, calls)
	f.firsts = append(f.firsts, first)
	return time.Since(start) - first
}

// shares is how many parts calls are shared out in.
const shares = 64

// share makes calls, shared out among the workers. These begin at the same time,
// once each has made a call of its own: what it takes to wake a thread and to
// grow a stack is not what calls cost each other.
func (f *form) share(ctx context.Context, calls int) time.Duration {
	var ready, taken atomic.Int32
	part := max(1, calls/shares)
	began, ended := make(chan time.Duration, f.workers), make(chan time.Duration, f.workers)
	start := time.Now()
	for range f.workers {
		go func() {
			f.call(ctx, 1)
			for ready.Add(1); int(ready.Load()) < f.workers; {
				runtime.Gosched()
			}
			began <- time.Since(start)
			for int(taken.Add(1))*part <= calls {
				f.call(ctx, part)
			}
			ended <- time.Since(start)
		}()
	}
	first, last := <-began, <-ended
	for range f.workers - 1 {
		first, last = min(first, <-began), max(last, <-ended)
	}
	return last - first
}

func (f *form) call(ctx context.Context, n int) {
	for range n {
		f.rt.Execute(ctx, f.input)
	}
}
