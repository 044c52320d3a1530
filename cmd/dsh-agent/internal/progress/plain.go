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
	out, err io.Writer
	color    bool
}

// maxText bounds one line, in characters.
const maxText = 300

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
func (p *plain) say(indent, word, color, rest string) {
	word = terminal.Plain(word)
	if p.color && color != "" {
		word = "\x1b[" + color + "m" + word + "\x1b[0m"
	}
	fmt.Fprintln(p.err, strings.TrimRight(indent+word+rest, " "))
}

func (p *plain) session(h session.Header, path, source string) {
	where := "in memory"
	if path != "" {
		where = path
	}
	p.say("", "session", faint, " "+terminal.Line(fmt.Sprintf("%s (%s): %s", h.ID, source, where), maxText))
}

func (p *plain) turn(e session.Entry) {
	if e.Type != session.EventTurnEnd {
		return
	}
	end := e.End()
	if end.Kind == session.EndCompleted {
		return
	}
	p.say("", "turn", red, " "+terminal.Line(fmt.Sprintf("%d %s%s", e.Turn(), end.Kind, why(end)), maxText))
}

// why says in words how a turn ended.
func why(end session.End) string {
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

func (p *plain) text(_ session.Entry, text string) {
	fmt.Fprintln(p.out, strings.TrimRight(terminal.Plain(text), "\n"))
}

func (p *plain) call(_ session.Entry, _, name string, arguments value.Value) {
	p.say("", "> "+name, faint, " "+terminal.Line(tool.Preview(arguments), maxText))
}

func (p *plain) result(_ session.Entry, r result) {
	if r.failed {
		p.say("", "< "+r.tool, faint, fmt.Sprintf(" failed, %d ms: %s", r.tookMS, terminal.Line(firstText(r.content), maxText)))
		return
	}
	p.say("", "< "+r.tool, faint, fmt.Sprintf(" done, %d ms", r.tookMS))
}

func firstText(parts []session.Part) string {
	for _, part := range parts {
		if t, ok := part.(session.Text); ok {
			return strings.TrimPrefix(t.Text, "Error: ")
		}
	}
	return ""
}

func (p *plain) decision(d Decision) {
	rest := ""
	if reason := d.Reason(); reason != "" {
		rest = ": " + terminal.Line(reason, maxText)
	}
	p.say("  ", d.Kind(), colors[d.Kind()], rest+"  ("+terminal.Line(d.Place(), maxText)+")")
}

func (p *plain) approval(r tool.ApprovalRecord) {
	if r.Outcome != "" {
		p.say("  ", string(r.Outcome), colors[string(r.Outcome)], ": "+terminal.Line(r.Tool, maxText))
	}
}

func (p *plain) note(kind, text string) {
	p.say("", kind, colors[kind], ": "+terminal.Line(text, maxText))
}
