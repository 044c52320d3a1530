package shell_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
)

// FuzzParse reads any line: nothing panics, no budget is exceeded, and every index
// leads to a command.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		for _, block := range strings.Split(string(text), "\n\n") {
			_, line, _ := splitCase(block)
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) { checkLine(t, shell.Parse(line, known)) })
}

func checkLine(t *testing.T, got *shell.Line) {
	t.Helper()
	require.NotContains(t, got.Problem, "internal error")
	require.LessOrEqual(t, got.Steps, 2*shell.MaxSteps)
	require.LessOrEqual(t, len(got.Commands), shell.MaxCommands+1)
	within := func(list []int) {
		for _, i := range list {
			require.True(t, i >= 0 && i < len(got.Commands))
		}
	}
	for i := range got.Commands {
		c := &got.Commands[i]
		within(c.Input.From)
		within(c.Scripts)
		for k := range c.Argv {
			within(c.Argv[k].From)
		}
		c.Parsed()
	}
}

// A generator makes lines that print their words.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// word makes one word of pieces that a shell treats in different ways. Nothing in
// it depends on files or on variables that the line does not set.
func (g generator) word() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(g.piece())
	}
	return b.String()
}

func (g generator) piece() string {
	plain := g.pick("a", "bc", "-x", "--y=z", "./d", "é", "1", "%", "@", ",", ":", "x=y", "]", "+", "~/b", "x=~/c", "--y=~", "x=~", "x=a:~")
	switch g.IntN(14) {
	case 0:
		return "'" + g.pick("", " ", "a b", "$v", `\`, `"`, "\t", "`", "*", "{a,b}", "~") + "'"
	case 1:
		return `"` + g.pick("", " ", "a  b", "$v", "${v}c", `\$v`, `\\`, `\"`, `\n`, "'", "*", "~", "$(echo q r)", "${n:-d e}") + `"`
	case 2:
		return `\` + g.pick(" ", "a", "$", `\`, "'", `"`, "*", "{", "~", ";", "&", "|", "#")
	case 3:
		return "$'" + g.pick(`\t`, `\x41`, `\101`, `\u00e9`, `\'`, `\\`, "a b", `\e`, `\z`, `\x4`) + "'"
	case 4:
		return g.pick("$v", "${v}", "$w", "$e", "${n}", "${v:1:2}", "${#v}", "${v%l}", "${v#v}", "${v/a/b}", "${v^^}", "${v,,}", "${l##*/}", "${l%/*}")
	case 5:
		return g.pick("${n:-d}", "${v:-d}", "${n-d e}", "${e:-f}", "${e-f}", "${v:+g}", "${n:+g}", "${e:+g}", `"${n:-"a b"}"`, "${n:-'a b'}", "${v:=z}")
	case 6:
		return g.pick("{a,b}", "{a,b}{c,d}", "{1..3}", "{c..a}", "{a,{b,c}}", "{a}", "{a,b", "x{,y}", "{,}", "{$v,b}")
	case 7:
		return g.pick("$(echo a b)", "$(echo)", "`echo a`", `"$(echo "a b")"`, `$(printf '%s\n' a b)`, `$(printf 'a\n\n')`, "$(true)", "$(echo -n a)", `$(echo -e 'a\tb')`)
	case 8:
		return g.pick(`"$@"`, "$*", "$1", `"$2"`, `"$*"`, `"${a[@]}"`, "${a[1]}", "${a[@]}", `"${a[0]}"`)
	default:
		return plain
	}
}

// line makes a line that prints each of its words and a NUL.
func (g generator) line() string {
	words := make([]string, 1+g.IntN(4))
	for i := range words {
		words[i] = g.word()
	}
	return `v=val; w=" p  q "; e=; unset n; l=x/y/z; a=(r "s t"); set -- i "j k"; printf '%s\0' ` + strings.Join(words, g.pick(" ", "  ", " \\\n"))
}

// TestWordsAreThoseOfBash compares what generated lines print with the words that
// Parse finds. A word that Parse does not know may be any.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("there is no bash to ask")
		return
	}
	g := generator{rand.New(rand.NewPCG(1, 2))}
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = g.line()
	}
	unclear := 0
	dir := t.TempDir()
	for i, want := range askBash(t, bash, dir, lines) {
		if !agree(t, dir, lines[i], want) {
			unclear++
		}
	}
	require.Less(t, unclear, len(lines)/10, "lines whose words are not known")
}

// FuzzWords asks bash about other lines than those of the test.
func FuzzWords(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Log("there is no bash to ask")
		return
	}
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		line := generator{rand.New(rand.NewPCG(seed, 3))}.line()
		dir := t.TempDir()
		agree(t, dir, line, askBash(t, bash, dir, []string{line})[0])
	})
}

// agree compares the words that Parse finds with those that bash has printed in dir,
// and reports whether Parse knows them.
func agree(t *testing.T, dir, line string, want []string) (clear bool) {
	t.Helper()
	got := shell.Parse(line, shell.Options{Cwd: dir, Home: known.Home})
	require.Empty(t, got.Problem, "%s", line)
	last := got.Commands[len(got.Commands)-1]
	words, clear := texts(last.Argv[min(2, len(last.Argv)):])
	if clear {
		require.Equal(t, want, words, "%s", line)
	}
	return clear
}

// texts are the words; clear is false if one of them is not known.
func texts(words []shell.Word) (list []string, clear bool) {
	for i := range words {
		if !words[i].Single() || words[i].Glob {
			return nil, false
		}
		list = append(list, words[i].Text)
	}
	if list == nil {
		list = []string{""} // printf prints once without an argument
	}
	return list, true
}

// askBash runs each line in a shell of its own, in dir, which is empty, and with no
// variable set.
func askBash(t *testing.T, bash, dir string, lines []string) [][]string {
	t.Helper()
	out := make([][]string, len(lines))
	for i, line := range lines {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"HOME=/h", "LC_ALL=C.UTF-8"}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), "%s\n%s", line, &stderr)
		out[i] = strings.Split(strings.TrimSuffix(stdout.String(), "\x00"), "\x00")
	}
	return out
}
