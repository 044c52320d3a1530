// Command checkbench times `dsh check` as an editor meets it: a whole process for
// one file. The files are the example policies and one of a thousand lines.
//
//	go run ./bench/cmd/checkbench [-n ROUNDS] [-check]
//
// With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/binaries"
	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// most is how long checking one file may take. The least time counts: what else
// the machine does only adds to it.
const most = 50 * time.Millisecond

const examples = "extensions/examples"

func main() { os.Exit(rounds.Main(20, bench)) }

func bench(ctx context.Context, n int, _ io.Writer) ([]rounds.Goal, error) {
	dir, err := os.MkdirTemp("", "checkbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	if err := binaries.Build(ctx, dir, "", "./cmd/dsh"); err != nil {
		return nil, err
	}
	files, err := lay(dir)
	if err != nil {
		return nil, err
	}
	var entries []rounds.Entry
	for _, file := range files {
		entry := rounds.Entry{Name: file, Argv: []string{filepath.Join(dir, "dsh"), "check", file}, Env: []string{"HOME=" + dir}, Dir: root}
		if _, err := entry.Answer(ctx, ""); err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	results, err := rounds.Run(ctx, entries, n, os.DevNull)
	if err != nil {
		return nil, err
	}
	var goals []rounds.Goal
	for _, e := range entries {
		goals = append(goals, rounds.Goal{What: "check " + filepath.Base(e.Name), Measured: rounds.Milli(results.Least(e.Name)), Bound: rounds.Milli(most), Unit: "ms"})
	}
	return goals, nil
}

// lay lists the files to check, the long one included.
func lay(dir string) (files []string, err error) {
	err = filepath.WalkDir(examples, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lua") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	long := filepath.Join(dir, "thousand-lines.lua")
	return append(files, long), os.WriteFile(long, []byte(thousandLines()), 0o600)
}

const lines = 1000

// thousandLines is a policy of that length: every rule is of five lines.
func thousandLines() string {
	var b strings.Builder
	for i := range lines / 5 {
		fmt.Fprintf(&b, `dsh.on("tools/pre-execute", { action = { "write", "edit" }, rule = "rule-%d" }, function(call)
  for _, file in ipairs(call.action.files) do
    if file.path:find("/generated-%d/", 1, true) then return dsh.deny(file.path .. " is generated; change its source") end
  end
end)
`, i, i)
	}
	return b.String()
}
