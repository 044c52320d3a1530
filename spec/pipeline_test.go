package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
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

// UnmarshalJSON refuses what the runner does not compare.
func (t *pipelineThen) UnmarshalJSON(text []byte) error {
	type plain pipelineThen
	return strictly(text, (*plain)(t))
}

// strictly reads an expectation: one of an unknown name would never be compared.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// A readable case is read apart from the others: one that cannot be read fails
// alone.
type readable[T any] struct {
	id   string
	read T
	err  error
}

func (r *readable[T]) UnmarshalJSON(text []byte) error {
	var head struct{ ID string }
	_ = json.Unmarshal(text, &head)
	r.id, r.err = head.ID, json.Unmarshal(text, &r.read)
	return nil
}

// play runs the case if it could be read.
func (r *readable[T]) play(run func(t *trial, c T) string) func() error {
	return func() error {
		if r.err != nil {
			return r.err
		}
		return attempt(func(t *trial) string { return run(t, r.read) })
	}
}

// pipelineFile is the file of the suites pipeline, scheduler and schema.
type pipelineFile struct {
	Scenarios     []readable[pipelineCase]
	LoopScenarios []readable[loopCase]
	SchemaCases   []readable[schemaCase]
}

// readPipelineFile reads the file from a tree; it is empty if there is none.
func readPipelineFile(dir string) (file pipelineFile, err error) {
	err = readRecording(&file, dir, "behaviour", "cases-pipeline.json")
	return file, err
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

// loadPipeline reads the scenarios, to be run with handlers in Go or, all that
// have such a form, as scripts.
func loadPipeline(language string) func(dir string) ([]testCase, error) {
	return func(dir string) ([]testCase, error) {
		file, err := readPipelineFile(dir)
		var cases []testCase
		for _, c := range file.Scenarios {
			cases = append(cases, testCase{
				id: c.id, traits: c.read.traits(), applicable: c.err != nil || c.read.foreign() == "", virtual: true,
				run: c.play(func(t *trial, c pipelineCase) string { return runPipelineCase(t, c, language) }),
			})
		}
		return cases, err
	}
}

// textual reports whether the quirk of c is no more than a text of another
// language.
func (c pipelineCase) textual() bool {
	return strings.Contains(c.Quirk, "text") || strings.Contains(c.Quirk, "message")
}

// traits are what a deviation can name: quirk=hole where the recording shows one, as
// it does where guards are added while guards run; answer=unknown or none for
// handlers that answer what is no answer, or nothing; lossy=answer for answers that
// are no JSON or lack their value.
func (c pipelineCase) traits() map[string]string {
	traits := map[string]string{}
	if c.Quirk != "" && !c.textual() {
		traits["quirk"] = "hole"
	}
	for _, h := range slices.Concat(c.Given.Pre, c.Given.Around, c.Given.Post) {
		h.traits(traits)
	}
	for _, h := range c.Given.Around {
		if slices.ContainsFunc(h.Do, pipelineOp.lacksValue) {
			traits["lossy"] = "answer"
		}
	}
	if slices.ContainsFunc(c.Given.Guards, func(h pipelineHandler) bool { return h.AddGuard != nil }) {
		traits["quirk"] = "hole"
	}
	return traits
}

// traits adds those of one handler.
func (h pipelineHandler) traits(traits map[string]string) {
	answers := false
	for _, op := range h.Do {
		answers = answers || slices.Contains([]string{"next", "decide", "throw", "returnCached"}, op.Op)
		if d := op.Decision; op.Op == "decide" {
			if !slices.Contains(append([]string{""}, decisionKinds...), d.Kind) {
				traits["answer"] = "unknown"
			}
			if d.ValueLossy != "" || d.ContentLossy || d.FeedbackLossy {
				traits["lossy"] = "answer"
			}
		}
	}
	if !answers {
		traits["answer"] = "none"
	}
}

// lacksValue reports whether the op is a success without a value.
func (op pipelineOp) lacksValue() bool {
	return op.Op == "decide" && !op.Result.IsError && op.Result.Value.IsAbsent()
}

var decisionKinds = []string{"allow", "deny", "ask", "accept", "block"}

// runPipelineCase returns what differs from the recording; empty if nothing.
func runPipelineCase(t *trial, c pipelineCase, language string) string {
	w := newWorld(t, c.Given, language)
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
	var d differences
	d.compare("phases", nonNil(c.Then.Phases), nonNil(w.phases))
	if c.textual() {
		d.compare("results", withoutText(c.Then.Results), withoutText(results))
	} else {
		d.compare("results", c.Then.Results, results)
	}
	d.compare("notes", orEmpty(c.Then.Notes), orEmpty(w.notes))
	d.compare("warnings", nonNil(c.Then.Warnings), nonNil(w.warnings))
	if c.CountTokens {
		d.compare("tokens", c.Then.Tokens, len(w.tokens))
	}
	if c.Then.SameResult != nil {
		d.compare("observed result", *c.Then.SameResult, w.observedSame)
	}
	return d.String()
}

// differences are what a case has otherwise than its recording.
type differences []string

func (d *differences) compare(what string, want, got any) {
	if !reflect.DeepEqual(normal(want), normal(got)) {
		*d = append(*d, fmt.Sprintf("%s:\n  want %s\n  got  %s", what, compact(want), compact(got)))
	}
}

func (d differences) String() string { return strings.Join(d, "\n") }

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

// A trial is one run of a case: a place for failed requirements that is not the
// test itself, because whether the case may fail is for the runner to say.
type trial struct{ failed []string }

type trialOver struct{}

// Errorf and FailNow make a trial fit for requirements.
func (t *trial) Errorf(format string, args ...any) {
	t.failed = append(t.failed, fmt.Sprintf(format, args...))
}
func (t *trial) FailNow() { panic(trialOver{}) }

// attempt runs a case that says what differs.
func attempt(f func(t *trial) string) (err error) {
	t := &trial{}
	defer func() {
		if r := recover(); r != nil {
			if _, over := r.(trialOver); !over {
				t.Errorf("panic: %v\n%s", r, debug.Stack())
			}
			err = errors.New(strings.Join(t.failed, "\n"))
		}
	}()
	if diff := f(t); diff != "" {
		return errors.New(diff)
	}
	return nil
}
