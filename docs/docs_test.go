// Package docs_test holds the documentation to what dsh does.
//
// It reads the fenced blocks of every page, in order:
//
//   - lua is a whole policy, which has to load without a warning; with the word
//     fragment behind it, a piece of one, which has to compile; with the word
//     wrong, one that "dsh check" finds something in; with the word
//     example, the body of a handler that is run, in which "--> VALUE" behind an
//     expression says what it is;
//   - any block with file=NAME behind its language is written to that file;
//   - json with "hooks" in it, which is written nowhere, are hooks of a client, in
//     which "dsh hooks check" finds nothing;
//   - console is a session: every line behind "$ " is run by a shell, and has to
//     print the lines that follow it. A line that ends in a backslash goes on,
//     and "…" stands for anything.
//
// The blocks of a page share one folder.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func TestDocumentation(t *testing.T) {
	binary := build(t)
	for _, page := range pages(t) {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			s := visit{dir: t.TempDir(), bin: filepath.Dir(binary)}
			for _, b := range blocks(string(text)) {
				s.try(t, b)
			}
		})
	}
	t.Run("every command has a page", func(t *testing.T) {
		help, err := exec.CommandContext(t.Context(), binary, "--help").Output()
		require.NoError(t, err)
		_, list, found := strings.Cut(string(help), "Available Commands:\n")
		require.True(t, found)
		list, _, _ = strings.Cut(list, "\n\n")
		readme, err := os.ReadFile("../README.md")
		require.NoError(t, err)
		for line := range strings.Lines(list) {
			if name := strings.Fields(line)[0]; name != "help" {
				require.FileExists(t, "reference/"+name+".md")
				require.Contains(t, string(readme), "(docs/reference/"+name+".md)")
			}
		}
	})
}

// TestBoundsOfAFile holds what the page says of large files to what a file is
// refused with.
func TestBoundsOfAFile(t *testing.T) {
	page, err := os.ReadFile("lua.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(page)), " ")
	for source, says := range map[string]struct{ fault, page string }{
		strings.Repeat("do ", 3000) + strings.Repeat("end ", 3000): {"deeper than 1000 levels", "nest 1,000 levels deep"},
		"return {" + strings.Repeat("1,", 30_000) + "}":            {"25000 items", "25,000 items in one table"},
		"return {" + names(5000) + "}":                             {"4096 constants", "4,096 constants in one function"},
		"--" + strings.Repeat("x", 256<<10):                        {"262144", "256 KiB long"},
	} {
		_, err := luavm.Compile("x.lua", source, luavm.CompileOptions{})
		require.ErrorContains(t, err, says.fault)
		require.Contains(t, text, says.page)
	}
}

// names lists n different strings of Lua.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "'%d',", i)
	}
	return b.String()
}

// TestLinksLead follows the links from page to page.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), found[1]))
			require.NoError(t, err, "%s links to %s", page, found[1])
		}
	}
}

// pages lists the pages that users read.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"../README.md", "../spec/rationale.md"}
	for _, pattern := range []string{"*.md", "reference/*.md", "reference/modules/*.md", "../extensions/examples/*/README.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		list = append(list, found...)
	}
	return list
}

// build makes the dsh binary, with the agent that it runs beside it. The sources are read here too: the test cache does
// not see what a subprocess reads, and would report a stale pass.
func build(t *testing.T) string {
	t.Helper()
	for _, folder := range []string{"../cmd", "../runtime", "../clients", "../bridges", "../lua", "../hookproto", "../internal"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		}))
	}
	binary := filepath.Join(t.TempDir(), "dsh")
	printed, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Dir(binary), "../cmd/dsh", "../cmd/dsh-agent").CombinedOutput()
	require.NoError(t, err, "%s", printed)
	return binary
}

// A block is one fenced block of a page.
type block struct {
	language string
	words    []string // behind the language
	text     string
	line     int
}

func blocks(page string) (list []block) {
	var open *block
	number := 0
	for line := range strings.Lines(page) {
		number++
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case !fence && open != nil:
			open.text += line
		case fence && open == nil:
			words := strings.Fields(info)
			open = &block{line: number}
			if len(words) > 0 {
				open.language, open.words = words[0], words[1:]
			}
		case fence:
			list, open = append(list, *open), nil
		}
	}
	return list
}

// A visit is what the blocks of one page share.
type visit struct{ dir, bin string }

func (s visit) try(t *testing.T, b block) {
	t.Helper()
	for _, word := range b.words {
		if name, ok := strings.CutPrefix(word, "file="); ok {
			file := filepath.Join(s.dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(b.text), 0o644))
		}
	}
	switch {
	case b.language == "console":
		s.converse(t, b)
	case b.language == "json" && len(b.words) == 0 && strings.Contains(b.text, `"hooks"`):
		s.checkHooks(t, b)
	case b.language == "lua" && slices.Contains(b.words, "example"):
		runExample(t, b)
	case b.language == "lua" && slices.Contains(b.words, "fragment"):
		_, err := luavm.Compile("fragment", b.text, luavm.CompileOptions{Globals: []string{"dsh", "require"}, Lenient: true})
		require.NoError(t, err, "line %d", b.line)
	case b.language == "lua" && slices.Contains(b.words, "wrong"):
		checkWrong(t, b)
	case b.language == "lua":
		checkRight(t, b)
		p, err := script.Load(t.Context(), "policy.lua", b.text, script.Options{Points: catalog.Points(), Actions: tool.ActionKinds(), Services: exampleServices()})
		require.NoError(t, err, "line %d", b.line)
		require.Empty(t, p.Warnings(), "line %d", b.line)
	}
}

// converse runs the commands of a console block.
func (s visit) converse(t *testing.T, b block) {
	t.Helper()
	for part := range strings.SplitSeq("\n"+b.text, "\n$ ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		command, want, _ := strings.Cut(strings.ReplaceAll(part, "\\\n", ""), "\n")
		run := exec.CommandContext(t.Context(), "sh", "-c", command)
		run.Dir = s.dir
		run.Env = []string{"PATH=" + s.bin + ":/usr/bin:/bin", "HOME=" + filepath.Join(s.dir, "home")}
		printed, _ := run.CombinedOutput() // commands that fail say so in what they print
		got := strings.TrimSpace(string(printed))
		require.Regexp(t, expectation(want), got, "line %d: $ %s", b.line, command)
	}
}

// checkHooks looks for mistakes in hooks of a client, with the dsh that was built for
// the one that is installed.
func (s visit) checkHooks(t *testing.T, b block) {
	t.Helper()
	file := filepath.Join(s.dir, "shown.json")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(b.text, "/usr/local/bin", s.bin)), 0o644))
	client := "claude-code"
	if strings.Contains(b.text, "dsh hook codex") {
		client = "codex"
	}
	printed, err := exec.CommandContext(t.Context(), filepath.Join(s.bin, "dsh"), "hooks", "check", "--dialect", client, file).CombinedOutput()
	require.NoError(t, err, "line %d: %s", b.line, printed)
}

// expectation is the pattern of what a command has to print.
func expectation(want string) string {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	return "^(?s:" + strings.ReplaceAll(pattern, "…", ".*") + ")$"
}
