package hookconfig

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A line is a command line, as far as it can be known without running it.
type line struct {
	err   error
	calls []call // in the order in which they are written
	// either lists what runs when something before "||" fails.
	either []call
	// unquoted lists the names of variables that the shell splits into words.
	unquoted []string
	// single lists texts within single quotes, where nothing is replaced.
	single []string
	// vars lists the names of variables that are used; given those that have a
	// default or are set in the line.
	vars  []string
	given map[string]bool
	// bash names a construction that only bash has; "" if there is none.
	bash string
	// opened lists the streams of the hook itself that are opened by their paths.
	opened []string
	// away tells that the last command is left in the background.
	away bool
	own  map[string]bool // functions
}

// A call is one simple command.
type call struct {
	words []word
	// redirected tells that its standard output goes elsewhere, and piped that it
	// goes to another command.
	redirected, piped bool
}

// A word is a word of a command with the variables that stand in it.
type word struct {
	text  string // with ${NAME} for variables
	known bool   // nothing else is in it
}

// name is the name of the command; "" if it cannot be known.
func (c call) name() string { return c.word(0) }

// word is the nth word; "" if it is not there or cannot be known.
func (c call) word(n int) string {
	if n >= len(c.words) || !c.words[n].known {
		return ""
	}
	return c.words[n].text
}

// maxLine bounds what is parsed, in bytes: the parser recurses.
const maxLine = 64 << 10

func parseLine(text string) *line {
	l := &line{given: map[string]bool{}, own: map[string]bool{}}
	if len(text) > maxLine || strings.Count(text, "(")+strings.Count(text, "{") > maxLine/64 {
		return l
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		l.err = err
		return l
	}
	if n := len(file.Stmts); n > 0 {
		l.away = file.Stmts[n-1].Background
	}
	w := &walker{line: l}
	syntax.Walk(file, w.visit)
	return l
}

// A walker reads a tree. Its stack is the way from the root to where it is.
type walker struct {
	line  *line
	stack []syntax.Node
}

func (w *walker) visit(n syntax.Node) bool {
	if n == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.FuncDecl:
		w.line.own[n.Name.Value] = true
	case *syntax.Assign:
		if n.Name != nil {
			w.line.given[n.Name.Value] = true
		}
	case *syntax.ParamExp:
		w.param(n)
	case *syntax.SglQuoted:
		w.line.single = append(w.line.single, n.Value)
	case *syntax.WordIter:
		w.line.given[n.Name.Value] = true
	case *syntax.TestClause:
		w.line.bash = "[["
	case *syntax.ArrayExpr:
		w.line.bash = "an array"
	case *syntax.ProcSubst:
		w.line.bash = "<( )"
	case *syntax.Redirect:
		w.open(readWord(n.Word), n)
		if n.Op == syntax.WordHdoc || n.Op == syntax.RdrAll || n.Op == syntax.AppAll {
			w.line.bash = n.Op.String()
		}
	}
	w.stack = append(w.stack, n)
	return true
}

func (w *walker) call(n *syntax.CallExpr) {
	c := call{}
	for _, arg := range n.Args {
		c.words = append(c.words, readWord(arg))
		w.split(arg)
	}
	for i, node := range w.stack {
		switch node := node.(type) {
		case *syntax.Stmt:
			c.redirected = c.redirected || redirected(node.Redirs)
		case *syntax.BinaryCmd:
			left := i+1 < len(w.stack) && w.stack[i+1] == node.X
			c.piped = c.piped || left && (node.Op == syntax.Pipe || node.Op == syntax.PipeAll)
		}
	}
	if len(c.words) == 0 {
		return
	}
	if c.name() == "read" || c.name() == "export" || c.name() == "local" {
		for i := range c.words {
			w.line.given[c.word(i)] = true
		}
	}
	w.line.calls = append(w.line.calls, c)
	for _, arg := range c.words[1:] {
		w.open(arg, nil)
	}
	if w.alternative() {
		w.line.either = append(w.line.either, c)
	}
}

// streams are the paths of the streams that a command has, by their numbers.
var streams = map[string]string{
	"/dev/stdin": "0", "/dev/fd/0": "0", "/proc/self/fd/0": "0", "/dev/stdout": "1", "/dev/fd/1": "1", "/proc/self/fd/1": "1",
	"/dev/stderr": "2", "/dev/fd/2": "2", "/proc/self/fd/2": "2",
}

// open notes a path that is opened, if it is one of a stream that the line has from
// the client: not from a pipe, a redirection or a substitution. own is the
// redirection that opens it, if one does.
func (w *walker) open(path word, own *syntax.Redirect) {
	number, is := streams[path.text]
	if !is || !path.known {
		return
	}
	for i, node := range w.stack {
		var next syntax.Node
		if i+1 < len(w.stack) {
			next = w.stack[i+1]
		}
		if replaced(node, next, number, own) {
			return
		}
	}
	w.line.opened = append(w.line.opened, path.text)
}

// replaced reports whether node gives what is below it, by way of next, another
// stream of the number.
func replaced(node, next syntax.Node, number string, own *syntax.Redirect) bool {
	switch node := node.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return number == "1"
	case *syntax.BinaryCmd:
		pipe := node.Op == syntax.Pipe || node.Op == syntax.PipeAll
		return pipe && (number == "1" && next == node.X || number == "0" && next == node.Y)
	case *syntax.Stmt:
		return slices.ContainsFunc(node.Redirs, func(r *syntax.Redirect) bool { return r != own && target(r) == number })
	}
	return false
}

// target is the number of the stream that a redirection replaces; "1" of those that
// replace two.
func target(r *syntax.Redirect) string {
	if r.N != nil {
		return r.N.Value
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return "0"
	default:
		return "1"
	}
}

// alternative reports whether the command at hand is what stands behind "||".
func (w *walker) alternative() bool {
	if len(w.stack) < 2 {
		return false
	}
	stmt, parent := w.stack[len(w.stack)-1], w.stack[len(w.stack)-2]
	or, is := parent.(*syntax.BinaryCmd)
	return is && or.Op == syntax.OrStmt && or.Y == stmt
}

// split notes the variables that stand unquoted in a word.
func (w *walker) split(arg *syntax.Word) {
	for _, part := range arg.Parts {
		if p, is := part.(*syntax.ParamExp); is && isName(p) && p.Exp == nil && !p.Length {
			w.line.unquoted = append(w.line.unquoted, p.Param.Value)
		}
	}
}

// isName tells a variable from $?, $1 and the like.
func isName(p *syntax.ParamExp) bool {
	return p.Param != nil && syntax.ValidName(p.Param.Value)
}

func (w *walker) param(p *syntax.ParamExp) {
	if !isName(p) {
		return
	}
	if p.Exp != nil {
		w.line.given[p.Param.Value] = true
	}
	w.line.vars = append(w.line.vars, p.Param.Value)
}

// redirected reports whether standard output goes elsewhere.
func redirected(redirs []*syntax.Redirect) bool {
	return slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.DplOut:
			return r.N == nil || r.N.Value == "1"
		case syntax.RdrAll, syntax.AppAll:
			return true
		default: // they read
			return false
		}
	})
}

func readWord(arg *syntax.Word) word {
	w := word{known: true}
	w.parts(arg.Parts)
	return w
}

func (w *word) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.text += strings.ReplaceAll(p.Value, `\\`, "")
		case *syntax.SglQuoted:
			w.text += p.Value
		case *syntax.DblQuoted:
			w.parts(p.Parts)
		case *syntax.ParamExp:
			if !isName(p) || p.Exp != nil || p.Length {
				w.known = false
				continue
			}
			w.text += "${" + p.Param.Value + "}"
		default:
			w.known = false
		}
	}
}
