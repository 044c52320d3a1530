package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

// watchEvery is how often files are looked at.
const watchEvery = 300 * time.Millisecond

// watchTests runs the tests, and again whenever a Lua file at or below the folders
// of the tests changes, appears or goes.
func watchTests(ctx context.Context, opts testOptions, std console.IO) error {
	folders := opts.paths
	for {
		seen := stamps(folders) // before the run, so that a change during it counts
		files, err := testOnce(ctx, opts, std)
		if err != nil && !errors.Is(err, errReported) {
			console.PrintFault(std.Err, err)
		}
		if wanted := watched(opts.paths, files); !slices.Equal(wanted, folders) {
			folders = wanted
			seen = stamps(folders)
		}
		console.PrintLine(std.Err, "dsh: waiting for a change")
		for now := seen; now == seen; now = stamps(folders) {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchEvery):
			}
		}
	}
}

// watched lists the folders in and below which changes count.
func watched(paths, files []string) []string {
	folders := slices.Clone(paths)
	for _, file := range files {
		if dir := filepath.Dir(file); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// stamps tells whether anything has changed below folders.
func stamps(folders []string) string {
	var b strings.Builder
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".lua" && filepath.Ext(path) != ".json" {
				return nil // what cannot be looked at is not watched
			}
			if info, err := os.Stat(path); err == nil {
				fmt.Fprintln(&b, path, info.ModTime().UnixNano(), info.Size())
			}
			return nil
		})
	}
	return b.String()
}
