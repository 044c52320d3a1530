package progress

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// plain is the form for humans.
type plain struct {
	err   io.Writer
	color bool
	prose prose // of the agent that the human talks with
}

// maxText bounds one line, in characters.
const maxText = 300

// maxLabel bounds how a subagent is called, in characters.
const maxLabel = 40

// The colours of lines.
const (
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// colors says how decisions and outcomes are marked.
var colors = map[string]string{
	"deny": red, "forbid": red, "block": red, "reject": red, "refuse": red, "fault": red, "cancel": red,
	string(tool.ApprovalRejected): red, string(tool.ApprovalUnavailable): red, string(tool.ApprovalCancelled): red,
	"ask": yellow, "rewrite": yellow, "warning": yellow, "allow": green, "grant": green, string(tool.ApprovalGranted): green,
}

// say writes a line whose first word is marked.
func (p *plain) say(a Agent, indent, word, color, rest string) {
	p.prose.aside()
	word = terminal.Line(word, maxText)
	if p.color && color != "" {
		word = "\x1b[" + color + "m" + word + "\x1b[0m"
	}
	fmt.Fprintln(p.err, strings.TrimRight(a.prefix()+indent+word+rest, " "))
}

func (p *plain) session(a Agent, h session.Header, path, source string) {
	where := "in memory"
	if path != "" {
		where = path
	}
	p.say(a, "", "session", faint, " "+terminal.Line(fmt.Sprintf("%s (%s): %s", h.ID, source, where), maxText))
}

// prefix begins the lines of a subagent.
func (a Agent) prefix() string {
	if a.ID == "" {
		return ""
	}
	return "[" + terminal.Line(a.Label, maxLabel) + "] "
}

// Prefix begins the lines about the agent; it is empty for the one that the human
// talks with.
func (r *Reporter) Prefix() string { return r.agent.prefix() }

func (p *plain) mode(m Mode) {
	p.say(Agent{}, "", "mode", yellow, " "+terminal.Plain(m.Text))
}

func (p *plain) turn(a Agent, e session.Entry) {
	if e.Type != session.EventTurnEnd {
		return
	}
	end := e.End()
	if end.Kind == session.EndCompleted {
		return
	}
	p.say(a, "", "turn", red, " "+terminal.Line(fmt.Sprintf("%d %s%s", e.Turn(), end.Kind, Why(end)), maxText))
}

// Why says in words why a turn ended; it is the end of a message.
func Why(end session.End) string {
	switch {
	case end.Failure != nil:
		return fmt.Sprintf(": %s (%s)", end.Failure.Message, end.Failure.Code)
	case end.Cause != nil:
		return ": " + end.Cause.Error()
	case end.Reason != "":
		return ": " + end.Reason
	}
	return ""
}

func (p *plain) piece(a Agent, text string) {
	if a.ID == "" {
		p.prose.more(text)
	}
}

func (p *plain) broken(a Agent) {
	if a.ID == "" {
		p.prose.done()
		p.say(a, "", "broken", yellow, ": the answer ends here, and does not count")
	}
}

// text shows an answer. Those of subagents are for the agent that they work for.
func (p *plain) text(a Agent, _ session.Entry, text, rest string) {
	if a.ID == "" {
		p.prose.more(rest)
		p.prose.done()
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Plain(text), "\n"), "\n") {
		fmt.Fprintln(p.err, a.prefix()+line)
	}
}

func (p *plain) call(a Agent, _ session.Entry, _, name string, arguments value.Value) {
	p.say(a, "", "> "+name, faint, " "+terminal.Line(tool.Preview(arguments), maxText))
}

func (p *plain) result(a Agent, _ session.Entry, r result) {
	if r.failed {
		p.say(a, "", "< "+r.tool, faint, fmt.Sprintf(" failed, %d ms: %s", r.tookMS, terminal.Line(firstText(r.content), maxText)))
		return
	}
	p.say(a, "", "< "+r.tool, faint, fmt.Sprintf(" done, %d ms", r.tookMS))
}

func firstText(parts []session.Part) string {
	for _, part := range parts {
		if t, ok := part.(session.Text); ok {
			return strings.TrimPrefix(t.Text, "Error: ")
		}
	}
	return ""
}

func (p *plain) decision(a Agent, d Decision) {
	rest := ""
	if reason := d.Reason(); reason != "" {
		rest = ": " + terminal.Line(reason, maxText)
	}
	p.say(a, "  ", d.Kind(), colors[d.Kind()], rest+"  ("+terminal.Line(d.Place(), maxText)+")")
}

func (p *plain) approval(a Agent, r tool.ApprovalRecord) {
	if r.Outcome != "" {
		p.say(a, "  ", string(r.Outcome), colors[string(r.Outcome)], ": "+terminal.Line(r.Tool, maxText))
	}
}

func (p *plain) note(a Agent, kind, text string) {
	p.say(a, "", kind, colors[kind], ": "+terminal.Line(text, maxText))
}
