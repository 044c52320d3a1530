package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

var ctx = context.Background()

func said(id, text string) session.Message {
	return session.Message{ID: id, Role: session.RoleUser, Content: []session.Part{session.Text{Text: text}}, Source: session.User{}}
}

func called(id string) session.Message {
	return session.Message{ID: "a-" + id, Role: session.RoleAssistant, Source: session.Model{Name: "m"}, Content: []session.Part{
		session.ToolCall{ID: id, Tool: "t", Arguments: value.OfObject()},
	}}
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "log.jsonl") }

func create(t testing.TB, name string, o session.LogOptions) *session.Log {
	t.Helper()
	log, err := session.CreateLog(name, session.Header{ID: "s", Cwd: "/w"}, o)
	require.NoError(t, err)
	return log
}

func put(t testing.TB, log *session.Log, events ...session.Event) {
	t.Helper()
	for _, ev := range events {
		_, err := log.Append(ctx, ev)
		require.NoError(t, err)
	}
}

func types(t testing.TB, log *session.Log) (out []string) {
	t.Helper()
	for e, err := range log.Entries() {
		require.NoError(t, err)
		out = append(out, string(e.Type))
	}
	return out
}

func turn(n int, text string) []session.Event {
	return []session.Event{
		session.TurnStarted(n), session.StepStarted(n, 1), session.Said(said("u"+text, text)), session.StepEnded(n, 1),
		session.TurnEnded(n, session.End{Kind: session.EndCompleted}),
	}
}

func TestLogSurvivesReopening(t *testing.T) {
	name := path(t)
	log := create(t, name, session.LogOptions{Sync: session.SyncTurns})
	put(t, log, turn(1, "ä \"quoted\"\n\u2028")...)
	put(t, log, session.Spliced(session.NextStep, 0, 0, []session.Message{said("p", "pending")}, false))
	history := log.History()
	require.NoError(t, log.Close())

	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, history, again.History())
	require.Equal(t, []session.Message{said("p", "pending")}, again.Pending(session.NextStep))
	number, open := again.Turn()
	require.Equal(t, 1, number)
	require.False(t, open)
	require.Equal(t, "session/end-seed", types(t, again)[again.FirstLive()])
	require.Equal(t, log.Header(), again.Header())
}

func TestOneWriter(t *testing.T) {
	name := path(t)
	log := create(t, name, session.LogOptions{})
	_, err := session.OpenLog(name, session.LogOptions{})
	require.ErrorIs(t, err, session.ErrLocked)
	require.NoError(t, log.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	require.NoError(t, again.Close())
	_, err = session.CreateLog(name, session.Header{ID: "s"}, session.LogOptions{})
	require.ErrorIs(t, err, os.ErrExist)
}

// There is no log beside an error: whoever closes what they were given must not
// meet a log that was never made.
func TestNoLogBesideAnError(t *testing.T) {
	dir, good := t.TempDir(), session.Header{ID: "s"}
	for name, make := range map[string]func() (*session.Log, error){
		"a directory":  func() (*session.Log, error) { return session.CreateLog(dir, good, session.LogOptions{}) },
		"no directory": func() (*session.Log, error) { return session.CreateLog(dir+"/no/log", good, session.LogOptions{}) },
		"a header": func() (*session.Log, error) {
			return session.CreateLog(dir+"/log", session.Header{}, session.LogOptions{})
		},
		"one in memory": func() (*session.Log, error) {
			return session.NewLog(session.Header{ID: "s", Cwd: "here"}, session.LogOptions{})
		},
		"one that is not": func() (*session.Log, error) { return session.OpenLog(dir+"/none", session.LogOptions{}) },
		"a seed with a gap": func() (*session.Log, error) {
			return session.SeedLog(good, []session.Entry{{Event: session.TurnStarted(1), Seq: 1}}, session.LogOptions{})
		},
	} {
		log, err := make()
		require.Error(t, err, name)
		require.Nil(t, log, name)
	}
}

// Whatever byte a write stopped at, all whole lines are there afterwards.
func TestTornTail(t *testing.T) {
	name := path(t)
	log := create(t, name, session.LogOptions{})
	put(t, log, turn(1, "one")...)
	require.NoError(t, log.Close())
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	last := strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n") + 1
	for cut := last; cut < len(whole); cut++ {
		require.NoError(t, os.WriteFile(name, whole[:cut], 0o600))
		again, err := session.OpenLog(name, session.LogOptions{})
		require.NoError(t, err)
		got := types(t, again)
		require.Equal(t, []string{"turn/start", "step/start", "user/message", "step/end", "turn/end", "session/end-seed"}, got)
		require.Equal(t, session.EndInterrupted, again.Work().End.Kind)
		put(t, again, turn(2, "two")...)
		require.NoError(t, again.Close())
		require.NoError(t, session.ReadLog(name, func(session.Header) error { return nil }, func(session.Entry) error { return nil }))
	}
}

func TestRefusedLogs(t *testing.T) {
	const head = `{"dsh_session":1,"id":"s","created":1}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "no header"},
		{"another version", `{"dsh_session":2,"id":"s"}` + "\n", "version 2"},
		{"not a log", "hello\n", "no header"},
		{"a gap", head + `{"seq":1,"time":1,"type":"turn/start","data":{"turn":1}}` + "\n", "sequence number is 1"},
		{"broken in the middle", head + "{\n" + `{"seq":1,"time":1,"type":"turn/start","data":{"turn":1}}` + "\n", "event 0"},
		{"unknown event", head + `{"seq":0,"time":1,"type":"future/thing","data":{}}` + "\n", "future/thing"},
		{"nested turns", head + `{"seq":0,"time":1,"type":"turn/start","data":{"turn":1}}` + "\n" + `{"seq":1,"time":1,"type":"turn/start","data":{"turn":2}}` + "\n", "while turn 1 is open"},
		{"splice that does not fit", head + `{"seq":0,"time":1,"type":"agent/inbox/spliced","data":{"target":"next-turn","start":0,"removed":1,"inserted":[]}}` + "\n", "out of a list of 0"},
		{"splice beyond all numbers", head + `{"seq":0,"time":1,"type":"agent/inbox/spliced","data":{"target":"next-turn","start":9223372036854775807,"removed":1,"inserted":[]}}` + "\n", "out of a list of 0"},
		{"fork that was cut off", `{"dsh_session":1,"id":"s","parent":"p","seed":3}` + "\n" + `{"seq":0,"time":1,"type":"turn/start","data":{"turn":1}}` + "\n", "1 of the 3 events"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := path(t)
			require.NoError(t, os.WriteFile(name, []byte(test.text), 0o600))
			_, err := session.OpenLog(name, session.LogOptions{})
			require.ErrorContains(t, err, test.want)
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, test.text, string(text), "a refused log is left alone")
		})
	}
}

func TestIgnorableEvents(t *testing.T) {
	name := path(t)
	log := create(t, name, session.LogOptions{})
	_, err := log.Append(ctx, session.Event{Type: "mine/own", Data: value.OfObject()})
	var unknown *session.UnknownEventError
	require.ErrorAs(t, err, &unknown)
	put(t, log, session.Event{Type: "mine/own", Data: value.OfObject(), Ignorable: true})
	require.NoError(t, log.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, []string{"mine/own", "session/end-seed"}, types(t, again))
}

func TestLossyDataIsRefused(t *testing.T) {
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	for name, data := range map[string]value.Value{
		"absent":        {},
		"not UTF-8":     value.OfString("\xff"),
		"such a key":    value.OfObject(value.Member{Key: "\xff", Value: value.OfInt(1)}),
		"negative zero": value.OfList(value.MustFrom(0.0), mustParse(t, "-0")),
	} {
		_, err := log.Append(ctx, session.Event{Type: "x", Data: data, Ignorable: true})
		require.ErrorIs(t, err, session.ErrLossy, name)
	}
	require.Zero(t, log.Len())
}

func mustParse(t *testing.T, s string) value.Value {
	t.Helper()
	v, err := value.ParseString(s)
	require.NoError(t, err)
	return v
}

func TestChecksRefuse(t *testing.T) {
	no := errors.New("no")
	refuse := true
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{Checks: []func(session.Entry) error{func(session.Entry) error {
		if refuse {
			return no
		}
		return nil
	}}})
	require.NoError(t, err)
	_, err = log.Append(ctx, session.TurnStarted(1))
	require.ErrorIs(t, err, no)
	require.Zero(t, log.Len())
	refuse = false
	put(t, log, session.TurnStarted(1))
}

func TestObservers(t *testing.T) {
	var seen []string
	var warned []string
	var log *session.Log
	o := session.LogOptions{Warn: func(s string) { warned = append(warned, s) }}
	o.Observers = append(o.Observers,
		func(ctx context.Context, e session.Entry) error {
			seen = append(seen, "first "+string(e.Type))
			_, err := log.Append(ctx, session.TurnStarted(9))
			require.ErrorIs(t, err, session.ErrReentrant)
			panic("observers are contained")
		},
		func(_ context.Context, e session.Entry) error {
			seen = append(seen, "second "+string(e.Type))
			return nil
		})
	log, err := session.NewLog(session.Header{ID: "s"}, o)
	require.NoError(t, err)
	put(t, log, session.TurnStarted(1))
	require.Equal(t, []string{"first turn/start", "second turn/start"}, seen)
	require.Len(t, warned, 1)
}

func TestObserversHearEverythingInOrder(t *testing.T) {
	var mu sync.Mutex
	var seen []int64
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{Observers: []func(context.Context, session.Entry) error{
		func(_ context.Context, e session.Entry) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, e.Seq)
			return nil
		},
	}})
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				e, err := log.Append(ctx, session.Event{Type: "x", Data: value.OfObject(), Ignorable: true})
				require.NoError(t, err)
				mu.Lock()
				heard := int64(len(seen)) > e.Seq
				mu.Unlock()
				require.True(t, heard, "Append returns when its observers were told")
			}
		})
	}
	group.Wait()
	for i, seq := range seen {
		require.EqualValues(t, i, seq)
	}
	require.Len(t, seen, 1600)
}

// An observer that ends the goroutine it is called on leaves a log that works.
func TestObserverEndsItsGoroutine(t *testing.T) {
	var told int
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{Observers: []func(context.Context, session.Entry) error{
		func(context.Context, session.Entry) error {
			if told++; told == 1 {
				runtime.Goexit()
			}
			return nil
		},
	}})
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = log.Append(ctx, session.TurnStarted(1))
	}()
	<-done
	put(t, log, session.StepStarted(1, 1))
	require.Equal(t, 2, told)
}

func TestHistoryPrefixesStay(t *testing.T) {
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	put(t, log, session.Said(said("1", "one")))
	before := log.History()
	_ = append(before, said("x", "not part of it"))
	put(t, log, session.Said(said("2", "two")))
	require.Len(t, before, 1)
	require.Equal(t, "two", log.History()[1].Text())
}

func TestReplace(t *testing.T) {
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	put(t, log, session.Said(said("1", "one")), session.Said(said("2", "two")), session.Said(said("3", "three")))
	ev := session.Said(said("sum", "sum"))
	ev.Surface, ev.Sources = session.Surface{Op: session.SurfaceReplace, Start: 0, End: 1}, []int64{0, 1}
	put(t, log, ev)
	require.Equal(t, "sum", log.History()[0].Text())
	require.Equal(t, "three", log.History()[1].Text())
	require.Len(t, log.History(), 2)
}

// A question stands between a call and its result, and has one outcome.
func TestApprovalsHaveTheirPlace(t *testing.T) {
	q := session.Question{Call: "c", Tool: "t", Reason: "why"}
	part := session.Question{Call: "part", Root: "c", Tool: "t"}
	granted := session.Answer{Outcome: "allowed-once", By: "extension", Extension: "p"}
	called := session.Called(1, 1, session.ToolCall{ID: "c", Tool: "t"}, value.Value{}, "")
	returned := session.Returned(1, 1, session.ResultMessage("c", nil, false), "", "", value.Value{}, 2)
	asked, decided := session.Asked(1, 1, q), session.Decided(1, 1, q, granted)
	for _, test := range []struct {
		name   string
		events []session.Event
		fails  bool // the last one
	}{
		{"asked and decided", []session.Event{called, asked, decided, returned}, false},
		{"never decided", []session.Event{called, asked, returned}, false},
		{"about a part of the call", []session.Event{called, session.Asked(1, 1, part), session.Decided(1, 1, part, granted), returned}, false},
		{"asked again", []session.Event{called, asked, decided, asked, decided, returned}, false},
		{"before the call", []session.Event{asked}, true},
		{"after the result", []session.Event{called, returned, asked}, true},
		{"decided without a question", []session.Event{called, decided}, true},
		{"decided twice", []session.Event{called, asked, decided, decided}, true},
		{"another step", []session.Event{called, session.Asked(1, 2, q)}, true},
		{"no outcome", []session.Event{called, asked, session.Decided(1, 1, q, session.Answer{})}, true},
		{"no call", []session.Event{called, session.Asked(1, 1, session.Question{})}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := path(t)
			log := create(t, name, session.LogOptions{})
			put(t, log, session.TurnStarted(1), session.StepStarted(1, 1))
			last := len(test.events) - 1
			put(t, log, test.events[:last]...)
			_, err := log.Append(ctx, test.events[last])
			var relation *session.RelationError
			require.Equal(t, test.fails, errors.As(err, &relation), "%v", err)
			require.NoError(t, log.Close())
			again, err := session.OpenLog(name, session.LogOptions{})
			require.NoError(t, err)
			require.NoError(t, again.Close())
		})
	}
}

func TestForkInFiles(t *testing.T) {
	log := create(t, path(t), session.LogOptions{})
	defer log.Close()
	put(t, log, turn(1, "one")...)
	put(t, log, session.Spliced(session.NextStep, 0, 0, []session.Message{said("p", "pending")}, false))
	put(t, log, session.TurnStarted(2))
	_, err := log.Fork(path(t), session.Last, session.Header{ID: "c"}, session.LogOptions{})
	var fork *session.ForkError
	require.ErrorAs(t, err, &fork)
	require.Equal(t, "OPEN_TURN", fork.Code)

	name := path(t)
	child, err := log.Fork(name, log.LastEnd(), session.Header{ID: "c"}, session.LogOptions{})
	require.NoError(t, err)
	require.Equal(t, "/w", child.Header().Cwd)
	require.Equal(t, "s", child.Header().Parent)
	put(t, child, turn(2, "other")...)
	require.NoError(t, child.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	defer again.Close()
	require.Len(t, again.History(), 2)
	require.Empty(t, again.Pending(session.NextStep), "what waits in the parent is not the child's")
}

func TestRepairAnswersCalls(t *testing.T) {
	name := path(t)
	log := create(t, name, session.LogOptions{})
	answer := called("one")
	answer.Content = append(answer.Content, session.ToolCall{ID: "two", Tool: "t", Arguments: value.OfObject()})
	put(t, log, session.TurnStarted(1), session.StepStarted(1, 1), session.Answered(1, 1, answer, value.Value{}, false, nil),
		session.Called(1, 1, session.ToolCall{ID: "one", Tool: "t"}, value.Value{}, ""))
	require.NoError(t, log.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	defer again.Close()
	var codes []string
	for e, err := range again.Entries() {
		require.NoError(t, err)
		if e.Type == session.EventResult {
			codes = append(codes, e.Data.Get("error").Get("code").String())
		}
	}
	require.Equal(t, []string{session.CodeOutcomeUnknown, session.CodeNotStarted}, codes)
}

func FuzzOpenLog(f *testing.F) {
	f.Add([]byte(`{"dsh_session":1,"id":"s","created":1}` + "\n" + `{"seq":0,"time":1,"type":"turn/start","data":{"turn":1}}` + "\n{\"seq\":1"))
	f.Add([]byte(`{"dsh_session":1,"id":"s","seed":3}` + "\n" + `{"seq":0,"time":1,"type":"user/message","data":{"role":"user","content":[]},"surface":{"op":"replace","start":0,"end":-1},"sources":[0]}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "log")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		log, err := session.OpenLog(name, session.LogOptions{})
		if err != nil {
			return
		}
		n := log.Len()
		require.NoError(t, log.Close())
		again, err := session.OpenLog(name, session.LogOptions{})
		require.NoError(t, err, "what opens once opens again")
		require.Equal(t, n, again.Len())
		require.NoError(t, again.Close())
	})
}

// A log whose flush failed once never says again that something was kept.
func TestFailedFlushEndsTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := session.CreateLog(path, session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	require.NoError(t, l.Flush())
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Flush(), os.ErrClosed)
	_, err = l.Append(t.Context(), session.TurnStarted(1))
	require.ErrorIs(t, err, os.ErrClosed)
}
