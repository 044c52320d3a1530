package filestate_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/lua/stdlib/filestate"
)

// The test binary is also the process that adds: it is started with the folder
// and the number of additions, and prints the sum after each.
const asWorker = "DSH_TEST_ADD"

func TestMain(m *testing.M) {
	if task := os.Getenv(asWorker); task != "" {
		folder, count, _ := strings.Cut(task, "=")
		n, _ := strconv.Atoi(count)
		if err := work(folder, n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// work adds 1 count times. Who finds the state busy has added nothing and tries
// again.
func work(folder string, count int) error {
	store := filestate.New(folder)
	for done := 0; done < count; {
		sum, err := add(context.Background(), store, "n")
		switch {
		case errors.Is(err, filestate.ErrBusy):
			continue
		case err != nil:
			return err
		}
		done++
		fmt.Println(sum)
	}
	return nil
}

func add(ctx context.Context, store *filestate.Store, key string) (sum int, err error) {
	err = store.Update(ctx, "scope", func(e stdlib.Entries) error {
		val, _ := e.Get(key)
		sum, _ = strconv.Atoi(string(val))
		sum++
		return e.Put(key, []byte(strconv.Itoa(sum)))
	})
	return sum, err
}

func get(t *testing.T, store *filestate.Store, scope, key string) (val string) {
	t.Helper()
	require.NoError(t, store.View(t.Context(), scope, func(e stdlib.Entries) error {
		b, _ := e.Get(key)
		val = string(b)
		return nil
	}))
	return val
}

func worker(t *testing.T, folder string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s=%d", asWorker, folder, count))
	cmd.Stderr = os.Stderr
	return cmd
}

// Parallel processes lose none of each other's changes.
func TestProcessesAddUp(t *testing.T) {
	const processes, each = 8, 1000
	folder := t.TempDir()
	var running []*exec.Cmd
	for range processes {
		cmd := worker(t, folder, each)
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	require.Equal(t, strconv.Itoa(processes*each), get(t, filestate.New(folder), "scope", "n"))
}

// A process that is killed at any moment loses nothing that it was told, and
// leaves a state that goes on.
func TestKill(t *testing.T) {
	rounds := 8
	if n, err := strconv.Atoi(os.Getenv("DSH_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	folder := t.TempDir()
	store := filestate.New(folder)
	told := 0
	for round := range rounds {
		cmd := worker(t, folder, 1<<30)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		first := time.Duration(rand.IntN(80)) * time.Millisecond // also while the file is made
		timer := time.AfterFunc(first, func() { _ = cmd.Process.Kill() })
		told = max(told, last(out))
		timer.Stop()
		_ = cmd.Wait() // it was killed

		kept, _ := strconv.Atoi(get(t, store, "scope", "n"))
		require.GreaterOrEqual(t, kept, told, "round %d: what was told is lost", round)
		sum, err := add(t.Context(), store, "n")
		require.NoError(t, err, "round %d: the state does not go on", round)
		require.Equal(t, kept+1, sum)
		told = sum
	}
	t.Logf("%d rounds, %d additions told", rounds, told)
}

// last returns the last whole number that a process printed.
func last(out io.Reader) (n int) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return n
		}
		n, _ = strconv.Atoi(strings.TrimSpace(line))
	}
}

// A transaction that fails changes nothing.
func TestFailureChangesNothing(t *testing.T) {
	store := filestate.New(filepath.Join(t.TempDir(), "new", "folder"))
	require.Empty(t, get(t, store, "scope", "n"))
	_, err := add(t.Context(), store, "n")
	require.NoError(t, err)
	oops := errors.New("oops")
	require.ErrorIs(t, store.Update(t.Context(), "scope", func(e stdlib.Entries) error {
		require.NoError(t, e.Put("n", []byte("9")))
		require.NoError(t, e.Delete("m"))
		return oops
	}), oops)
	require.Equal(t, "1", get(t, store, "scope", "n"))
	require.Empty(t, get(t, store, "other", "n"))
	_, err = add(t.Context(), store, "m")
	require.NoError(t, err)
	var keys []string
	require.NoError(t, store.View(t.Context(), "scope", func(e stdlib.Entries) error {
		return e.Each(func(key string, _ []byte) error { keys = append(keys, key); return nil })
	}))
	require.Equal(t, []string{"m", "n"}, keys)
	require.NoError(t, store.Update(t.Context(), "scope", func(e stdlib.Entries) error { return e.Delete("m") }))
	require.Empty(t, get(t, store, "scope", "m"))
}

// Who cannot have the state in time is told, and so is who gives up.
func TestWaitingEnds(t *testing.T) {
	store := filestate.New(t.TempDir())
	_, err := add(t.Context(), store, "n")
	require.NoError(t, err)
	require.NoError(t, store.Update(t.Context(), "scope", func(stdlib.Entries) error {
		_, err := add(t.Context(), store, "n")
		require.ErrorIs(t, err, filestate.ErrBusy)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = add(gone, store, "n")
		require.ErrorIs(t, err, context.Canceled)
		return nil
	}))
	require.Equal(t, "1", get(t, store, "scope", "n"))
}

// A file that is damaged is an error, whatever it holds.
func TestDamage(t *testing.T) {
	whole := t.TempDir()
	for range 20 {
		_, err := add(t.Context(), filestate.New(whole), "n")
		require.NoError(t, err)
	}
	good, err := os.ReadFile(filepath.Join(whole, "state.db"))
	require.NoError(t, err)
	damage := map[string]func(b []byte) []byte{
		"empty":      func([]byte) []byte { return nil },
		"short":      func(b []byte) []byte { return b[:100] },
		"other":      func([]byte) []byte { return []byte(strings.Repeat("not a state\n", 5000)) },
		"no heads":   func(b []byte) []byte { clear(b[:2*4096]); return b },
		"no content": func(b []byte) []byte { clear(b[2*4096:]); return b },
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range damagedPages {
		damage[fmt.Sprintf("random %d", i)] = func(b []byte) []byte {
			for range 200 {
				b[8192+random.IntN(len(b)-8192)] = byte(random.IntN(256))
			}
			return b
		}
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "state.db"), harm(append([]byte(nil), good...)), 0o600))
			_, err := add(t.Context(), filestate.New(folder), "n")
			if !strings.HasPrefix(name, "random") { // which may hit nothing that counts
				requireDamaged(t, err, folder)
			}
			_, err = add(t.Context(), filestate.New(folder), "n")
			require.NotErrorIs(t, err, filestate.ErrBusy, "what failed still holds the file")
			require.NoError(t, os.Remove(filepath.Join(folder, "state.db")))
			_, err = add(t.Context(), filestate.New(folder), "n")
			require.NoError(t, err, "a new file is made")
		})
	}
}

// A file that has lost its end, wherever that is, is never taken for one that holds
// less.
func TestCut(t *testing.T) {
	whole := t.TempDir()
	other := func() { // moves what leads to the entries to pages in front of them
		require.NoError(t, filestate.New(whole).Update(t.Context(), "other", func(e stdlib.Entries) error { return e.Put("n", nil) }))
	}
	other()
	const entries = 60
	text := []byte(strings.Repeat("text ", 300)) // longer than one page has room for several
	require.NoError(t, filestate.New(whole).Update(t.Context(), "scope", func(e stdlib.Entries) error {
		for i := range entries {
			if err := e.Put(strconv.Itoa(i), text); err != nil {
				return err
			}
		}
		return nil
	}))
	other()
	good, err := os.ReadFile(filepath.Join(whole, "state.db"))
	require.NoError(t, err)
	lost := 0
	for size := len(good) - 1; size > 0; size -= 500 {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "state.db"), good[:size], 0o600))
		var seen int
		err := filestate.New(folder).View(t.Context(), "scope", func(e stdlib.Entries) error {
			return e.Each(func(_ string, val []byte) error {
				seen++
				require.Equal(t, text, val)
				return nil
			})
		})
		if err == nil { // what was cut off was never used
			require.Equal(t, entries, seen, "%d of %d bytes", size, len(good))
			continue
		}
		lost++
		requireDamaged(t, err, folder)
		err = filestate.New(folder).View(t.Context(), "other", func(stdlib.Entries) error { return nil })
		requireDamaged(t, err, folder)
		_, err = add(t.Context(), filestate.New(folder), "n")
		requireDamaged(t, err, folder)
	}
	require.Positive(t, lost)
}

// requireDamaged holds that the user is told which file to move away.
func requireDamaged(t *testing.T, err error, folder string) {
	t.Helper()
	require.ErrorIs(t, err, filestate.ErrDamaged)
	require.ErrorContains(t, err, filepath.Join(folder, "state.db")+": ")
	require.ErrorContains(t, err, "move it away to begin anew")
}

// What is no file at all is not waited for, and what may not be opened is not
// called damaged.
func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "state.db"), 0o700))
	_, err := add(t.Context(), filestate.New(folder), "n")
	requireDamaged(t, err, folder)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = add(t.Context(), filestate.New(filepath.Join(file, "dsh")), "n")
	require.ErrorContains(t, err, file)
	require.NotErrorIs(t, err, filestate.ErrDamaged)
}

func TestFolder(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/x/state")
	folder, err := filestate.Folder()
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(folder))

	t.Setenv("XDG_STATE_HOME", "state")
	t.Setenv("HOME", "/x/home")
	folder, err = filestate.Folder()
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(folder))
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		t.Setenv("HOME", "home")
		_, err = filestate.Folder()
		require.ErrorContains(t, err, "not absolute")
	}
}
