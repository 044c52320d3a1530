package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/session"
)

// The variables that make the test binary the victim of TestKill, and say how
// often that one kills.
const (
	victimVariable = "DSH_TEST_VICTIM"
	roundsVariable = "DSH_KILL_ROUNDS"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victimVariable); path != "" {
		if err := victim(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victim runs turn after turn on the log in a file until it is killed. It writes
// the sequence number of every event that was acknowledged.
func victim(path string) error {
	out := bufio.NewWriterSize(os.Stdout, 16)
	o := session.LogOptions{Observers: []func(context.Context, session.Entry) error{
		func(_ context.Context, e session.Entry) error {
			fmt.Fprintln(out, e.Seq)
			return out.Flush()
		},
	}}
	log, err := session.OpenLog(path, o)
	if os.IsNotExist(err) {
		log, err = session.CreateLog(path, session.Header{ID: "s"}, o)
	}
	if err != nil {
		return err
	}
	tools, err := sleepyTool()
	if err != nil {
		return err
	}
	a, err := agent.New(context.Background(), agent.Options{
		Session: session.Ref{ID: "s"}, Log: log, Config: agent.Config{Model: "m"}, Model: oneCallATurn{}, Tools: tools,
	})
	if err != nil {
		return err
	}
	for {
		for range 3 {
			if err := a.Followup(context.Background(), agent.Said("go")); err != nil {
				return err
			}
		}
		if err := a.Inject(context.Background(), agent.Said("by the way")); err != nil {
			return err
		}
		if err := a.WhenIdle(context.Background()); err != nil {
			return err
		}
	}
}

// TestKill kills a busy session at random moments. Every acknowledged event must
// be there afterwards, the repaired log must hold its relations, and the next
// victim goes on with it.
func TestKill(t *testing.T) {
	rounds := 8
	if n, err := strconv.Atoi(os.Getenv(roundsVariable)); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	for round := range rounds {
		path := filepath.Join(dir, fmt.Sprintf("log-%d", round/10)) // ten lives each
		acknowledged := killOnce(t, path)
		log, err := session.OpenLog(path, session.LogOptions{})
		require.NoError(t, err)
		require.Greater(t, log.FirstLive(), acknowledged, "an acknowledged event is lost")
		_, open := log.Turn()
		require.False(t, open)
		require.Empty(t, unanswered(t, log), "every call has a result")
		require.NoError(t, log.Close())
	}
}

// killOnce runs a victim, kills it, and returns the last event that it said was
// logged; -1 if there was none.
func killOnce(t *testing.T, path string) int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	last, enough := int64(-1), 1+rand.IntN(300)
	kill := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	for n := 0; lines.Scan(); n++ {
		seq, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			break // the process died in the middle of a number
		}
		last = seq
		if n == enough {
			require.NoError(t, cmd.Process.Kill())
		}
	}
	require.Error(t, cmd.Wait(), "the victim ended by itself")
	return last
}

// unanswered returns the calls in a conversation that have no result.
func unanswered(t *testing.T, log *session.Log) map[string]bool {
	t.Helper()
	open := map[string]bool{}
	for _, m := range log.History() {
		for _, p := range m.Content {
			switch p := p.(type) {
			case session.ToolCall:
				open[p.ID] = true
			case session.ToolResult:
				delete(open, p.Call)
			case session.Text, session.Reasoning, session.Image:
			}
		}
	}
	return open
}
