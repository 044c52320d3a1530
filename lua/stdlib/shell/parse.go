package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The limits of one line.
const (
	MaxLine     = 64 << 10 // bytes
	MaxNesting  = 100      // brackets within each other
	MaxBrackets = 4000     // brackets that open
	MaxSteps    = 20_000   // a step is a node that is walked, or 64 bytes of text that is made
	MaxCommands = 500
	maxShells   = 8   // shells within each other
	maxCalls    = 100 // statements within each other, functions included
)

// internalProblem is the problem of a line that this package fails on.
const internalProblem = "the line cannot be read: internal error"

// Options say what is known of the world around a line. Their zero value is
// nothing.
type Options struct {
	// Cwd is the absolute directory in which the line starts.
	Cwd string
	// Home is the absolute home directory of the user.
	Home string
}

// A Parser reads lines. Its zero value is ready; it may be used again and not by
// two goroutines at once.
type Parser struct {
	syntax *syntax.Parser
	reader strings.Reader
}

// Parse reads one line with a parser of its own.
func Parse(line string, opts Options) *Line { return new(Parser).Parse(line, opts) }

// Parse reads a line. It never fails: what cannot be read is told by
// [Line.Problem].
func (p *Parser) Parse(line string, opts Options) (out *Line) {
	w := &walker{parser: p, line: &Line{Commands: make([]Command, 0, 4)}}
	defer func() {
		if r := recover(); r != nil { // a mistake in here must not let a line through
			p.syntax = nil
			w.line.Problem = internalProblem
			out = w.line
		}
	}()
	st := state{cwd: opts.Cwd, home: opts.Home}
	w.script(&st, line, Input{})
	w.line.Steps = w.steps + 1
	return w.line
}

// parse returns the statements of a script: of a broken one those before the
// mistake.
func (p *Parser) parse(text string) ([]*syntax.Stmt, error) {
	if err := readable(text); err != nil {
		return nil, err
	}
	if p.syntax == nil {
		p.syntax = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	p.reader.Reset(text)
	file, err := p.syntax.Parse(&p.reader, "")
	if err == nil {
		return file.Stmts, nil
	}
	var whole []*syntax.Stmt
	broken := false
	for stmt, err := range p.syntax.StmtsSeq(strings.NewReader(text)) {
		// Not left at the first error: the sequence may go on after it, and must not
		// be stopped there.
		if broken = broken || err != nil; !broken {
			whole = append(whole, stmt)
		}
	}
	return whole, err
}

// readable checks what the parser would recurse into, with a bound that no quote
// can hide.
func readable(text string) error {
	if len(text) > MaxLine {
		return fmt.Errorf("the line is %d bytes long; %d can be read", len(text), MaxLine)
	}
	depth, deepest, all := 0, 0, 0
	for i := range len(text) {
		switch text[i] {
		case 0:
			return fmt.Errorf("there is a NUL at byte %d", i)
		case '(', '{', '[':
			all++
			depth++
			deepest = max(deepest, depth)
		case '`':
			all++
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	if deepest > MaxNesting || all > MaxBrackets {
		return fmt.Errorf("%d brackets, up to %d within each other; %d and %d can be read", all, deepest, MaxBrackets, MaxNesting)
	}
	return nil
}

// A walker goes over one line as a shell would.
type walker struct {
	parser *Parser
	line   *Line
	src    string // of the script that is walked
	place  Context
	via    []string
	files  []written
	pipes  int
	steps  int
	bytes  int
	calls  int
	// feeding lists the commands whose output the command that is expanded reads.
	feeding []int
	done    bool // a limit has ended the walk

	// Room for what is made in small pieces.
	made []Word
	ints []int
}

// stop ends the walk.
func (w *walker) stop(problem string) {
	w.doubt(problem)
	w.done = true
}

// doubt notes that there may be more commands than are found.
func (w *walker) doubt(problem string) {
	if w.line.Problem == "" {
		w.line.Problem = problem
	}
}

// step counts a step and reports whether the walk may go on.
func (w *walker) step() bool {
	w.steps++
	if w.steps > MaxSteps && !w.done {
		w.stop("the line takes too long to walk")
	}
	return !w.done
}

// spend counts the bytes of a text that is made.
func (w *walker) spend(n int) bool {
	w.bytes += n
	w.steps += w.bytes >> 6
	w.bytes &= 63
	return w.step()
}

// script walks a text in the shell st.
func (w *walker) script(st *state, text string, in Input) output {
	if st.depth > maxShells {
		w.stop("too many shells within each other")
		return output{}
	}
	if !w.spend(len(text)) {
		return output{}
	}
	stmts, err := w.parser.parse(text)
	if err != nil {
		w.doubt(err.Error())
	}
	src, depth := w.src, w.place.Depth
	w.src, w.place.Depth = text, st.depth
	out := w.stmts(st, stmts, in)
	w.src, w.place.Depth = src, depth
	return out
}

// begin enters a statement and reports whether it may be walked.
func (w *walker) begin() bool {
	w.calls++
	if w.calls > maxCalls && !w.done {
		w.stop("the line is nested too deep")
	}
	return w.step()
}

func (w *walker) end() { w.calls-- }

const roomWords = 24

// room returns an empty list of words with a capacity of n.
func (w *walker) room(n int) []Word {
	if cap(w.made)-len(w.made) < n {
		w.made = make([]Word, 0, max(n, roomWords))
	}
	at := len(w.made)
	w.made = w.made[:at+n]
	return w.made[at : at : at+n]
}

// one returns the list of one index.
func (w *walker) one(i int) []int {
	if w.ints == nil {
		w.ints = make([]int, 0, 8)
	}
	w.ints = append(w.ints, i)
	n := len(w.ints)
	return w.ints[n-1 : n : n]
}
