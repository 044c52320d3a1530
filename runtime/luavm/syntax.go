package luavm

import (
	"errors"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// A tree is a source as the parser sees it.
type tree struct {
	chunk []ast.Stmt
	// locals lists for each "local" of the source whether "function" follows: the
	// chunk does not tell "local function f" from "local f = function".
	locals []bool
}

// parseSource reads source into a syntax tree. Its errors have a real line and
// column, also at the end of the file.
func parseSource(file, source string) (parsed tree, fault *Error) {
	s := newScanner(file, source)
	text, fault := s.check()
	if fault != nil {
		return tree{}, fault
	}
	defer func() {
		if r := recover(); r != nil { // a parser that panics has not understood the source
			parsed, fault = tree{}, &Error{File: file, Line: 1, Msg: "the source cannot be parsed"}
		}
	}()
	chunk, err := parse.Parse(strings.NewReader(text), file)
	if err == nil {
		return tree{chunk, s.locals}, nil
	}
	var at *parse.Error
	if !errors.As(err, &at) {
		return tree{}, &Error{File: file, Line: 1, Msg: "the source cannot be parsed"}
	}
	tokens := newScanner(file, source).tokens()
	if at.Pos.Line == parse.EOF {
		return tree{}, errorAtEnd(file, tokens)
	}
	return tree{}, errorAtToken(file, tokens, tokenAt(tokens, at.Pos.Line, at.Pos.Column))
}

// tokenAt returns the index of the last token that starts at or before the position.
func tokenAt(tokens []token, line, col int) int {
	at := 0
	for i, t := range tokens {
		if t.line > line || t.line == line && t.col > max(col, 1) {
			break
		}
		at = i
	}
	return at
}

func errorAtToken(file string, tokens []token, i int) *Error {
	if len(tokens) == 0 {
		return &Error{File: file, Line: 1, Column: 1, Msg: "syntax error"}
	}
	if tokens[i].kind == tokenEnd {
		return errorAtEnd(file, tokens)
	}
	hint, at := syntaxHint(tokens, i)
	t := tokens[at]
	return &Error{
		File: file, Line: t.line, Column: t.col,
		Msg: "syntax error near '" + shorten(t.text) + "'", Hint: hint,
	}
}

func errorAtEnd(file string, tokens []token) *Error {
	e := &Error{File: file, Line: 1, Column: 1, Msg: "syntax error: the file ends too early"}
	if len(tokens) == 0 {
		return e
	}
	last := tokens[max(0, len(tokens)-2)] // before the end itself
	e.Line, e.Column = last.line, last.col+len(last.text)
	if i := strings.LastIndexByte(last.text, '\n'); i >= 0 {
		e.Line, e.Column = last.line+strings.Count(last.text, "\n"), len(last.text)-i
	}
	if open, ok := unclosed(tokens); ok {
		if inner, ok := deeper(tokens); ok {
			open = inner
		}
		e.Hint = "'" + open.text + "' on line " + itoa(open.line) + " is not closed"
	}
	if hint := braceBlock(tokens, len(tokens)-1); hint != "" {
		e.Hint = hint
	}
	if line := elseIf(tokens); line > 0 {
		e.Hint = elseIfHint(line)
	}
	return e
}

// closers says which tokens open a block or bracket, and what closes it. A while
// or for is closed through its do, an if through its then.
var closers = map[string]string{
	"function": "end", "do": "end", "then": "end", "repeat": "until", "(": ")", "{": "}", "[": "]",
}

// unclosed returns the innermost token that opens something which never closes.
func unclosed(tokens []token) (token, bool) {
	var open []token
	for _, t := range tokens {
		if t.kind != tokenName && t.kind != tokenOp {
			continue
		}
		switch {
		case closers[t.text] != "":
			open = append(open, t)
		case len(open) == 0:
		case t.text == closers[open[len(open)-1].text],
			(t.text == "elseif" || t.text == "else") && open[len(open)-1].text == "then":
			open = open[:len(open)-1]
			if t.text == "else" {
				t.text = "then"
				open = append(open, t)
			}
		}
	}
	if len(open) == 0 {
		return token{}, false
	}
	return open[len(open)-1], true
}

// deeper returns the last word that opens a block whose end stands further left than
// the line of the word: where lines are indented by blocks, that end was meant for a
// block around it.
func deeper(tokens []token) (opener token, ok bool) {
	var open []token
	indent := map[int]int{} // by line
	for _, t := range tokens {
		if _, known := indent[t.line]; !known {
			indent[t.line] = t.col
		}
		switch {
		case t.kind != tokenName:
		case t.text == "function" || t.text == "do" || t.text == "then" || t.text == "repeat":
			open = append(open, t)
		case len(open) > 0 && (t.text == "elseif" || t.text == "end" || t.text == "until"):
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if t.col == indent[t.line] && t.col < indent[last.line] {
				opener, ok = last, true
			}
		}
	}
	return opener, ok
}

func matches(tokens []token, at int, texts []string) bool {
	if at < 0 || at+len(texts) > len(tokens) {
		return false
	}
	for k, text := range texts {
		t := tokens[at+k]
		if t.text != text || k > 0 && t.offset != tokens[at+k-1].offset+len(tokens[at+k-1].text) && len(text) == 1 {
			return false
		}
	}
	return true
}

// inCondition reports whether the tokens end within "if ... then" or "while ... do".
func inCondition(before []token) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i].text {
		case "if", "elseif", "while", "until":
			return true
		case "then", "do", "end", "{", "function", ";":
			return false
		}
	}
	return false
}

// inTable reports whether the innermost open bracket is a table's.
func inTable(before []token) bool {
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].kind != tokenOp && before[i].kind != tokenName {
			continue
		}
		switch before[i].text {
		case "}", ")", "]", "end":
			depth++
		case "{", "(", "[", "function", "do", "then":
			if depth == 0 {
				return before[i].text == "{"
			}
			depth--
		}
	}
	return false
}

func endsValue(t token) bool {
	switch t.kind {
	case tokenName, tokenNumber, tokenString:
		return true
	case tokenOp:
		return t.text == ")" || t.text == "}" || t.text == "]" || t.text == "..."
	case tokenEnd:
	}
	return false
}
