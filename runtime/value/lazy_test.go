package value_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A ledger is a record that notes what is asked of it.
type ledger struct {
	members []value.Member
	asked   []string
	room    value.Room
}

func (l *ledger) Member(key string) value.Value {
	l.asked = append(l.asked, key)
	for _, m := range l.members {
		if m.Key == key {
			return m.Value
		}
	}
	return value.Value{}
}

func (l *ledger) Members() []value.Member {
	l.asked = append(l.asked, "all")
	return slices.Clone(l.members)
}

func lazy(members ...value.Member) (value.Value, *ledger) {
	l := &ledger{members: members}
	return value.OfLazy(raw.Access{}, l, &l.room), l
}

// A lazy object is the object that its record describes, whichever way it is read.
func TestLazyObjectsAreObjects(t *testing.T) {
	members := []value.Member{{Key: "a", Value: value.OfInt(1)}, {Key: "b", Value: value.NullValue()}}
	for i := range 20 {
		members = append(members, value.Member{Key: string(rune('c' + i)), Value: value.OfString("x")})
	}
	for n := range len(members) {
		want := value.OfObject(members[:n]...)
		for name, read := range map[string]func(v value.Value) any{
			"kind":    func(v value.Value) any { return v.Kind() },
			"len":     func(v value.Value) any { return v.Len() },
			"text":    func(v value.Value) any { return v.String() },
			"member":  func(v value.Value) any { return v.Get("b") },
			"none":    func(v value.Value) any { return v.Get("none") },
			"all":     func(v value.Value) any { return maps.Collect(v.Members()) },
			"equal":   func(v value.Value) any { return v.Equal(want) },
			"equals":  func(v value.Value) any { return want.Equal(v) },
			"changed": func(v value.Value) any { return v.With("b", value.OfInt(2)).String() },
			"less":    func(v value.Value) any { return v.With("a", value.Value{}).String() },
			"item":    func(v value.Value) any { return v.At(0) },
		} {
			v, _ := lazy(members[:n]...)
			require.Equal(t, read(want), read(v), name)
			require.Equal(t, read(want), read(v), name+" again")
		}
	}
}

// A record is asked for what is read, and once for all of it.
func TestLazyObjectsMakeWhatIsRead(t *testing.T) {
	v, l := lazy(value.Member{Key: "a", Value: value.OfInt(1)})
	require.Empty(t, l.asked)
	v.Get("a")
	require.Equal(t, []string{"a"}, l.asked)
	_, _ = v.String(), v.Len()
	require.Equal(t, []string{"a", "all"}, l.asked)
}

func TestLazyObjectsAreSharedBetweenGoroutines(t *testing.T) {
	v, _ := lazy(value.Member{Key: "a", Value: value.OfInt(1)})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _ = v.AppendJSON(nil) })
	}
	wg.Wait()
}
