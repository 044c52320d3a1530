package spec_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoop runs the recorded cases of the agent loop against the rows of
// deviations.md that speak of them.
func TestLoop(t *testing.T) {
	cases, err := loadLoopScenarios(".")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	rows := loopDeviations(t)
	passed, deviate, foreign := 0, 0, 0
	for _, c := range cases {
		if !c.applicable() {
			foreign++
			continue
		}
		t.Run(c.kind+"/"+c.id, func(t *testing.T) {
			listed := ""
			for row, when := range rows {
				if loopMatches(when, c.traits()) {
					listed = row
				}
			}
			err := c.run()
			if listed != "" {
				require.Error(t, err, "passes in spite of its row %q", listed)
				deviate++
				return
			}
			require.NoError(t, err)
			passed++
		})
	}
	t.Logf("loop: %d of %d pass, %d deviate as listed, %d are not applicable", passed, len(cases), deviate, foreign)
}

// loopDeviations reads the rows "loop/when TRAIT=GLOB and TRAIT=GLOB".
func loopDeviations(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("deviations.md")
	require.NoError(t, err)
	rows := map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		predicate, ok := strings.CutPrefix(strings.Trim(cell, " `"), "loop/when ")
		if !ok {
			continue
		}
		when := map[string]string{}
		for _, term := range strings.Split(predicate, " and ") {
			trait, glob, ok := strings.Cut(strings.TrimSpace(term), "=")
			require.True(t, ok, predicate)
			when[trait] = glob
		}
		rows[predicate] = when
	}
	return rows
}

func loopMatches(when, traits map[string]string) bool {
	for trait, glob := range when {
		if ok, err := path.Match(glob, traits[trait]); err != nil || !ok {
			return false
		}
	}
	return true
}
