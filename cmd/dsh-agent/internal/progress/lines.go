package progress

import (
	"io"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// lines is the form for programs.
type lines struct{ out io.Writer }

// write writes one event. Members that are absent are left out.
func (l *lines) write(kind string, members ...value.Member) {
	v := value.OfObject(append([]value.Member{str("type", kind)}, members...)...)
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

func (l *lines) session(h session.Header, path, source string) {
	l.write("session", str("id", h.ID), str("source", source), str("file", path), str("cwd", h.Cwd), str("project", h.Project), str("parent", h.Parent))
}

func (l *lines) turn(e session.Entry) {
	if e.Type == session.EventTurnStart {
		l.write("turn-start", turn(e))
		return
	}
	l.write("turn-end", turn(e), value.Member{Key: "end", Value: e.Data.Get("end")})
}

func (l *lines) text(e session.Entry, text string) { l.write("text", turn(e), str("text", text)) }

func (l *lines) call(e session.Entry, id, name string, arguments value.Value) {
	l.write("call", turn(e), str("id", id), str("tool", name), value.Member{Key: "arguments", Value: arguments})
}

func (l *lines) result(e session.Entry, r result) {
	parts := make([]value.Value, len(r.content))
	for i, part := range r.content {
		parts[i] = session.EncodePart(part)
	}
	l.write("result", turn(e), str("id", r.id), str("tool", r.tool), value.Member{Key: "failed", Value: value.OfBool(r.failed)},
		value.Member{Key: "content", Value: value.OfList(parts...)}, num("took_ms", r.tookMS))
}

func (l *lines) decision(d Decision) {
	fault := ""
	if d.Fault != nil {
		fault = d.Fault.Error()
	}
	l.write("decision", str("point", d.Point), str("extension", d.Extension), str("rule", d.Rule), str("at", d.At),
		value.Member{Key: "answer", Value: d.Answer}, str("fault", fault))
}

func (l *lines) approval(r tool.ApprovalRecord) {
	if r.Outcome == "" {
		l.write("approval-asked", str("id", r.Call), str("tool", r.Tool), str("reason", r.Reason))
		return
	}
	l.write("approval", str("id", r.Call), str("tool", r.Tool), str("outcome", string(r.Outcome)))
}

func (l *lines) note(kind, text string) { l.write(kind, str("text", text)) }
