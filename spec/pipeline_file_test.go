package spec_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A case that cannot be read, or that says nothing the runner could compare, fails
// alone and under its own name.
func TestPipelineFile(t *testing.T) {
	write := func(text string) string {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "behaviour"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "behaviour", "cases-pipeline.json"), []byte(text), 0o600))
		return dir
	}
	dir := write(`{
		"scenarios": [
			{"id": "type", "then": {"phases": "none"}},
			{"id": "name", "then": {"phases": [], "fases": []}},
			{"id": "right", "when": [], "then": {"phases": [], "results": []}}
		],
		"loopScenarios": [{"id": "model", "then": {"trace": []}}, {"id": "name", "then": {"logs": []}}],
		"schemaCases": [
			{"id": "kind", "kind": "schema-other", "expected": {"ok": true}},
			{"id": "silent", "kind": "schema-supported", "input": {"schema": {}}, "expected": {}},
			{"id": "unjudged", "kind": "schema-value", "input": {"schema": {}, "value": 1}, "expected": {}},
			{"id": "code", "kind": "schema-supported", "input": {"schema": 1},
				"expected": {"ok": false, "error": {"message": "unsupported JSON schema: schema must be a schema object"}}},
			{"id": "right", "kind": "schema-supported", "input": {"schema": {}}, "expected": {"ok": true}}
		]
	}`)
	for _, c := range []struct {
		load func(string) ([]testCase, error)
		want map[string]string // what is wrong with each case; empty if nothing
	}{
		{loadPipeline("go"), map[string]string{"type": "cannot unmarshal", "name": `unknown field "fases"`, "right": ""}},
		{loadScheduler, map[string]string{"model": "asked more often than it answers", "name": `unknown field "logs"`}},
		{loadSchema, map[string]string{
			"kind": `no kind "schema-other"`, "silent": "does not say", "unjudged": "does not say", "code": "got", "right": "",
		}},
	} {
		cases, err := c.load(dir)
		require.NoError(t, err)
		got := map[string]string{}
		for i, err := range runAtOnce(t, cases) {
			got[cases[i].id] = ""
			if want := c.want[cases[i].id]; err != nil && want != "" {
				require.ErrorContains(t, err, want)
				got[cases[i].id] = want
			}
		}
		require.Equal(t, c.want, got)
	}
	_, err := loadSchema(write(`{"schemaCases": [`))
	require.ErrorContains(t, err, "cases-pipeline.json")
}

func TestAttemptThatPanics(t *testing.T) {
	err := attempt(func(*trial) string { panic("out of order") })
	require.ErrorContains(t, err, "panic: out of order")
}
