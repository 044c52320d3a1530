package hookproto

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Invoked is the durable record of a hook that is about to run. There is one
// [Answered] of the same handler in the same turn for every Invoked.
type Invoked struct {
	Turn      int     `json:"turn"`
	Point     string  `json:"point"` // the event
	Dialect   string  `json:"dialect"`
	HandlerID string  `json:"handlerId"`
	Matcher   *string `json:"matcher,omitempty"` // nil if the group has none
}

// Answered is the durable record of a hook that has run. What it printed is not
// in it, beyond the beginning of its standard error.
type Answered struct {
	Turn      int    `json:"turn"`
	Point     string `json:"point"`
	HandlerID string `json:"handlerId"`
	// Decision is what was decided, in the hook's own word, else "stop" if it ends the
	// turn, else "pass".
	Decision      string  `json:"decision"`
	ExitCode      *int    `json:"exitCode,omitempty"` // nil: it did not exit by itself
	StderrSummary string  `json:"stderrSummary,omitempty"`
	DurationMS    float64 `json:"durationMs"`
}

// The types of the records in a session log.
const (
	InvokedType  = "hook/invoked"
	AnsweredType = "hook/result"
)

// SummaryLimit is how many characters of standard error are kept in a record
// when nothing else is said.
const SummaryLimit = 500

// NewInvoked returns the record of a handler before it runs.
func NewInvoked(turn int, dialect string, h Handler) Invoked {
	return Invoked{Turn: turn, Point: h.Event, Dialect: dialect, HandlerID: h.ID, Matcher: h.Matcher}
}

// NewAnswered returns the record of a handler that has run. At most limit
// characters of its standard error are kept.
func NewAnswered(turn int, c Completed, limit int) Answered {
	a := Answered{
		Turn: turn, Point: c.Handler.Event, HandlerID: c.Handler.ID, Decision: decisionWord(c.Output),
		DurationMS: float64(max(0, c.Result.Took)) / float64(time.Millisecond),
	}
	if c.Result.Exit >= 0 {
		a.ExitCode = &c.Result.Exit
	}
	stderr := UTF8(c.Result.Stderr)
	if c.Result.Err != nil {
		stderr = c.Result.Err.Error()
	}
	a.StderrSummary = Summary(stderr, limit)
	return a
}

func decisionWord(o Output) string {
	switch {
	case o.Word != "":
		return o.Word
	case o.Decision != NoDecision:
		return string(o.Decision)
	case o.Halt:
		return "stop"
	}
	return "pass"
}

// Summary returns at most limit characters of text without the white space
// around it, and a sign if something is missing. It is empty if text is blank.
func Summary(text string, limit int) string {
	text = Trim(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	n := 0
	for at := range text {
		if n == limit {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// Trim removes what both clients take for white space around an output: that of
// JavaScript, with line ends and the byte order mark.
func Trim(s string) string { return strings.TrimFunc(s, isSpace) }

// isSpace is the white space of JavaScript.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0x202F || r == 0x205F || r == 0x3000 || r == 0xFEFF
}
