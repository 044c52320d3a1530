package progress

import (
	"io"
	"strings"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
)

// prose writes a text that arrives in pieces: at a terminal at once, elsewhere
// whole lines only. Line ends at the end of the text make one.
type prose struct {
	out     io.Writer
	live    bool
	held    string // the line under way, elsewhere
	open    bool   // a line is under way
	pending int    // empty lines that count only if more follows
}

func (p *prose) more(text string) {
	text = terminal.Plain(text)
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		if line != "" {
			p.write(strings.Repeat("\n", p.pending) + line)
			p.open, p.pending = true, 0
		}
		switch {
		case ended && p.open:
			p.end()
		case ended:
			p.pending++
		}
		text = rest
	}
}

func (p *prose) write(text string) {
	if !p.live {
		p.held += text
		return
	}
	_, _ = io.WriteString(p.out, text)
}

// end ends the line under way.
func (p *prose) end() {
	if p.open {
		p.write("\n")
	}
	p.open = false
	if p.held != "" {
		_, _ = io.WriteString(p.out, p.held)
		p.held = ""
	}
}

// done ends the text.
func (p *prose) done() {
	p.end()
	p.pending = 0
}

// aside makes room for a line of another writer on the same terminal.
func (p *prose) aside() {
	if p.live {
		p.end()
	}
}
