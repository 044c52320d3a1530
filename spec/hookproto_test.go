package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A protocolCase is one recorded vector of the layer of shell hooks; the head of
// the file explains the form of each kind.
type protocolCase struct {
	ID, Kind        string
	Input, Expected json.RawMessage
}

// A protocolKind holds one kind of vectors against the package.
type protocolKind struct {
	// run returns what differs.
	run func(protocolCase) error
	// rules lists what the real clients do otherwise than the recorded original.
	// The first that applies to a case is its trait "client".
	rules []clientRule
}

// A clientRule is one thing in which a real client overrules the original. It
// looks at the input alone, and not at what our answer is, so that a case that
// passes in spite of it is told.
type clientRule struct {
	name    string
	applies func(json.RawMessage) bool
}

// protocolKinds are all kinds of vectors.
var protocolKinds = map[string]protocolKind{
	"matcher":       {runMatcherCase, matcherRules},
	"codec":         {runCodecCase, codecRules},
	"merge":         {runMergeCase, mergeRules},
	"record":        {runRecordCase, nil},
	"stderrSummary": {runSummaryCase, nil},
	"runner":        {runRunnerCase, runnerRules},
	"config-cc":     {runConfigCase(loadClaude), slices.Concat(configRules, claudeConfigRules)},
	"config-codex":  {runConfigCase(loadCodex), slices.Concat(configRules, codexConfigRules)},
}

// loadHookproto finds the vectors of the hook protocol.
func loadHookproto(dir string) ([]testCase, error) {
	var file struct{ Cases []protocolCase }
	if err := readRecording(&file, dir, "behaviour", "cases-hookproto.json"); err != nil {
		return nil, err
	}
	var cases []testCase
	for _, c := range file.Cases {
		kind, known := protocolKinds[c.Kind]
		if !known {
			cases = append(cases, unreadable(c.ID, fmt.Errorf("kind %q is not known", c.Kind)))
			continue
		}
		traits := map[string]string{"kind": c.Kind}
		for _, rule := range kind.rules {
			if rule.applies(c.Input) {
				traits["client"] = rule.name
				break
			}
		}
		cases = append(cases, testCase{id: c.ID, traits: traits, applicable: true, run: func() error { return kind.run(c) }})
	}
	return cases, nil
}

// differ returns an error if two values differ.
func differ(what string, want, got any) error {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return fmt.Errorf("%s: want %+v, got %+v", what, want, got)
}

var dialects = map[string]hookproto.Dialect{"claude-code": claudecode.Dialect{}, "codex": codex.Dialect{}}

type matcherInput struct {
	Mode    string
	Matcher *string
	Query   string
}

func runMatcherCase(c protocolCase) error {
	var in matcherInput
	var want struct {
		Matches    bool
		Diagnostic string
	}
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	got, err := dialects[in.Mode].Matches(hookproto.Handler{Event: "PreToolUse", Matcher: in.Matcher}, in.Query)
	return errors.Join(differ("matches", want.Matches, got), differ("refused", want.Diagnostic != "", err != nil))
}

// codecInput is a result as the original read it.
type codecInput struct {
	ExitCode          *int
	Stdout, Stderr    string
	ExpectedEventName string
}

func (in codecInput) result() hookproto.Result {
	r := hookproto.Result{Exit: -1, Signal: "SIGKILL", Stdout: []byte(in.Stdout), Stderr: []byte(in.Stderr)}
	if in.ExitCode != nil && *in.ExitCode >= 0 {
		r.Exit, r.Signal = *in.ExitCode, ""
	}
	return r
}

// event is the event of a vector that names none: calls have most to say.
func (in codecInput) event() string {
	if in.ExpectedEventName == "" {
		return "PreToolUse"
	}
	return in.ExpectedEventName
}

// decoded is an output as the original has it.
type decoded struct {
	Decision, Reason, StopReason, SystemMessage, AdditionalContext string
	Continue                                                       *bool
	UpdatedInput                                                   json.RawMessage
	ExitCode                                                       *int
	Stdout, Stderr                                                 string
}

func runCodecCase(c protocolCase) error {
	var in codecInput
	var want decoded
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	return compareOutput(want, claudecode.Dialect{}.Parse(in.event(), in.result()))
}

// compareOutput compares what a hook said. A reason that it did not give is the
// dialect's own; white space around one is kept, and the original's is not.
func compareOutput(want decoded, got hookproto.Output) error {
	word := string(got.Decision)
	if got.Word != "" {
		word = got.Word
	}
	err := errors.Join(
		differ("decision", want.Decision, word),
		differ("halt", want.Continue != nil && !*want.Continue, got.Halt),
		differ("system message", want.SystemMessage, got.SystemMessage),
		differ("updated input", compactJSON(want.UpdatedInput), compactJSON(got.UpdatedInput)),
	)
	if want.Decision != "" && want.Reason != "" {
		err = errors.Join(err, differ("reason", want.Reason, hookproto.Trim(got.Reason)))
	}
	if got.Halt {
		err = errors.Join(err, differ("halt reason", want.StopReason, got.HaltReason))
	}
	if !got.Plain {
		context := ""
		for _, text := range got.Contexts {
			context += text
		}
		err = errors.Join(err, differ("context", want.AdditionalContext, context))
	}
	return err
}

func compactJSON(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// words of the original's decisions.
var originalDecisions = map[string]hookproto.Decision{
	"approve": hookproto.Allow, "allow": hookproto.Allow, "ask": hookproto.Ask, "block": hookproto.Deny, "deny": hookproto.Deny, "": hookproto.NoDecision,
}

type mergeInput struct{ Outputs []decoded }

func runMergeCase(c protocolCase) error {
	var in mergeInput
	var want struct {
		Decision, Reason, StopReason      string
		Stop                              bool
		AdditionalContext, SystemMessages []string
	}
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	var done []hookproto.Completed
	for i, o := range in.Outputs {
		out := hookproto.Output{
			Status: hookproto.StatusCompleted, Decision: originalDecisions[o.Decision], Reason: o.Reason, SystemMessage: o.SystemMessage,
			Halt: o.Continue != nil && !*o.Continue, HaltReason: o.StopReason,
		}
		if o.AdditionalContext != "" {
			out.Contexts = []string{o.AdditionalContext}
		}
		done = append(done, hookproto.Completed{Configured: i, Rank: i, Output: out})
	}
	got := claudecode.Dialect{}.Fold("PreToolUse", done)
	if want.Decision == "none" {
		want.Decision = ""
	}
	reason := got.Reason
	if got.Decision == hookproto.Allow {
		reason = ""
	}
	return errors.Join(
		differ("decision", want.Decision, string(got.Decision)), differ("reason", want.Reason, reason),
		differ("stop", want.Stop, got.Halt), differ("stop reason", want.StopReason, got.HaltReason),
		differ("contexts", want.AdditionalContext, plainTexts(got.Contexts)), differ("system messages", want.SystemMessages, plainTexts(got.SystemMessages)),
	)
}

func plainTexts(list []hookproto.Text) []string {
	out := []string{}
	for _, t := range list {
		out = append(out, t.Text)
	}
	return out
}

func runRecordCase(c protocolCase) error {
	var in struct {
		Event, Point, Dialect, HandlerID string
		Turn, StderrSummaryMaxChars      int
		Matcher                          *string
		DurationMs                       float64
		Output                           decoded
	}
	var want struct {
		Type string
		Data map[string]any
	}
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	h := hookproto.Handler{ID: in.HandlerID, Event: in.Point, Matcher: in.Matcher}
	var record any = hookproto.NewInvoked(in.Turn, in.Dialect, h)
	kind := hookproto.InvokedType
	if in.Event == hookproto.AnsweredType {
		kind = in.Event
		r := hookproto.Result{Exit: -1, Stderr: []byte(in.Output.Stderr), Took: time.Duration(in.DurationMs * float64(time.Millisecond))}
		if in.Output.ExitCode != nil {
			r.Exit = *in.Output.ExitCode
		}
		out := hookproto.Output{Decision: originalDecisions[in.Output.Decision], Word: in.Output.Decision, Halt: in.Output.Continue != nil && !*in.Output.Continue}
		record = hookproto.NewAnswered(in.Turn, hookproto.Completed{Handler: h, Result: r, Output: out}, in.StderrSummaryMaxChars)
	}
	text, err := json.Marshal(record)
	var got map[string]any
	return errors.Join(err, json.Unmarshal(text, &got), differ("type", want.Type, kind), differ("record", want.Data, got))
}

func runSummaryCase(c protocolCase) error {
	var in struct {
		Stderr   string
		MaxChars int
	}
	var want struct{ Summary string }
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	return differ("summary", want.Summary, hookproto.Summary(in.Stderr, in.MaxChars))
}

// runnerInput is one run of a hook through an executor that does not run.
type runnerInput struct {
	Options struct {
		ExpectedEventName string
		Payload           json.RawMessage
		Newline           *bool
	}
	ProcessResult struct {
		ExitCode          json.RawMessage
		Signal            string
		Stdout, Stderr    string
		Reject            *string
		TimedOut, Aborted bool
	}
}

func (in runnerInput) result() hookproto.Result {
	p := in.ProcessResult
	r := hookproto.Result{Stdout: []byte(p.Stdout), Stderr: []byte(p.Stderr), Signal: p.Signal, TimedOut: p.TimedOut, Canceled: p.Aborted}
	if len(p.ExitCode) > 0 && json.Unmarshal(p.ExitCode, &r.Exit) != nil || string(p.ExitCode) == "null" {
		r.Exit = -1
	}
	if p.Reject != nil {
		r.Exit, r.Err = -1, errors.New(*p.Reject)
	}
	return r
}

// runRunnerCase compares what a hook gets on its standard input and what its
// result means; how it is started is the business of tests with real processes.
func runRunnerCase(c protocolCase) error {
	var in runnerInput
	var want struct {
		Request struct{ Stdin string }
		Output  decoded
	}
	if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
		return err
	}
	payload := in.Options.Payload
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	tree, err := document.ParseJSON(payload)
	if err != nil {
		return err
	}
	stdin := string(tree.JSON())
	if in.Options.Newline == nil || *in.Options.Newline {
		stdin += "\n"
	}
	event := codecInput{ExpectedEventName: in.Options.ExpectedEventName}.event()
	return errors.Join(
		differ("stdin", want.Request.Stdin, stdin),
		compareOutput(want.Output, claudecode.Dialect{}.Parse(event, in.result())),
	)
}
