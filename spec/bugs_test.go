package spec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// reportedTests lists, by the kind of their reproduction, the files with the tests
// of mistakes that were reported of other programs.
var reportedTests = map[string]string{
	"check":  "../internal/hookconfig/bugs_test.go",
	"match":  "../internal/hookconfig/bugs_test.go",
	"run":    "../cmd/dsh-agent/hooks_test.go",
	"bridge": "bugs_*_test.go",
}

// alsoIn are further files with such tests.
const alsoIn = "../cmd/dsh-agent/hooks_test.go"

// Every reported mistake about shell hooks has a test of its name.
func TestReportedMistakesHaveTests(t *testing.T) {
	corpus, err := os.ReadFile(filepath.Join("corpus", "bugs.jsonl"))
	require.NoError(t, err)
	count := map[string]int{}
	for line := range bytes.Lines(corpus) {
		var bug struct {
			ID    string
			Repro struct{ Kind string }
		}
		require.NoError(t, json.Unmarshal(line, &bug))
		files, mine := reportedTests[bug.Repro.Kind]
		if !mine {
			continue
		}
		count[bug.Repro.Kind]++
		require.True(t, names(t, bug.ID, files, alsoIn), "%s of kind %s has no test", bug.ID, bug.Repro.Kind)
	}
	require.Equal(t, map[string]int{"check": 10, "match": 4, "run": 1, "bridge": 33}, count)
}

// names reports whether one of the files names the test.
func names(t *testing.T, id string, patterns ...string) bool {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if bytes.Contains(text, []byte(`"`+id+`"`)) {
				return true
			}
		}
	}
	return false
}
