package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	// maxFile bounds a file that is read as a whole, in bytes.
	maxFile = 16 << 20
	// maxShown bounds what one call shows of a file, in bytes.
	maxShown = 128 << 10
	// readLines is how many lines one call shows that does not say it.
	readLines = 2000
)

func read(p place) tool.Definition {
	return tool.Definition{
		Name:        "read",
		Description: "Reads a text file, or some of its lines.",
		Parameters: schemaOf(
			parameter{"path", "string", "the file; relative to the working directory", true},
			parameter{"offset", "integer", "the first line to show, counted from 1", false},
			parameter{"limit", "integer", fmt.Sprintf("how many lines to show; %d if absent", readLines), false},
		),
		Output:   tool.Output{Schema: anyValue, Render: shown(showLines)},
		Parallel: always,
		Action: func(arguments value.Value) tool.Action {
			files, whole := p.files(arguments, "", tool.ChangeRead)
			return tool.Read{Files: files, Partial: !whole}
		},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			path, err := target(run)
			if err != nil {
				return nil, err
			}
			content, err := readText(path)
			if err != nil {
				return nil, err
			}
			return lines(content, number(run.Arguments(), "offset", 1), number(run.Arguments(), "limit", readLines))
		},
	}
}

// readText reads a regular file as a whole. What has no end, such as a pipe, and
// what is no text are errors.
func readText(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe must not wait
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxFile:
		return "", fmt.Errorf("%s is longer than %d bytes; look at parts of it with another tool", path, maxFile)
	case bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content):
		return "", fmt.Errorf("%s is no text in UTF-8", path)
	}
	return string(content), nil
}

// lines cuts out what a call asks for.
func lines(content string, offset, limit int64) (any, error) {
	if offset < 1 || limit < 1 {
		return nil, errors.New("offset and limit count from 1")
	}
	all := strings.SplitAfter(content, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	total := int64(len(all))
	if offset > max(total, 1) {
		return nil, fmt.Errorf("the file has %d lines", total)
	}
	var out strings.Builder
	last := offset - 1
	for _, line := range all[offset-1:] {
		if last-offset+1 >= limit || out.Len()+len(line) > maxShown && out.Len() > 0 {
			break
		}
		out.WriteString(cut(line))
		last++
	}
	return value.OfObject(member("content", value.OfString(out.String())), member("first", value.OfInt(offset)),
		member("last", value.OfInt(last)), member("lines", value.OfInt(total))), nil
}

// cut bounds one line.
func cut(line string) string {
	if len(line) <= maxShown {
		return line
	}
	return strings.ToValidUTF8(line[:maxShown], "") + fmt.Sprintf("[… %d bytes of this line left out]\n", len(line)-maxShown)
}

func showLines(v value.Value) string {
	first, _ := v.Get("first").Int()
	last, _ := v.Get("last").Int()
	total, _ := v.Get("lines").Int()
	content := v.Get("content").String()
	switch {
	case total == 0:
		return "[the file is empty]"
	case first > 1 || last < total:
		return strings.TrimRight(content, "\n") + fmt.Sprintf("\n[lines %d to %d of %d]", first, last, total)
	}
	return content
}

func write(p place) tool.Definition {
	return tool.Definition{
		Name:        "write",
		Description: "Creates a file, or replaces the whole content of one. Folders that are missing are made.",
		Parameters: schemaOf(
			parameter{"path", "string", "the file; relative to the working directory", true},
			parameter{"content", "string", "what will be in it", true},
		),
		Output: tool.Output{Schema: anyValue, Render: shown(func(v value.Value) string {
			if created, _ := v.Get("created").Bool(); created {
				return "created " + v.Get("path").String()
			}
			return "replaced " + v.Get("path").String()
		})},
		Action: func(arguments value.Value) tool.Action {
			files, whole := p.files(arguments, "", tool.ChangeWrite)
			return tool.Write{Files: files, Partial: !whole}
		},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			path, err := target(run)
			if err != nil {
				return nil, err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			created, err := replaceFile(path, text(run.Arguments(), "content"))
			if err != nil {
				return nil, err
			}
			return value.OfObject(member("path", value.OfString(path)), member("created", value.OfBool(created))), nil
		},
	}
}

func edit(p place) tool.Definition {
	return tool.Definition{
		Name: "edit",
		Description: "Replaces a piece of text in a file. The old text must be in the file exactly as it is given, and only once " +
			"unless all is true.",
		Parameters: schemaOf(
			parameter{"path", "string", "the file; relative to the working directory", true},
			parameter{"old", "string", "the text to replace", true},
			parameter{"new", "string", "what stands there afterwards", true},
			parameter{"all", "boolean", "replace the text wherever it is", false},
		),
		Output: tool.Output{Schema: anyValue, Render: shown(func(v value.Value) string {
			return fmt.Sprintf("replaced %s in %s", times(v.Get("replaced")), v.Get("path").String())
		})},
		Action: func(arguments value.Value) tool.Action {
			files, whole := p.files(arguments, "", tool.ChangeEdit)
			return tool.Edit{Files: files, Partial: !whole}
		},
		Execute: func(_ context.Context, run *tool.Running) (any, error) {
			path, err := target(run)
			if err != nil {
				return nil, err
			}
			return editFile(path, run.Arguments())
		},
	}
}

func times(v value.Value) string {
	if n, _ := v.Int(); n != 1 {
		return fmt.Sprintf("the text %d times", n)
	}
	return "the text once"
}

func editFile(path string, arguments value.Value) (any, error) {
	content, err := readText(path)
	if err != nil {
		return nil, err
	}
	from, to := text(arguments, "old"), text(arguments, "new")
	all, _ := arguments.Get("all").Bool()
	n := 0
	if from != "" {
		n = strings.Count(content, from)
	}
	switch {
	case from == "":
		return nil, errors.New("old is empty; to create a file, write it")
	case from == to:
		return nil, errors.New("old and new are the same")
	case n == 0:
		return nil, fmt.Errorf("old is not in %s; read the file and give the text exactly as it is there", path)
	case n > 1 && !all:
		return nil, fmt.Errorf("old is %d times in %s; give more of the text around it, or set all", n, path)
	}
	if _, err := replaceFile(path, strings.ReplaceAll(content, from, to)); err != nil {
		return nil, err
	}
	return value.OfObject(member("path", value.OfString(path)), member("replaced", value.OfInt(int64(n)))), nil
}
