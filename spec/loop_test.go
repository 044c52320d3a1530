package spec_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A loopScenario is one recorded case of the agent loop; the head of the file
// explains its form.
type loopScenario struct {
	id, kind, title   string
	statements        []string
	given, when, then value.Value
}

func loadLoopScenarios(dir string) ([]loopScenario, error) {
	path := filepath.Join(dir, "behaviour", "cases-loop.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := value.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []loopScenario
	for _, c := range items(file.Get("cases")) {
		out = append(out, loopScenario{
			c.Get("id").String(), c.Get("kind").String(), c.Get("title").String(), stringsOf(c.Get("statements")),
			c.Get("given"), c.Get("when"), c.Get("then"),
		})
	}
	return out, nil
}

// loadLoop is the suite of the loop.
func loadLoop(dir string) ([]testCase, error) {
	scenarios, err := loadLoopScenarios(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []testCase
	for _, c := range scenarios {
		out = append(out, testCase{id: c.id, traits: c.traits(), applicable: c.applicable(), run: c.run})
	}
	return out, err
}

// foreignLoopKinds are about another language's values, and about the codec of a
// front end that is not here.
var foreignLoopKinds = map[string]bool{"json": true, "acp-stop-reason": true}

func (c loopScenario) applicable() bool { return !foreignLoopKinds[c.kind] }

// loopKinds runs the cases of each kind.
var loopKinds = map[string]func(loopScenario) []string{
	"loop": runLoopScenario, "repair": runRepair, "consumed-work": runConsumedWork, "final-output": runFinalOutput,
	"log-invariant": runLogInvariant, "surface": runSurface, "fork": runFork, "assembler": runAssembler,
	"resume": runResume, "creation": runCreation, "subagent": runSubagent,
}

// run returns what differs from the recording.
func (c loopScenario) run() error {
	run := loopKinds[c.kind]
	if run == nil {
		return fmt.Errorf("nothing runs cases of kind %s", c.kind)
	}
	if diff := run(c); len(diff) > 0 {
		return fmt.Errorf("%s", strings.Join(diff, "\n"))
	}
	return nil
}

// traits are what the rows of the deviations ask for.
func (c loopScenario) traits() map[string]string {
	out := map[string]string{"kind": c.kind}
	if strings.HasPrefix(c.title, "quirk:") {
		out["quirk"] = strings.Join(c.statements, " ")
	}
	for _, l := range items(c.given.Get("listeners")) {
		for _, op := range items(l.Get("do")) {
			switch {
			case l.Get("point").String() == "agent/session-start" && !op.Get("wait").IsAbsent():
				out["session_start"] = "slow"
			case l.Get("point").String() == "agent/turn-stopping" && !op.Get("steer").IsAbsent() && intOf(l.Get("times")) > 8:
				out["forced_steps"] = "more than 8"
			}
		}
	}
	if !c.given.Get("onStart").Get("inject").IsAbsent() {
		out["subagent_start"] = "injects"
	}
	return out
}

// mismatches collects what differs.
type mismatches []string

func (d *mismatches) compare(what string, want, got []string) {
	if strings.Join(want, "\n") == strings.Join(got, "\n") {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", what)
	for i := range max(len(want), len(got)) {
		w, g := "(nothing)", "(nothing)"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			fmt.Fprintf(&b, "\n  %d want %s\n  %d got  %s", i, w, i, g)
		}
	}
	*d = append(*d, b.String())
}

func runLoopScenario(c loopScenario) []string {
	var d mismatches
	w := newLoopWorld(c.given)
	err := w.start(w.logOf(), "startup")
	if want := c.then.Get("createError"); !want.IsAbsent() {
		if err == nil {
			return []string{"the creation was not refused: " + want.String()}
		}
		return nil
	}
	if err != nil {
		return []string{err.Error()}
	}
	for _, action := range items(c.when) {
		if err := w.act(action); err != nil {
			d = append(d, err.Error())
		}
	}
	w.update(func() { w.held = false })
	d = append(d, w.judge(c.then)...)
	for _, gate := range []string{"late", "decide", "go", "fin"} {
		w.update(func() { w.gates[gate] = true })
	}
	w.dispose()
	<-w.disposed
	w.tasks.Wait()
	return d
}

// logOf makes the log of a case: a new one, or one that begins with a seed.
func (w *loopWorld) logOf() func(session.LogOptions) (*session.Log, error) {
	return func(o session.LogOptions) (*session.Log, error) {
		h := session.Header{ID: "a1"}
		seed := w.given.Get("seed")
		if seed.IsAbsent() {
			return session.NewLog(h, o)
		}
		meta := w.given.Get("meta")
		h.Parent, h.Seed = meta.Get("parentSession").String(), int64(intOf(meta.Get("seedLength")))
		var entries []session.Entry
		for _, v := range items(seed) {
			e, err := foreignEntry(v)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
		return session.SeedLog(h, entries, o)
	}
}

// judge compares what happened with the recording.
func (w *loopWorld) judge(then value.Value) []string {
	var d mismatches
	lines, err := w.eventLines()
	if err != nil {
		return []string{err.Error()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d.compare("events", unordered(recordedLines(then.Get("events"))), unordered(lines))
	var want, got []string
	for i, r := range items(then.Get("requests")) {
		for _, line := range recordedMessages(r) {
			want = append(want, fmt.Sprintf("%d %s", i, line))
		}
	}
	for i, r := range w.requests {
		for _, line := range messageLines(r.Messages) {
			got = append(got, fmt.Sprintf("%d %s", i, line))
		}
	}
	d.compare("requests", want, got)
	if systems := then.Get("systems"); !systems.IsAbsent() {
		want, got = nil, nil
		for _, s := range items(systems) {
			_, rest, _ := strings.Cut(s.String(), "\n\n") // without the sentence that says who it is
			want = append(want, rest)
		}
		for _, r := range w.requests {
			got = append(got, r.System)
		}
		d.compare("systems", want, got)
	}
	d.compare("derived messages", recordedMessages(then.Get("derivedMessages")), messageLines(w.log.History()))
	left := then.Get("inboxLeft")
	d.compare("pending for a step", stringsOf(left.Get("nextStep")), w.ids(w.log.Pending(session.NextStep)))
	d.compare("pending for a turn", stringsOf(left.Get("nextTurn")), w.ids(w.log.Pending(session.NextTurn)))
	d.compare("statuses", stringsOf(then.Get("statuses")), w.statuses)
	want, got = nil, nil
	for _, e := range items(then.Get("agentErrors")) {
		want = append(want, fmt.Sprintf("%s/%s %s", e.Get("turn"), e.Get("step"), plainText(e.Get("message").String())))
	}
	for _, e := range w.errors {
		got = append(got, fmt.Sprintf("%d/%d %s", e.Turn, e.Step, plainText(e.Message)))
	}
	d.compare("errors", want, got)
	d.compare("inbox notifications", stringsOf(then.Get("inboxNotifications")), w.inbox)
	d.compare("trace", sequence(stringsOf(then.Get("trace"))), sequence(w.traces))
	d.compare("contained", make([]string, then.Get("contained").Len()), make([]string, len(w.warned)))
	if len(d) > 0 && len(w.warned) > 0 {
		d = append(d, "warned: "+strings.Join(w.warned, "; "))
	}
	return d
}

func recordedLines(list value.Value) []string {
	var out []string
	for _, e := range list.Items() {
		out = append(out, recordedLine(e))
	}
	return out
}

func stringsOf(list value.Value) []string {
	out := []string{}
	for _, item := range list.Items() {
		out = append(out, item.String())
	}
	return out
}

// sequence leaves out where bodies begin: those of one pool begin in any order.
func sequence(traces []string) []string {
	return slices.DeleteFunc(slices.Clone(traces), func(s string) bool { return strings.HasPrefix(s, "body:") })
}

// unordered moves calls in front of results that directly precede them: how the
// calls of one pool interleave with results is not part of the contract.
func unordered(lines []string) []string {
	for moved := true; moved; {
		moved = false
		for i := 1; i < len(lines); i++ {
			if strings.HasPrefix(lines[i], "tool/call ") && strings.HasPrefix(lines[i-1], "tool/result ") && lines[i] < "tool/calm" {
				lines[i-1], lines[i], moved = lines[i], lines[i-1], true
			}
		}
	}
	return lines
}
