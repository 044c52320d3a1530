package spec_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// hookPoints are what a world fires: all points, because it summarises too.
func hookPoints() []point.Point {
	return slices.Concat(tool.Points(), agent.Points(), subagent.Points())
}

// A codexVerdict is what a world did with a case, and what differs.
type codexVerdict struct {
	world     *hookWorld
	turns     []session.End
	compacted []bool // stopped?
	differs   mismatches
}

// traits are what rows of the deviations and the list of what is not applicable
// ask for. The trait "beyond" is why a case cannot be played.
func (p *codexPlay) traits() map[string]string {
	t := map[string]string{"kind": p.Kind, "event": p.Event, "approval": p.settings.Approval}
	for _, u := range p.observed.UI {
		if slices.Contains(u.Entries, "context: ") {
			t["context"] = "empty"
		}
	}
	interrupts := slices.ContainsFunc(p.ops, func(o codexOp) bool { return o.Op == "interrupt" })
	told := slices.ContainsFunc(p.observed.HookCalls, func(c codexCall) bool {
		return c.Event == "Interrupt"
	})
	if told && !interrupts {
		t["oddity"] = "an interrupt that nobody made"
	}
	script := fmt.Sprint(p.Script.Turns)
	for _, raw := range p.Script.Turns {
		script += string(raw)
	}
	raw := slices.ContainsFunc(p.Script.Steps, func(s codexStep) bool {
		return s.Raw != nil || slices.Contains(s.Args, "-C")
	})
	switch {
	case p.Event == "PostModelRequest":
		t["beyond"] = "no point for the model's answer"
	case strings.HasPrefix(p.settings.Model, "gpt-6"):
		t["beyond"] = "calls made by a program of the model"
	case raw:
		t["beyond"] = "another front end"
	case strings.Contains(script, "write_stdin"), strings.Contains(string(p.Observed), "Process running with session ID"):
		t["beyond"] = "commands that go on after their call"
	case strings.Contains(script, "apply_patch <<"):
		t["beyond"] = "a patch that the client finds in a command"
	case strings.Contains(script, "local_shell"):
		t["beyond"] = "calls that are no function calls"
	case p.settings.Mode == "exec" && p.observed.HookRuns == 0 && p.observed.ToolRan != nil && p.hooksEveryCall():
		t["beyond"] = "hooks without the user's trust"
	case p.settings.HooksJSON == nil || string(p.settings.HooksJSON) == "null":
		if !strings.Contains(p.settings.ConfigTOMLExtra, "hooks") && p.observed.HookRuns > 0 {
			t["beyond"] = "hooks in files that are not part of the case"
		}
	}
	return t
}

// judge compares what happened with what the client did.
func (v *codexVerdict) judge(p *codexPlay) error {
	calls, err := v.world.calls()
	if err != nil {
		return err
	}
	v.hooks(p, calls)
	v.shown(p)
	v.requests(p)
	v.reasons(p)
	v.differs.compare("approvals", make([]string, len(p.observed.Approvals)), make([]string, len(v.world.asked)))
	v.differs.compare("interrupted", []string{fmt.Sprint(slices.Contains(p.observed.Turns, "interrupted"))}, []string{fmt.Sprint(v.interrupted())})
	ran, err := v.ran()
	if err != nil {
		return err
	}
	want := "nothing"
	if p.observed.ToolRan != nil {
		want = *p.observed.ToolRan
	}
	v.differs.compare("ran", []string{want}, []string{ran})
	if len(v.differs) > 0 && len(v.world.warned) > 0 {
		v.differs = append(v.differs, "warned: "+strings.Join(v.world.warned, "; "))
	}
	return nil
}

func (v *codexVerdict) ran() (string, error) {
	text, err := os.ReadFile(filepath.Join(v.world.project, "ran.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return "nothing", nil
	}
	return string(text), err
}

func (v *codexVerdict) interrupted() bool {
	after := false
	if n := len(v.compacted); n > 0 {
		after = v.compacted[n-1]
	}
	return after || slices.ContainsFunc(v.turns, func(e session.End) bool {
		return e.Kind == session.EndAborted && e.Cause.Kind == session.CauseUser
	})
}

// unfired are the client's events that no point stands for.
var codexUnfired = []string{"PostModelRequest"}

// hooks compares which hooks ran, for each of them in their order. Those of calls
// that overlap have none.
func (v *codexVerdict) hooks(p *codexPlay, calls []hookRun) {
	if p.Kind == "" {
		v.differs.compare("runs of the hook", []string{fmt.Sprint(p.observed.HookRuns)}, []string{fmt.Sprint(len(calls))})
		return
	}
	var want, got []string
	for _, c := range p.observed.HookCalls {
		if !slices.Contains(codexUnfired, c.Event) {
			input, _ := value.Parse(c.ToolInput)
			want = append(want, hookLine(v.world, c.Label, c.Event, c.Subject, input))
		}
	}
	for _, c := range calls {
		got = append(got, hookLine(v.world, c.ID, c.Event, codexSubject(c), c.Payload.Get("tool_input")))
	}
	slices.Sort(want)
	slices.Sort(got)
	v.differs.compare("runs of hooks", want, got)
}

func hookLine(w *hookWorld, label, event, subject string, input value.Value) string {
	text := ""
	if !input.IsAbsent() {
		text = " " + agentID.ReplaceAllString(w.expand(string(input.AppendJSON(nil))), "$$AGENT")
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", label, event, subject)) + text
}

// codexSubject is what the recording tells of an event beside its name.
func codexSubject(c hookRun) string {
	for _, key := range []string{"tool_name", "source", "trigger", "agent_type"} {
		if s, ok := c.Payload.Get(key).Str(); ok {
			return s
		}
	}
	return ""
}

// shown compares what became of the hooks. The client's command does not show it,
// and no client shows it of a session's end.
func (v *codexVerdict) shown(p *codexPlay) {
	if p.settings.Mode != "app-server" || strings.Contains(string(p.Config), "PostModelRequest") {
		return
	}
	var want, got []string
	for _, u := range p.observed.UI {
		want = append(want, u.Status)
	}
	for _, s := range p.statuses {
		if s.event != "SessionEnd" {
			got = append(got, s.status)
		}
	}
	if v.world.spawned > 0 || len(want) != len(got) {
		slices.Sort(want)
		slices.Sort(got)
	}
	v.differs.compare("statuses", want, got)
}

// agentID is that of a subagent in a recording.
var agentID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}`)

var (
	hookPrompt = regexp.MustCompile(`(?s)<hook_prompt hook_run_id="[^"]*">(.*?)(?:</hook_prompt>|…\(\d+\)$)`)
	elidedText = regexp.MustCompile(`…\(\d+\)$`)
)

// elided stands for a text that is too long to be compared.
func elided(text string) string {
	switch {
	case strings.HasPrefix(text, "Warning: truncated"), strings.Contains(text, "\n\nAll of it: "):
		return "~spilled"
	case elidedText.MatchString(text), len(text) > 1000:
		return "~"
	}
	return text
}

// requests compares how often the model was asked, and which texts of hooks it
// was shown with which request: before or after the prompt of a human, or alone.
// How often an agent is asked that has subagents depends on how fast they are.
func (v *codexVerdict) requests(p *codexPlay) {
	for _, task := range append([]string{"main"}, tasksOf(p)...) {
		var want, got []string
		n := 0
		for _, r := range p.observed.ModelRequests {
			if r.Which == task {
				n++
				want = append(want, numbered(n, recordedTexts(r.New))...)
			}
		}
		counts := task != "main" || len(p.Script.Subturns) == 0 || v.world.spawned == 0
		if counts {
			want = append(want, fmt.Sprintf("%d requests", n))
		}
		n = 0
		for _, r := range v.world.requests {
			if r.Task == task || r.Task == "" && task == "main" {
				n++
				got = append(got, numbered(n, shownTexts(r.New))...)
			}
		}
		if counts {
			got = append(got, fmt.Sprintf("%d requests", n))
		}
		v.differs.compare("requests of "+task, want, got)
	}
}

func tasksOf(p *codexPlay) []string {
	var out []string
	for task := range p.Script.Subturns {
		out = append(out, task)
	}
	return out
}

func numbered(n int, texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, fmt.Sprintf("%d %s", n, t))
	}
	return out
}

// recordedTexts returns the texts of hooks in a request of the recording.
func recordedTexts(items []string) []string {
	prompt := -1
	for i, item := range items {
		if strings.HasPrefix(item, "message/user: ") && !hookPrompt.MatchString(item) && !strings.Contains(item, "<environment_context>") &&
			!strings.Contains(item, "<subagent_notification>") {
			prompt = i
		}
	}
	var out []string
	for i, item := range items {
		if text, is := strings.CutPrefix(item, "message/developer: "); is {
			out = append(out, placed(i, prompt)+elided(text))
		}
		out = append(out, prompts(item)...)
	}
	return out
}

func prompts(item string) []string {
	var out []string
	for _, m := range hookPrompt.FindAllStringSubmatch(item, -1) {
		out = append(out, "goes on: "+elided(m[1]))
	}
	return out
}

func placed(at, prompt int) string {
	switch {
	case prompt < 0:
		return "alone: "
	case at < prompt:
		return "before: "
	}
	return "after: "
}

// shownTexts returns the texts of hooks in a request of ours.
func shownTexts(messages []session.Message) []string {
	prompt := -1
	for i, m := range messages {
		if _, human := m.Source.(session.User); human {
			prompt = i
		}
	}
	var out []string
	for i, m := range messages {
		if _, is := m.Source.(session.Extension); !is {
			continue
		}
		if again := prompts(m.Text()); again != nil {
			out = append(out, again...)
			continue
		}
		out = append(out, placed(i, prompt)+elided(m.Text()))
	}
	return out
}

// clientReasons are texts of the client that stand for a reason that a hook did
// not give.
var clientReasons = regexp.MustCompile(`hook (denied approval|stopped execution)$`)

// reasons looks for every reason of a hook that the model was told, or that ended
// the turn. The output of a command is there if the client shows it.
func (v *codexVerdict) reasons(p *codexPlay) {
	var all, told strings.Builder
	var want, got []string
	for _, r := range v.world.requests {
		for _, m := range r.New {
			all.WriteString(m.Text() + "\n")
			for _, result := range resultsOf([]session.Message{m}) {
				all.WriteString(textOfParts(result.Content) + "\n")
				got = append(got, outputs(textOfParts(result.Content)))
			}
		}
	}
	for _, end := range v.turns {
		all.WriteString(end.Reason + "\n")
	}
	for _, r := range p.observed.ModelRequests {
		for _, item := range r.New {
			told.WriteString(item + "\n")
			if kind, text, is := strings.Cut(item, "_call_output: "); is && !strings.Contains(kind, " ") {
				want = append(want, outputs(text))
			}
		}
	}
	for _, text := range feedback(p) {
		text = escaped(p, strings.TrimSpace(text))
		expected := strings.Contains(told.String(), text) || p.Event == "UserPromptSubmit"
		if expected && !strings.Contains(all.String(), text) {
			v.differs = append(v.differs, fmt.Sprintf("the reason %q is not there", text))
		}
	}
	if v.world.spawned > 0 {
		return
	}
	slices.Sort(want)
	slices.Sort(got)
	v.differs.compare("results", want, got)
}

// feedback lists the reasons that hooks gave.
func feedback(p *codexPlay) []string {
	var out []string
	for _, u := range p.observed.UI {
		for _, e := range u.Entries {
			text, is := strings.CutPrefix(e, "feedback: ")
			if is && !clientReasons.MatchString(text) && !elidedText.MatchString(text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// escaped is how a reason stands in the prompt that lets a turn go on.
func escaped(p *codexPlay, text string) string {
	if p.Event != "Stop" && p.Event != "SubagentStop" {
		return text
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// outputs lists what a result shows of what commands print.
func outputs(text string) string {
	var out []string
	for _, mark := range []string{"TOOLOUT\n", "NEWOUT\n"} {
		if strings.Contains(text, mark) {
			out = append(out, strings.TrimSpace(mark))
		}
	}
	return "result " + strings.Join(out, " ")
}
