package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	// maxPaths bounds what glob returns.
	maxPaths = 1000
	// maxMatches bounds what grep returns.
	maxMatches = 300
	// maxLine bounds a line that grep looks at, and maxLineShown what it shows of
	// one, in bytes.
	maxLine      = 1 << 20
	maxLineShown = 400
	// sniffed is how much of a file tells whether it is text.
	sniffed = 8 << 10
)

func glob(p place) tool.Definition {
	return tool.Definition{
		Name: "glob",
		Description: "Finds files by a pattern of their path, such as **/*.go. ** stands for any folders. Links are not followed, " +
			"and .git is left out.",
		Parameters: schemaOf(
			parameter{"pattern", "string", "the pattern, relative to path", true},
			parameter{"path", "string", "the folder to search; the working directory if absent", false},
		),
		Output:   tool.Output{Schema: anyValue, Render: shown(showPaths)},
		Timeout:  searchTime,
		Parallel: always,
		Action:   p.search,
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			folder, err := target(run)
			if err != nil {
				return nil, err
			}
			pattern := text(run.Arguments(), "pattern")
			if !doublestar.ValidatePattern(pattern) || filepath.IsAbs(pattern) || slices.Contains(strings.Split(pattern, "/"), "..") {
				return nil, errors.New("pattern is none, or not relative to path")
			}
			return findPaths(ctx, folder, pattern)
		},
	}
}

// search is what glob and grep are about to do.
func (p place) search(arguments value.Value) tool.Action {
	pattern, ok := arguments.Get("pattern").Str()
	files, whole := p.files(arguments, ".", tool.ChangeRead)
	return tool.Search{Pattern: pattern, Files: files, Partial: !ok || !whole}
}

// walk calls f with every file below folder, by its path relative to it, in
// order. What cannot be read is left out; that the folder itself cannot is an
// error.
func walk(ctx context.Context, folder string, f func(name string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && path == folder:
			return err
		case err != nil:
			return nil
		case entry.IsDir() && entry.Name() == ".git" && path != folder:
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), entry)
	})
}

func findPaths(ctx context.Context, folder, pattern string) (any, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", folder)
	}
	var found []value.Value
	more := false
	err := walk(ctx, folder, func(name string, _ fs.DirEntry) error {
		if !doublestar.MatchUnvalidated(pattern, name) {
			return nil
		}
		if len(found) == maxPaths {
			more = true
			return fs.SkipAll
		}
		found = append(found, value.OfString(strings.ToValidUTF8(name, "\uFFFD")))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return value.OfObject(member("paths", value.OfList(found...)), member("more", value.OfBool(more))), nil
}

func showPaths(v value.Value) string {
	var out strings.Builder
	for _, path := range v.Get("paths").Items() {
		out.WriteString(path.String() + "\n")
	}
	return listed(out.String(), v)
}

// listed ends a list that is shown.
func listed(list string, v value.Value) string {
	if more, _ := v.Get("more").Bool(); more {
		return list + "[there are more; search for less]"
	}
	if list == "" {
		return "[nothing found]"
	}
	return strings.TrimRight(list, "\n")
}

func grep(p place) tool.Definition {
	return tool.Definition{
		Name: "grep",
		Description: "Finds lines in text files by a regular expression in RE2 syntax. Links are not followed, and .git is left " +
			"out.",
		Parameters: schemaOf(
			parameter{"pattern", "string", "the regular expression", true},
			parameter{"path", "string", "the file or folder to search; the working directory if absent", false},
			parameter{"glob", "string", "search only files whose path matches this pattern, such as **/*.go", false},
		),
		Output:   tool.Output{Schema: anyValue, Render: shown(showMatches)},
		Timeout:  searchTime,
		Parallel: always,
		Action:   p.search,
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			path, err := target(run)
			if err != nil {
				return nil, err
			}
			pattern, err := regexp.Compile(text(run.Arguments(), "pattern"))
			if err != nil {
				return nil, err
			}
			only := text(run.Arguments(), "glob")
			if !doublestar.ValidatePattern(only) {
				return nil, errors.New("glob is no pattern")
			}
			return findLines(ctx, path, pattern, only)
		},
	}
}

func findLines(ctx context.Context, path string, pattern *regexp.Regexp, only string) (any, error) {
	m := &matches{pattern: pattern}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		err = m.file(ctx, path, filepath.Base(path))
	case !info.IsDir():
		return nil, fmt.Errorf("%s is neither a file nor a folder", path)
	default:
		err = walk(ctx, path, func(name string, entry fs.DirEntry) error {
			if !entry.Type().IsRegular() || only != "" && !doublestar.MatchUnvalidated(only, name) {
				return nil
			}
			return m.file(ctx, filepath.Join(path, filepath.FromSlash(name)), name)
		})
	}
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return nil, err
	}
	return value.OfObject(member("matches", value.OfList(m.found...)), member("more", value.OfBool(m.more))), nil
}

// matches collects lines.
type matches struct {
	pattern *regexp.Regexp
	found   []value.Value
	more    bool
}

// file looks at one file. One that cannot be read, that is no text or whose
// lines have no end is left out.
func (m *matches) file(ctx context.Context, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, sniffed)
	if head, _ := in.Peek(sniffed); bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 0, sniffed), maxLine)
	for n := int64(1); scan.Scan(); n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !m.pattern.Match(scan.Bytes()) {
			continue
		}
		if len(m.found) == maxMatches {
			m.more = true
			return fs.SkipAll
		}
		line := scan.Bytes()
		m.found = append(m.found, value.OfObject(member("path", value.OfString(strings.ToValidUTF8(name, "\uFFFD"))),
			member("line", value.OfInt(n)), member("text", value.OfString(strings.ToValidUTF8(string(line[:min(len(line), maxLineShown)]), "")))))
	}
	return nil
}

func showMatches(v value.Value) string {
	var out strings.Builder
	for _, m := range v.Get("matches").Items() {
		fmt.Fprintf(&out, "%s:%s: %s\n", m.Get("path").String(), m.Get("line").String(), m.Get("text").String())
	}
	return listed(out.String(), v)
}
