// Command checkbench times `dsh check` as an editor meets it: a whole process for
// one file. The files are the example policies and one of a thousand lines.
//
//	go run ./bench/cmd/checkbench [-n ROUNDS] [-check]
//
// With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// goal is how long checking one file may take. The least time counts: what else
// the machine does only adds to it.
const goal = 50 * time.Millisecond

const examples = "extensions/examples"

func main() {
	n := flag.Int("n", 20, "how many rounds to run")
	check := flag.Bool("check", false, "exit 1 if a goal is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := bench(ctx, *n, os.Stdout)
	stop()
	if err == nil && *check && missed > 0 {
		err = fmt.Errorf("%d goals missed", missed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkbench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, n int, out io.Writer) (missed int, err error) {
	dir, err := os.MkdirTemp("", "checkbench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs(".")
	if err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, "dsh")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, "./cmd/dsh")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("run it at the top of the module: go build: %w\n%s", err, printed)
	}
	files, err := lay(dir)
	if err != nil {
		return 0, err
	}
	var entries []rounds.Entry
	for _, file := range files {
		entry := rounds.Entry{Name: file, Argv: []string{binary, "check", file}, Env: []string{"HOME=" + dir}, Dir: root}
		if _, err := entry.Answer(ctx, ""); err != nil {
			return 0, err
		}
		entries = append(entries, entry)
	}
	results, err := rounds.Run(ctx, entries, n, os.DevNull)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		word := "ok"
		if results.Least(e.Name) > goal {
			word = "MISSED"
			missed++
		}
		fmt.Fprintf(out, "%-6s check %s: %.1f ms at best, %.1f in the middle, goal %d\n", word, filepath.Base(e.Name),
			ms(results.Least(e.Name)), ms(results.Median(e.Name)), goal.Milliseconds())
	}
	return missed, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

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
