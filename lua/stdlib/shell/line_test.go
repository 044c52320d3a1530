package shell_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

var known = shell.Options{Cwd: "/p", Home: "/h"}

// TestLines holds what lines run against testdata/*.txt: a line behind "$ ", with
// more of it behind "> ", and below it a line for each command.
func TestLines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var out strings.Builder
			for i, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
				head, line, want := splitCase(block)
				got := render(shell.Parse(line, known))
				if !*update {
					require.Equal(t, want, got, "%s", line)
				}
				if i > 0 {
					out.WriteString("\n")
				}
				out.WriteString(head + got)
			}
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
			}
		})
	}
}

// splitCase parts a case into what precedes the outcome, the line, and the outcome.
func splitCase(block string) (head, line, want string) {
	var lines []string
	rest := strings.Split(block, "\n")
	for len(rest) > 0 && len(rest[0]) > 0 && strings.ContainsRune("#$>", rune(rest[0][0])) {
		head += rest[0] + "\n"
		if rest[0][0] != '#' {
			lines = append(lines, strings.TrimPrefix(rest[0][1:], " "))
		}
		rest = rest[1:]
	}
	want = strings.Join(rest, "\n")
	if want != "" {
		want += "\n"
	}
	return head, strings.Join(lines, "\n"), want
}

func TestLimits(t *testing.T) {
	tests := []struct{ name, line, problem string }{
		{"length", strings.Repeat("a", shell.MaxLine+1), "bytes long"},
		{"nesting", strings.Repeat("(", 101) + "a" + strings.Repeat(")", 101), "within each other"},
		{"brackets", strings.Repeat("() ", shell.MaxBrackets+1), "brackets"},
		{"nul", "a\x00b", "NUL"},
		{"pipes", strings.Repeat("a|", 2000) + "a", "too many commands"},
		{"lists", strings.Repeat("a;", 2000) + "a", "too many commands"},
		{"conditions", strings.Repeat("if ", 2000) + "a", "must be followed"},
		{"and", strings.Repeat("a && ", 2000) + "a", "nested too deep"},
		{"braces", strings.Repeat("{a,b}", 40), ""},
		{"doubling", "a=xxxxxxxx;" + strings.Repeat("a=$a$a;", 40), "too long to walk"},
		{"loops", strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 12) + "x=$x" + strings.Repeat("; done", 12), "too many commands"},
		{"function", "f() { f; f; }; f", "nested too deep"},
		{"shells", `sh -c 'sh -c "$1" _ "$1"' _ 'sh -c "$1" _ "$1"'`, "shells within each other"},
		{"alias", "alias a='b'; alias b='a'\na", ""},
		{"assignments", strings.Repeat("a= ", 501) + "b", "too many variables"},
		{"choices", strings.Repeat("x=${x:-a}${y:-b}${z:-c};", 30) + "$x", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := shell.Parse(test.line, known)
			if test.problem == "" {
				require.Empty(t, got.Problem)
			} else {
				require.Contains(t, got.Problem, test.problem)
			}
			require.LessOrEqual(t, len(got.Commands), shell.MaxCommands+1)
			require.LessOrEqual(t, got.Steps, 2*shell.MaxSteps)
		})
	}
}

// TestParserIsReusable reads two lines with one parser, the first of them broken.
func TestParserIsReusable(t *testing.T) {
	var p shell.Parser
	require.NotEmpty(t, p.Parse("echo 'a", known).Problem)
	got := p.Parse("echo b", known)
	require.Equal(t, "echo b\n", render(got))
	require.Equal(t, got.Steps, p.Parse("echo b", known).Steps)
}

func TestFlag(t *testing.T) {
	tests := []struct {
		line, names string
		found       bool
		value       string
	}{
		{"rm -rf x", "r", true, ""},
		{"rm --rec x", "recursive", true, ""},
		{"rm x -r", "r recursive", true, ""},
		{"rm -- -r", "r", false, ""},
		{"git push -uf", "f", true, ""},
		{"git push --force-with-lease", "force", false, ""},
		{"git push --force", "force-with-lease", false, ""},
		{"git push --forc", "force", true, ""},
		{"git push --no-force", "force", false, ""},
		{"git push --no-force --force", "force", true, ""},
		{"git push --force --no-force", "force", false, ""},
		{"git push -o -f", "f", false, ""},
		{"git commit -mn", "n", false, ""},
		{"git commit -nm x", "n", true, ""},
		{"git commit -uno", "n", false, ""},
		{"git commit -m x", "m message", true, "x"},
		{"git commit -mx", "m", true, "x"},
		{"git commit --message=x", "m message", true, "x"},
		{"git commit --message x", "message", true, "x"},
		{"git -C d commit -n", "n", true, ""},
		{"find . -name x -delete", "delete", true, ""},
		{"tar xzf a.tgz", "x", true, ""},
		{"tar -xf a.tgz", "f", true, "a.tgz"},
		{"unknown -abc", "b", true, ""},
		{"unknown --a=b", "a", true, "b"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			parsed := shell.Parse(test.line, known).Commands[0].Parsed()
			o, found := parsed.Flag(strings.Fields(test.names)...)
			require.Equal(t, test.found, found)
			require.Equal(t, test.value, o.Value.Text)
		})
	}
}

func TestPlaceOf(t *testing.T) {
	tests := []struct {
		cwd, text string
		glob      bool
		want      shell.Place
	}{
		{"/p", "a", false, shell.Place{Path: "/p/a", Whole: "/p/a"}},
		{"/p", "../a/", false, shell.Place{Path: "/a", Whole: "/p/../a/"}},
		{"/p", "/a/./b", false, shell.Place{Path: "/a/b", Whole: "/a/./b"}},
		{"", "a", false, shell.Place{}},
		{"", "/a", false, shell.Place{Path: "/a", Whole: "/a"}},
		{"/p", "a/*.go", true, shell.Place{Path: "/p/a", Whole: "/p/a/", Glob: "*.go"}},
		{"/p", "*", true, shell.Place{Path: "/p", Whole: "/p/", Glob: "*"}},
		{"/p", "a*", false, shell.Place{Path: "/p/a*", Whole: "/p/a*"}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			test.want.Text = test.text
			require.Equal(t, test.want, shell.PlaceOf(test.cwd, test.text, test.glob))
		})
	}
}
