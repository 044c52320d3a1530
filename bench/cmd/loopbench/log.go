package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	logSize  = 100 << 20
	stretch  = 500 // events that are timed together
	logName  = "large"
	lineSize = 1 << 10
)

// appending fills the large log and returns the events appended in a second.
func appending(ctx context.Context, dir string) (float64, error) {
	log, err := session.CreateLog(filepath.Join(dir, logName), session.Header{ID: "s"}, session.LogOptions{})
	if err != nil {
		return 0, err
	}
	least := time.Hour
	for turn := 1; turn*stretch*lineSize < logSize; turn++ {
		took, err := fillTurn(ctx, log, turn)
		if err != nil {
			return 0, err
		}
		least = min(least, took)
	}
	return stretch / least.Seconds(), log.Close()
}

// fillTurn logs a turn with a long answer, and returns how long its chunks took.
func fillTurn(ctx context.Context, log *session.Log, turn int) (took time.Duration, err error) {
	chunk := value.OfObject(
		value.Member{Key: "kind", Value: value.OfString("text-delta")}, value.Member{Key: "index", Value: value.OfInt(0)},
		value.Member{Key: "text", Value: value.OfString(strings.Repeat("x", lineSize-120))})
	answer := session.Message{ID: "m", Role: session.RoleAssistant, Content: []session.Part{session.Text{Text: "answer"}}, Source: session.Model{Name: "m"}}
	put := func(events ...session.Event) {
		for _, ev := range events {
			if err == nil {
				_, err = log.Append(ctx, ev)
			}
		}
	}
	put(session.TurnStarted(turn), session.StepStarted(turn, 1))
	start := time.Now()
	for range stretch {
		put(session.Chunk(turn, 1, chunk))
	}
	took = time.Since(start)
	put(session.Answered(turn, 1, answer, value.Value{}, false, nil), session.StepEnded(turn, 1),
		session.TurnEnded(turn, session.End{Kind: session.EndCompleted}))
	return took, err
}

// resuming opens the large log and returns all memory that the process ever took
// from the system, in megabytes.
func resuming(_ context.Context, dir string) (float64, error) {
	log, err := session.OpenLog(filepath.Join(dir, logName), session.LogOptions{})
	if err != nil {
		return 0, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / (1 << 20), log.Close()
}
