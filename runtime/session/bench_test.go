package session_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

func chunkOf(size int) value.Value {
	return value.OfObject(
		value.Member{Key: "kind", Value: value.OfString("text-delta")}, value.Member{Key: "index", Value: value.OfInt(0)},
		value.Member{Key: "text", Value: value.OfString(strings.Repeat("x", size))},
	)
}

// BenchmarkAppend logs events of 1 KB in a file, without syncing it.
func BenchmarkAppend(b *testing.B) {
	log := create(b, path(b), session.LogOptions{})
	defer log.Close()
	put(b, log, session.TurnStarted(1), session.StepStarted(1, 1))
	chunk := chunkOf(900)
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		_, err := log.Append(ctx, session.Chunk(1, 1, chunk))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(b.N)/(cpuTime()-before).Seconds(), "events/cpu-s")
}

// BenchmarkResume opens a log of 100 MB and reports how much memory that took.
func BenchmarkResume(b *testing.B) {
	name := path(b)
	writeLarge(b, name, 100<<20)
	for b.Loop() {
		runtime.GC()
		peak := watchHeap()
		log, err := session.OpenLog(name, session.LogOptions{})
		require.NoError(b, err)
		b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
		require.NoError(b, log.Close())
	}
}

// TestResumeNeedsLittleMemory is the small form of BenchmarkResume.
func TestResumeNeedsLittleMemory(t *testing.T) {
	name := path(t)
	writeLarge(t, name, 16<<20)
	runtime.GC()
	peak := watchHeap()
	log, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	defer log.Close()
	require.Less(t, peak(), uint64(12<<20))
}

// watchHeap samples the heap until the returned function is called, which
// returns by how much it grew at most.
func watchHeap() func() uint64 {
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-stop:
				done <- most - min(most, before.HeapAlloc)
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// writeLarge writes a log of turns with long streams.
func writeLarge(t testing.TB, name string, size int) {
	t.Helper()
	file, err := os.Create(name)
	require.NoError(t, err)
	w := bufio.NewWriter(file)
	written := 0
	line := func(format string, args ...any) {
		n, err := fmt.Fprintf(w, format+"\n", args...)
		require.NoError(t, err)
		written += n
	}
	line(`{"dsh_session":1,"id":"s","created":1}`)
	chunk := string(chunkOf(1000).AppendJSON(nil))
	seq := 0
	next := func(kind, data string) {
		line(`{"seq":%d,"time":1,"type":%q,"data":%s}`, seq, kind, data)
		seq++
	}
	for n := 1; written < size; n++ {
		next("turn/start", fmt.Sprintf(`{"turn":%d}`, n))
		next("step/start", fmt.Sprintf(`{"turn":%d,"step":1}`, n))
		for range 100 {
			next("assistant/chunk", fmt.Sprintf(`{"turn":%d,"step":1,"chunk":%s}`, n, chunk))
		}
		line(`{"seq":%d,"time":1,"type":"assistant/message","data":{"turn":%d,"step":1,"message":{"id":"m%d","role":"assistant","content":[{"kind":"text","text":"answer"}]}},"surface":"append","sources":[]}`, seq, n, n)
		seq++
		next("step/end", fmt.Sprintf(`{"turn":%d,"step":1}`, n))
		next("turn/end", fmt.Sprintf(`{"turn":%d,"end":{"kind":"completed"}}`, n))
	}
	require.NoError(t, w.Flush())
	require.NoError(t, file.Close())
}
