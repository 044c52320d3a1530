package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipelineCase is one recorded scenario of the tool pipeline; the head of the
// file explains its form.
type pipelineCase struct {
	ID, Group, Title, Quirk string
	CountTokens             bool
	Given                   pipelineGiven
	When                    oneOrMany[pipelineCall]
	Then                    pipelineThen
}

type pipelineThen struct {
	Phases     []string
	Results    []any
	Notes      map[string]any
	Warnings   []string
	Tokens     int   `json:"distinctTokens"`
	SameResult *bool `json:"observerSawReturnedSnapshot"`
}

// oneOrMany reads a list that may be written as its only item.
type oneOrMany[T any] []T

func (l *oneOrMany[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return json.Unmarshal(text, (*[]T)(l))
	}
	var one T
	err := json.Unmarshal(text, &one)
	*l = oneOrMany[T]{one}
	return err
}

// pipelineFile is the file of the suites pipeline, scheduler and schema.
type pipelineFile struct {
	Scenarios     []pipelineCase
	LoopScenarios []loopCase
	SchemaCases   []schemaCase
}

func readPipelineFile(t testing.TB) (file pipelineFile) {
	t.Helper()
	text, err := os.ReadFile("behaviour/cases-pipeline.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &file))
	return file
}

// foreignKinds are values that neither Go nor JSON has; a case about one says
// nothing here.
var foreignKinds = []string{"hiddenkey", "decoratedarray", "getterthrow", "sparse", "rawnull"}

// foreign names the kind of value that makes c a case of another language.
func (c pipelineCase) foreign() string {
	for _, call := range c.When {
		if slices.Contains(foreignKinds, call.ArgsLossy) {
			return call.ArgsLossy
		}
	}
	for _, tool := range c.Given.Tools {
		for _, op := range tool.Body {
			if slices.Contains(foreignKinds, op.Lossy) {
				return op.Lossy
			}
			if op.Op == "throw" && string(op.Raw) == "null" {
				return "rawnull"
			}
		}
	}
	return ""
}

// TestPipeline runs every scenario twice: with handlers in Go, and with the same
// handlers as scripts.
func TestPipeline(t *testing.T) {
	file := readPipelineFile(t)
	require.NotEmpty(t, file.Scenarios)
	for _, language := range []string{"go", "lua"} {
		tally := newTally(t, "pipeline-"+language)
		for _, c := range file.Scenarios {
			t.Run(language+"/"+c.ID, func(t *testing.T) {
				if kind := c.foreign(); kind != "" {
					tally.foreign++
					return
				}
				tally.judge(t, c.ID, runPipelineCase(t, c, language))
			})
		}
		tally.report(len(file.Scenarios))
	}
}

// runPipelineCase returns what differs from the recording; empty if nothing.
func runPipelineCase(t *testing.T, c pipelineCase, language string) string {
	w := newWorld(t, c.Given, language)
	defer w.close()
	results := make([]any, 0, len(c.When))
	for i, call := range c.When {
		if i > 0 && !call.Mode {
			w.trace("|")
		}
		results = append(results, w.execute(call, i))
	}
	if language == "lua" {
		results, _ = withoutPlaces(results).([]any)
		list, _ := withoutPlaces(nonNil(w.warnings)).([]any)
		for i := range w.warnings {
			w.warnings[i], _ = list[i].(string)
		}
	}
	var diff []string
	differ := func(what string, want, got any) {
		if !reflect.DeepEqual(normal(want), normal(got)) {
			diff = append(diff, fmt.Sprintf("%s:\n  want %s\n  got  %s", what, compact(want), compact(got)))
		}
	}
	differ("phases", nonNil(c.Then.Phases), nonNil(w.phases))
	if c.Quirk == "" || !strings.Contains(c.Quirk, "text") && !strings.Contains(c.Quirk, "message") {
		differ("results", c.Then.Results, results)
	} else {
		differ("results", withoutText(c.Then.Results), withoutText(results))
	}
	differ("notes", orEmpty(c.Then.Notes), orEmpty(w.notes))
	differ("warnings", nonNil(c.Then.Warnings), nonNil(w.warnings))
	if c.CountTokens {
		differ("tokens", c.Then.Tokens, len(w.tokens))
	}
	if c.Then.SameResult != nil {
		differ("observed result", *c.Then.SameResult, w.observedSame)
	}
	return strings.Join(diff, "\n")
}

// withoutText drops what the quirk of a case says is a text of another language.
func withoutText(results []any) []any {
	var out []any
	for _, r := range results {
		m, _ := normal(r).(map[string]any)
		out = append(out, map[string]any{"isError": m["isError"]})
	}
	return out
}

func nonNil(list []string) []string { return append([]string{}, list...) }

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// normal brings a value into the form that decoded JSON has.
func normal(x any) (out any) {
	if err := json.Unmarshal([]byte(compact(x)), &out); err != nil {
		return err
	}
	return out
}

func compact(x any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// A tally counts the cases of one suite against the listed deviations.
type tally struct {
	t                       *testing.T
	suite                   string
	deviations              map[string]string
	passed, differ, foreign int
}

func newTally(t *testing.T, suite string) *tally {
	return &tally{t: t, suite: suite, deviations: deviationsOf(t, suite)}
}

// judge fails a case that differs and is not listed, and one that is listed and
// does not differ: the list says what is true.
func (y *tally) judge(t *testing.T, id, diff string) {
	t.Helper()
	_, listed := y.deviations[id]
	switch {
	case diff != "" && !listed:
		t.Error(diff)
	case diff == "" && listed:
		t.Errorf("listed as a deviation of %s, but it passes", y.suite)
	case diff == "":
		y.passed++
	default:
		y.differ++
	}
}

func (y *tally) report(all int) {
	y.t.Logf("%s: %d of %d pass, %d deviate as listed, %d are of another language", y.suite, y.passed, all, y.differ, y.foreign)
}

// deviationsOf reads the rows of one suite; those of "pipeline" hold for all its
// languages.
func deviationsOf(t testing.TB, suite string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("deviations.md")
	require.NoError(t, err)
	family, _, _ := strings.Cut(suite, "-")
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for name := range strings.FieldsSeq(strings.NewReplacer(",", " ", "`", " ").Replace(cells[1])) {
			if of, id, ok := strings.Cut(name, "/"); ok && (of == suite || of == family) {
				out[id] = strings.TrimSpace(cells[2])
			}
		}
	}
	return out
}
