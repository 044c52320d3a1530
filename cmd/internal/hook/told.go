package hook

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/value"
)

// toldAge is how long it is remembered that a session was told something.
const toldAge = 7 * 24 * time.Hour

// maxRemarks bounds what one hook tells, in bytes.
const maxRemarks = 256 << 10

// maxOnce bounds how many lines a hook looks up at once, whether they were told
// before: each is a file, and a client does not wait for as many as a project can
// give cause for.
const maxOnce = 1000

// remarks are the lines that a hook tells beside its answer.
type remarks struct {
	text  []byte
	full  bool
	swept bool // what is too old was forgotten
}

// add appends one line; beyond the bound lines are left out, and that is said.
func (r *remarks) add(line string) {
	line = console.OneLine(line)
	switch {
	case r.full:
		return
	case len(r.text)+len(line) >= maxRemarks:
		r.full, line = true, fmt.Sprintf("dsh hook: more than %d bytes to tell; the rest is left out", maxRemarks)
	}
	r.text = append(append(r.text, line...), '\n')
}

// once adds what the session was not told before. Hooks are processes of their
// own, so the memory is a file in the user's cache; where there is none, every
// call tells.
func (r *remarks) once(event []byte, root string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	v, err := value.Parse(event)
	if err != nil {
		return
	}
	if more := len(lines) - maxOnce; more > 0 {
		lines = append(lines[:maxOnce:maxOnce], fmt.Sprintf("%d more of these are left out", more))
	}
	for _, line := range lines {
		if r.first(v.Get("session_id").String() + "\x00" + root + "\x00" + line) {
			r.add("dsh hook: " + line)
		}
	}
}

func noPolicies(root string) string {
	return fmt.Sprintf("no policies in %s: no opinion on anything in this session", filepath.Join(root, policies.Folder))
}

// first reports whether what is told for the first time on this machine.
func (r *remarks) first(what string) bool {
	cache, err := os.UserCacheDir()
	if err != nil {
		return true
	}
	dir := filepath.Join(cache, "dsh", "told")
	sum := fnv.New128a()
	_, _ = sum.Write([]byte(what))
	name := filepath.Join(dir, hex.EncodeToString(sum.Sum(nil)))
	if _, err := os.Stat(name); err == nil {
		return false
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return true
	}
	if !r.swept {
		r.swept = true
		forgetOld(dir)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return !errors.Is(err, fs.ErrExist)
	}
	return f.Close() == nil
}

func forgetOld(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > toldAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
