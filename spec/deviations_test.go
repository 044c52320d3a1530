package spec_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A deviation is one row of deviations.md: cases that dsh answers otherwise on
// purpose. It names them by their id, by a glob, or by a predicate on their
// traits: "NAME/when event=Stop and tool=mcp__*".
type deviation struct {
	text  string // as written
	suite string
	glob  string            // of ids; empty if there is a predicate
	when  map[string]string // trait → glob
}

func (d deviation) matches(c testCase) bool {
	if d.when == nil {
		return globMatches(d.glob, c.id)
	}
	for trait, glob := range d.when {
		v, ok := c.traits[trait]
		if !ok || !globMatches(glob, v) {
			return false
		}
	}
	return true
}

// globMatches is path.Match with * also matching slashes.
func globMatches(glob, s string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", slash), strings.ReplaceAll(s, "/", slash))
	return ok && err == nil
}

// parseDeviations reads the rows of the table "| case | reason |".
func parseDeviations(text string) ([]deviation, error) {
	var rows []deviation
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		name := strings.Trim(cells[0], " `")
		if name == "case" {
			continue
		}
		if len(cells) < 2 || strings.TrimSpace(cells[1]) == "" {
			return nil, fmt.Errorf("deviations.md:%d: %s has no reason", i+1, name)
		}
		row, err := parseDeviation(name)
		if err != nil {
			return nil, fmt.Errorf("deviations.md:%d: %w", i+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func parseDeviation(name string) (deviation, error) {
	suite, which, ok := strings.Cut(name, "/")
	if !ok || suite == "" || which == "" {
		return deviation{}, errors.New("want NAME/id, NAME/glob or NAME/when PREDICATE")
	}
	d := deviation{text: name, suite: suite, glob: which}
	predicate, isPredicate := strings.CutPrefix(which, "when ")
	if !isPredicate {
		_, err := path.Match(which, "")
		return d, err
	}
	d.glob, d.when = "", map[string]string{}
	for _, term := range strings.Split(predicate, " and ") {
		trait, glob, ok := strings.Cut(strings.TrimSpace(term), "=")
		if !ok {
			return deviation{}, fmt.Errorf("want trait=glob, got %q", term)
		}
		d.when[trait] = glob
	}
	return d, nil
}

func TestDeviations(t *testing.T) {
	rows, err := parseDeviations("text\n\n| case | reason |\n|---|---|\n| `a/x-*` | because |\n| a/when kind=b* and who=me | also |\n| b/none | for no case |\n| b/asked-? | never |\n")
	require.NoError(t, err)
	fails := func() error { return errors.New("differs") }
	passes := func() error { return nil }
	got := runCases(t, "a", []testCase{
		{id: "x-1", applicable: true, run: fails},
		{id: "x-3", applicable: true, run: func() error { return fmt.Errorf("%welsewhere", errUnexplained) }},
		{id: "x-2/deep", applicable: true, run: passes},
		{id: "y", applicable: true, run: passes},
		{id: "z", applicable: true, run: fails},
		{id: "w", traits: map[string]string{"kind": "bee", "who": "me"}, applicable: true, run: fails},
		{id: "v", traits: map[string]string{"kind": "bee", "who": "you"}, applicable: true, run: fails},
		{id: "u", applicable: false, beyond: "another world", run: fails},
	}, rows)
	require.Equal(t, `a: 1 passed, 3 failed, 2 deviations, 1 not applicable
  applicable: 7 of 8, which is 87 %
  not applicable: 1: another world
  x-3: elsewhere
  z: differs
  v: differs
  passes in spite of its row in deviations.md: a/x-2/deep
`, got.String())
	neverAsked := []testCase{{id: "asked-1", run: fails}}
	require.Equal(t, []string{"b/none", "b/asked-?"}, runCases(t, "b", neverAsked, rows).unused)
}

func TestDeviationsThatAreNoRows(t *testing.T) {
	for _, line := range []string{"| a/x | |", "| a | because |", "| a/when kind | because |", "| a/[ | because |"} {
		_, err := parseDeviations(line)
		require.Error(t, err, line)
	}
}
