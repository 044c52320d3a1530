package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// The steps of a turn, and the turns that are timed. A turn is long enough for a
// collection of garbage to fall into it, and short enough for some not to be
// disturbed.
const (
	stepsOfTurn = 250
	timedTurns  = 150
)

// caller is a model that calls a tool in each answer but the last of a turn. It
// does nothing else, and nor does the tool.
type caller struct{ steps int }

func (m caller) Stream(_ context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if r.Step >= m.steps {
			yield(model.Finish{Reason: model.Stop}, nil)
			return
		}
		call := session.ToolCall{ID: "c", Tool: "t", Arguments: value.OfObject()}
		_ = yield(model.BlockEnd{Block: call}, nil) && yield(model.Finish{Reason: model.ToolCalls}, nil)
	}
}

// newAgent returns an agent with one tool and no extension.
func newAgent(ctx context.Context, log *session.Log, m model.Model) (*agent.Agent, error) {
	tools := new(tool.Registry)
	_, err := tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "ok", nil },
	})
	if err != nil {
		return nil, err
	}
	a, err := agent.New(ctx, agent.Options{Session: session.Ref{ID: "s"}, Log: log, Config: agent.Config{Model: "m"}, Tools: tools, Model: m})
	if err != nil {
		return nil, err
	}
	return a, a.WhenStarted(ctx)
}

// runTurn runs one turn to its end.
func runTurn(ctx context.Context, a *agent.Agent) error {
	if err := a.Followup(ctx, agent.Said("go")); err != nil {
		return err
	}
	if err := a.WhenIdle(ctx); err != nil {
		return err
	}
	if end := a.Log().Work().End; end.Kind != session.EndCompleted {
		return fmt.Errorf("a turn ended as %s", end.Kind)
	}
	return nil
}

func stepInFile(ctx context.Context, dir string) (float64, error) {
	log, err := session.CreateLog(filepath.Join(dir, "steps"), session.Header{ID: "s"}, session.LogOptions{})
	if err != nil {
		return 0, err
	}
	return step(ctx, log)
}

func stepInMemory(ctx context.Context, _ string) (float64, error) {
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	if err != nil {
		return 0, err
	}
	return step(ctx, log)
}

// step returns how many microseconds a step takes.
func step(ctx context.Context, log *session.Log) (float64, error) {
	a, err := newAgent(ctx, log, caller{stepsOfTurn})
	if err != nil {
		return 0, err
	}
	least := time.Hour
	for range timedTurns {
		start := time.Now()
		if err := runTurn(ctx, a); err != nil {
			return 0, err
		}
		least = min(least, time.Since(start))
	}
	perStep := float64(least) / float64(time.Microsecond) / stepsOfTurn
	return perStep, errors.Join(a.Close(ctx, ""), log.Close())
}

// leaving returns how many bytes a turn of four short messages leaves behind.
// That no goroutine is left is part of it.
func leaving(ctx context.Context, dir string) (float64, error) {
	log, err := session.CreateLog(filepath.Join(dir, "turns"), session.Header{ID: "s"}, session.LogOptions{})
	if err != nil {
		return 0, err
	}
	a, err := newAgent(ctx, log, caller{2})
	if err != nil {
		return 0, err
	}
	var before, routines uint64
	const warm, turns = 1000, 10_000
	for n := range turns {
		if n == warm {
			before, routines = heap(), uint64(runtime.NumGoroutine())
		}
		if err := runTurn(ctx, a); err != nil {
			return 0, err
		}
	}
	if now := uint64(runtime.NumGoroutine()); now > routines {
		return 0, fmt.Errorf("%d goroutines grew to %d", routines, now)
	}
	left := (float64(heap()) - float64(before)) / (turns - warm)
	return left, errors.Join(a.Close(ctx, ""), log.Close())
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
