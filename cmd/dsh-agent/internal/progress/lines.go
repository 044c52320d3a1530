package progress

import (
	"io"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// lines is the form for programs.
type lines struct{ out io.Writer }

// write writes one event of an agent. Members that are absent are left out.
func (l *lines) write(a Agent, kind string, members ...value.Member) {
	v := value.OfObject(append([]value.Member{str("type", kind), str("agent", a.ID)}, members...)...)
	_, _ = l.out.Write(append(v.AppendJSON(nil), '\n'))
}

func str(key, s string) value.Member {
	if s == "" {
		return value.Member{Key: key}
	}
	return value.Member{Key: key, Value: value.OfString(s)}
}

func num(key string, n int64) value.Member { return value.Member{Key: key, Value: value.OfInt(n)} }

func turn(e session.Entry) value.Member { return num("turn", int64(e.Turn())) }

func (l *lines) session(a Agent, h session.Header, path, source string) {
	l.write(a, "session", str("id", h.ID), str("source", source), str("file", path), str("cwd", h.Cwd), str("project", h.Project), str("parent", h.Parent))
}

func (l *lines) mode(m Mode) {
	l.write(Agent{}, "mode", str("ask", m.Ask), str("answer", m.Answer), str("workspace", m.Workspace), str("text", m.Text))
}

func (l *lines) turn(a Agent, e session.Entry) {
	if e.Type == session.EventTurnStart {
		l.write(a, "turn-start", turn(e))
		return
	}
	l.write(a, "turn-end", turn(e), value.Member{Key: "end", Value: e.Data.Get("end")})
}

// piece shows nothing: an answer is one event.
func (*lines) piece(Agent, string) {}

func (*lines) broken(Agent) {}

func (l *lines) text(a Agent, e session.Entry, text, _ string) {
	l.write(a, "text", turn(e), str("text", text))
}

func (l *lines) call(a Agent, e session.Entry, id, name string, arguments value.Value) {
	l.write(a, "call", turn(e), str("id", id), str("tool", name), value.Member{Key: "arguments", Value: arguments})
}

func (l *lines) result(a Agent, e session.Entry, r result) {
	parts := make([]value.Value, len(r.content))
	for i, part := range r.content {
		parts[i] = session.EncodePart(part)
	}
	l.write(a, "result", turn(e), str("id", r.id), str("tool", r.tool), value.Member{Key: "failed", Value: value.OfBool(r.failed)},
		value.Member{Key: "content", Value: value.OfList(parts...)}, num("took_ms", r.tookMS))
}

func (l *lines) decision(a Agent, d Decision) {
	fault := ""
	if d.Fault != nil {
		fault = d.Fault.Error()
	}
	l.write(a, "decision", str("point", d.Point), str("extension", d.Extension), str("rule", d.Rule), str("at", d.At),
		value.Member{Key: "answer", Value: d.Answer}, str("fault", fault))
}

func (l *lines) approval(a Agent, r tool.ApprovalRecord) {
	if r.Outcome == "" {
		l.write(a, "approval-asked", str("id", r.Call), str("tool", r.Tool), str("reason", r.Reason))
		return
	}
	l.write(a, "approval", str("id", r.Call), str("tool", r.Tool), str("outcome", string(r.Outcome)))
}

func (l *lines) note(a Agent, kind, text string) { l.write(a, kind, str("text", text)) }
