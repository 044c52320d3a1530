package codex

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DefaultContextLimit is how much text of one handler goes to the model whole,
// in tokens.
const DefaultContextLimit = 2500

const bytesPerToken = 4

// Tokens is the client's estimate of a text's length.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// Spills reports whether a context, a stop's prompt or a tool's feedback is too
// long to go to the model whole. A limit of 0 lets everything through; a
// negative one is [DefaultContextLimit].
func Spills(text string, limit int) bool {
	return limit != 0 && Tokens(text) > effective(limit)
}

func effective(limit int) int {
	if limit < 0 {
		return DefaultContextLimit
	}
	return limit
}

// Spilled returns what the model reads of a text that spills: its head and its
// tail, how much is missing, and the file that has all of it.
func Spilled(text string, limit int, file string) string {
	if !Spills(text, limit) {
		return text
	}
	half := effective(limit) * bytesPerToken / 2
	head, tail := text[:half], text[len(text)-half:]
	for head != "" && !utf8.ValidString(lastRune(head)) {
		head = head[:len(head)-1]
	}
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	left := Tokens(text[len(head) : len(text)-len(tail)])
	return fmt.Sprintf("%s\n[about %d tokens left out]\n%s\n\nAll of it: %s", head, left, tail, file)
}

// lastRune returns the bytes from the last start of a character.
func lastRune(s string) string {
	for i := len(s) - 1; i >= 0 && len(s)-i <= utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}

// Prompt is how the reason of a hook that blocked a stop stands in the message
// that goes on with the turn: one part for each handler, in configured order.
func Prompt(runID, reason string) string {
	return `<hook_prompt hook_run_id="` + strings.ReplaceAll(escapeText(runID), `"`, "&quot;") + `">` + escapeText(reason) + "</hook_prompt>"
}

// RunID names the run of a handler in a [Prompt]: the event, the handler's place
// among all listed, from 0, and its source file.
func RunID(event string, order int, source string) string {
	e, _ := Lookup(event)
	return fmt.Sprintf("%s:%d:%s", strings.ReplaceAll(e.Snake, "_", "-"), order, source)
}

func escapeText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
