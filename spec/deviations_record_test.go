package spec_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// recordOfDeviations holds what differs of every case that deviations.md is about:
// the right answer and ours. A deviation is a decision about this difference, and
// not about any other.
const recordOfDeviations = "deviations.txtar"

// unsteady is the record of a case in which several waits give up, each as it may
// happen to be the first.
const unsteady = "hangs on which of several waits gives up first\n"

// updateVariable, if set, makes the cases that ran write the record anew.
const updateVariable = "DSH_UPDATE_DEVIATIONS"

// drift compares what differs of the deviations with the record, or writes it.
func (t *tally) drift(tb testing.TB) {
	tb.Helper()
	text, err := os.ReadFile(recordOfDeviations)
	require.NoError(tb, err)
	record := txtar.Parse(text)
	if os.Getenv(updateVariable) != "" {
		t.rewrite(record)
		require.NoError(tb, os.WriteFile(recordOfDeviations, txtar.Format(record), 0o644))
		return
	}
	t.drifted = t.compare(record)
}

// compare lists the cases whose answer is not the one on record.
func (t *tally) compare(record *txtar.Archive) (drifted []string) {
	known := t.known(record)
	for _, id := range slices.Sorted(maps.Keys(t.answers)) {
		if got := steady(t.answers[id]); got != known[id] && known[id] != unsteady {
			drifted = append(drifted, id+": "+strings.TrimSpace(got)+"\non record: "+strings.TrimSpace(known[id]))
		}
		delete(known, id)
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		drifted = append(drifted, id+": is no deviation any more")
	}
	return drifted
}

// known returns the answers of the suite on record, by case.
func (t *tally) known(record *txtar.Archive) map[string]string {
	known := map[string]string{}
	for _, f := range record.Files {
		if id, mine := strings.CutPrefix(f.Name, t.name+"/"); mine {
			known[id] = string(f.Data)
		}
	}
	return known
}

// rewrite puts the answers in place of those of the suite that are on record.
func (t *tally) rewrite(record *txtar.Archive) {
	known := t.known(record)
	record.Files = slices.DeleteFunc(record.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, t.name+"/") })
	for id, answer := range t.answers {
		text := steady(answer)
		if known[id] == unsteady {
			text = unsteady
		}
		record.Files = append(record.Files, txtar.File{Name: t.name + "/" + id, Data: []byte(text)})
	}
	slices.SortFunc(record.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
}

// volatile is what is different in every run: folders for a while, and tokens.
var volatile = []struct {
	is   *regexp.Regexp
	text string
}{
	{regexp.MustCompile(regexp.QuoteMeta(filepath.Clean(os.TempDir())) + `/[A-Za-z0-9_-]+(/[0-9]{3})?`), "$$TMP"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`[0-9a-f]{24}`), "TOKEN"},
	{regexp.MustCompile(`s-hooks[0-9]+`), "SESSION"},
	{regexp.MustCompile(`CLAUDE_PID=[0-9]+`), "CLAUDE_PID=PID"},
	{regexp.MustCompile(`"(duration_ms|durationMs)":[0-9.]+`), `"$1":0`},
}

func steady(answer string) string {
	for _, v := range volatile {
		answer = v.is.ReplaceAllString(answer, v.text)
	}
	var b bytes.Buffer
	for line := range strings.Lines(answer + "\n") {
		b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// A deviation that is another than the one on record is told, and so is one that
// is none any more.
func TestDrift(t *testing.T) {
	record := txtar.Parse([]byte("-- a/same --\nwant x got y\n-- a/other --\nwant x got y\n-- a/gone --\nwant x got y\n-- b/same --\nnot mine\n"))
	got := tally{name: "a", answers: map[string]string{
		"same": "want x got y", "other": "want x got z", "new": "want x got y in " + os.TempDir() + "/T123/001/p",
	}}
	require.Equal(t, []string{
		"new: want x got y in $TMP/p\non record: ", "other: want x got z\non record: want x got y", "gone: is no deviation any more",
	}, got.compare(record))
	got.drifted = got.compare(record)
	require.True(t, got.wrong())
	got.rewrite(record)
	require.Empty(t, got.compare(record))
	require.Contains(t, string(txtar.Format(record)), "-- b/same --\nnot mine\n")

	record = txtar.Parse([]byte("-- a/race --\n" + unsteady))
	got.answers = map[string]string{"race": "one"}
	require.Empty(t, got.compare(record))
	got.rewrite(record)
	require.Equal(t, unsteady, string(record.Files[0].Data))
	got.answers = nil
	require.Len(t, got.compare(record), 1)
}
