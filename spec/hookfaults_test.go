package spec_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faultTimeout is the time-out of hooks that never come to an end, in seconds.
const faultTimeout = "0.5"

// Whatever a hook does, its event ends, the human is told, the call goes on as at
// the client, and nothing of the hook is left.
func TestHooksThatDoNotEnd(t *testing.T) {
	for _, test := range []struct {
		name, line string
		told       string // "": the hook ends by itself
	}{
		{"forks without end", `f() { sleep 399.71 & [ $n -lt 400 ] && n=$((n+1)) && f; }; n=0; f; while true; do sleep 399.71 & wait $!; done`, "timed out"},
		{"ignores TERM", `trap '' TERM; while true; do sleep 399.72; done`, "timed out"},
		{"leaves its group", `setsid sleep 399.73 & sleep 399.73`, "timed out"},
		{"prints without end", `yes 'a line of what is printed'`, "timed out"},
		{"prints much", `yes "a line of what is printed" | head -c 134217728`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := heap()
			r := bash("touch ran", command(test.line)+`,"timeout":`+faultTimeout)
			if test.told == "" {
				r.hooks = []string{command(test.line) + `,"timeout":60`}
			}
			began := time.Now()
			s := r.play(t)
			t.Logf("the session took %s; the heap grew by %d MiB", time.Since(began).Round(time.Millisecond), (heap()-before)>>20)
			goesOn(t, s)
			require.Contains(t, s.told, test.told)
			require.Empty(t, running(t, "399.7"))
			require.Less(t, heap()-before, int64(64<<20))
		})
	}
	t.Run("holds standard output", func(t *testing.T) { // the client does not wait for who holds it
		s := bash("touch ran", command("sleep 399.74 & exit 0")).play(t)
		goesOn(t, s)
		require.Empty(t, running(t, "399.74"))
	})
}

// Fifty hooks of one event run at the same time: each waits for all others.
func TestHooksRunAtTheSameTime(t *testing.T) {
	const n = 50
	var list []string
	for i := range n { // identical ones would run once
		list = append(list, command(fmt.Sprintf(`touch here.%d; until [ "$(ls | grep -c here)" -ge %d ]; do sleep 0.05; done`, i, n)))
	}
	began := time.Now()
	s := bash("touch ran", list...).play(t)
	t.Logf("the session took %s", time.Since(began).Round(time.Millisecond))
	goesOn(t, s)
	require.Empty(t, s.told)
	require.Len(t, s.records, 2*n)
}

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
