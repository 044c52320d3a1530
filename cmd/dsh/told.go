package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/value"
)

// toldAge is how long it is remembered that a session was told something.
const toldAge = 7 * 24 * time.Hour

// tellOnce tells that a project has no policies, once a session. Hooks are
// processes of their own, so the memory is a file in the user's cache; where
// there is none, every call tells.
func tellOnce(told *strings.Builder, event []byte, root string) {
	v, err := value.Parse(event)
	if err != nil || !firstTime(v.Get("session_id").String()+"\x00"+root) {
		return
	}
	fmt.Fprintf(told, "dsh hook: no policies in %s: no opinion on anything in this session\n", filepath.Join(root, policyFolder))
}

// firstTime reports whether what is told for the first time on this machine.
func firstTime(what string) bool {
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
	forgetOld(dir)
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
