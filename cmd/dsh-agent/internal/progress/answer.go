package progress

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
)

// An answer is what was shown of an answer that still arrives.
type answer struct {
	shown strings.Builder
	begun bool
	block int  // that text came from last
	mixed bool // blocks take turns: the rest is shown when the answer is whole
}

// chunk returns the text to show of the next chunk. broke is true if the answer
// ends in a failure.
func (a *answer) chunk(e session.Entry) (text string, broke bool) {
	chunk := e.Data.Get("chunk")
	index, _ := chunk.Get("index").Int()
	switch chunk.Get("kind").String() {
	case "text-delta":
		return a.piece(int(index), chunk.Get("text").String()), false
	case "block-end":
		block := chunk.Get("block")
		if block.Get("kind").String() == "text" && (!a.begun || a.block != int(index)) {
			return a.piece(int(index), block.Get("text").String()), false
		}
	case "finish":
		return "", !chunk.Get("failure").IsAbsent()
	}
	return "", false
}

// piece returns what a piece of the text of a block adds to what is shown.
func (a *answer) piece(block int, text string) string {
	a.mixed = a.mixed || a.begun && block < a.block
	if a.mixed {
		return ""
	}
	if a.begun && block != a.block {
		text = "\n" + text
	}
	a.begun, a.block = true, block
	a.shown.WriteString(text)
	return text
}

// rest returns what is missing of the whole text; false if what was shown is not
// its beginning.
func (a *answer) rest(whole string) (string, bool) {
	return strings.CutPrefix(whole, a.shown.String())
}

// empty reports whether nothing was shown.
func (a *answer) empty() bool { return a.shown.Len() == 0 }
