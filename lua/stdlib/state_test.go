package stdlib_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/value"
)

func TestState(t *testing.T) {
	ask(t, invented(), []question{
		{"state.session:get('a')", "nil", ""},
		{"state.session:set('a', {b = {1, 'x'}})", "nil", ""},
		{"state.session:get('a')", `{"b":[1,"x"]}`, ""},
		{"state.project:get('a')", "nil", ""},
		{"state.session:incr('n')", "1", ""},
		{"state.session:incr('n', 2.5)", "3.5", ""},
		{"state.session:incr('n', -3.5)", "0", ""},
		{"state.session:keys()", `["a","n"]`, ""},
		{"state.session:keys('b')", `[]`, ""},
		{"state.session:delete('n')", "true", ""},
		{"state.session:delete('n')", "false", ""},
		{"state.session:set('f', false)", "nil", ""},
		{"state.session:get('f')", "false", ""},
		{"state.session:set('big', json.decode('9223372036854775807'))", "nil", ""},
		{"state.session:get('big')", `9223372036854775807`, ""},
		{"state.session:ttl('a')", "nil", ""},
		{"state.session:ttl('a', 5)", "5", ""},
		{"state.session:ttl('none', 5)", "nil", ""},

		{"state.session:incr('a')", "", `store:incr: key "a": want a number to add to, got object`},
		{"state.session:set('x', nil)", "", "store:set: value: want what JSON can say, got nil"},
		{"state.session:set('x', json.null)", "", "got nil"},
		{"state.session:set('x', function() end)", "", "value: expected JSON"},
		{"state.session:set('x', 1, 0)", "", "ttl: want a number of seconds above 0"},
		{"state.session:set('', 1)", "", "key: want 1 to 256 bytes, got 0"},
		{"state.session:set('x', ('x'):rep(9000))", "", "value: 9002 bytes of JSON; one value may have 8192"},
		{"for i = 1, 65 do pcall(state.session.get, state.session, 'x') end", "", "too many uses of the state: a run may have 64"},
	})
}

// A value is forgotten when its time has come, by the time of the event.
func TestStateForgets(t *testing.T) {
	s, now := invented(), noon
	s.Clock = func(context.Context) time.Time { return now }
	l := newLab(t, s)
	question{"state.session:incr('n', 1, 60)", "1", ""}.put(t, l)
	now = now.Add(59 * time.Second)
	question{"state.session:incr('n', 1, 60)", "2", ""}.put(t, l)
	question{"state.session:ttl('n')", "1", ""}.put(t, l)
	now = now.Add(time.Second)
	question{"state.session:get('n')", "nil", ""}.put(t, l)
	question{"state.session:keys()", "[]", ""}.put(t, l)
	question{"state.session:incr('n', 1, 60)", "1", ""}.put(t, l)
	l.run.Services.Clock = nil
	question{"state.session:get('n')", "", "the time of the event is not known here"}.put(t, l)
}

// Sessions, projects and files do not see each other's entries.
func TestStateIsApart(t *testing.T) {
	l := newLab(t, invented())
	question{"state.session:incr('n') + state.project:incr('n', 10)", "11", ""}.put(t, l)
	l.run.Script = "other.lua"
	question{"state.session:get('n')", "nil", ""}.put(t, l)
	l.run.Script = "test.lua"
	other, err := value.ParseString(strings.ReplaceAll(payload, `"s1"`, `"s2"`))
	require.NoError(t, err)
	l.run.Payload = other
	question{"state.session:get('n')", "nil", ""}.put(t, l)
	question{"state.project:get('n')", "10", ""}.put(t, l)
	long, err := value.ParseString(strings.ReplaceAll(payload, `"s1"`, `"`+strings.Repeat("s", 9000)+`"`))
	require.NoError(t, err)
	l.run.Payload = long
	question{"state.session:get('n')", "", "session.id: 9000 bytes; state is kept for at most 8192"}.put(t, l)
	l.run.Payload = value.OfObject()
	question{"state.project:get('n')", "", "the client does not tell session.project"}.put(t, l)
	l.run.Payload = value.Value{}
	question{"state.project:get('n')", "", "state is for handlers"}.put(t, l)
}

// A store is bounded; what is forgotten makes room.
func TestStateIsBounded(t *testing.T) {
	s, now := invented(), noon
	s.Clock = func(context.Context) time.Time { return now }
	l := newLab(t, s)
	for i := range 17 {
		_, _, err := l.do("for i = 1, 60 do state.session:set('" + string(rune('a'+i)) + "' .. i, i, 60) end")
		if i == 16 {
			require.ErrorContains(t, err, "the store is full: it may have 1000 keys, and 131072 bytes in all")
			break
		}
		require.NoError(t, err)
	}
	now = now.Add(time.Hour)
	question{"state.session:set('x', 1)", "nil", ""}.put(t, l)
	question{"state.session:keys()", `["x"]`, ""}.put(t, l)
	question{"for i = 1, 20 do state.session:set('big' .. i, ('x'):rep(8000)) end", "", "the store is full"}.put(t, l)
}

// A transaction that fails changes nothing, and fails the method.
func TestStateFails(t *testing.T) {
	s := invented()
	s.State = broken{}
	ask(t, s, []question{
		{"state.session:incr('n')", "", "store:incr: it is locked"},
		{"pcall(state.session.get, state.session, 'n')", "false", ""},
	})
}

type broken struct{}

func (broken) Update(context.Context, string, func(stdlib.Entries) error) error {
	return errors.New("it is locked")
}

func (b broken) View(ctx context.Context, scope string, f func(stdlib.Entries) error) error {
	return b.Update(ctx, scope, f)
}

// A trial sees what was kept and leaves it alone.
func TestMemoryOverBase(t *testing.T) {
	base := new(stdlib.Memory)
	s := invented()
	s.State = base
	question{"state.session:incr('n', 5)", "5", ""}.put(t, newLab(t, s))
	s.State = &stdlib.Memory{Base: base}
	trial := newLab(t, s)
	question{"state.session:incr('n')", "6", ""}.put(t, trial)
	question{"state.session:incr('n')", "7", ""}.put(t, trial)
	s.State = base
	question{"state.session:get('n')", "5", ""}.put(t, newLab(t, s))
}

// Whatever is stored, reading it does not panic.
func FuzzStored(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		s := invented()
		require.NoError(t, s.State.Update(t.Context(), "state.session\x00s1\x00test.lua", func(e stdlib.Entries) error {
			return e.Put("k", stored)
		}))
		_, _, err := newLab(t, s).do("pcall(state.session.incr, state.session, 'k') pcall(state.session.keys, state.session) state.session:set('x', 1) return pcall(state.session.get, state.session, 'k')")
		require.NoError(t, err)
	})
}
