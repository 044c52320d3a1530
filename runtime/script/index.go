package script

import (
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/point"
)

// A Registration is one call of dsh.on.
type Registration struct {
	Point  string
	Filter point.Filter
	Rule   string // as written; empty if the filter names none
	Raw    bool
	Line   int
}

// An Index is what can be read off a file without compiling it.
type Index struct {
	// Known is true if the registrations are all there are. A file that the
	// scanner does not understand in full counts as concerning everything.
	Known         bool
	Registrations []Registration
}

// Scan reads the calls of dsh.on off a source text, without compiling or running
// it. It understands calls at file level with a literal point and a literal
// filter; whatever else mentions dsh in a way that could register something (an
// alias, a call inside a function or a branch, a computed name) makes the index
// not Known.
func Scan(source string) Index {
	s := scanner{lexer: lexer{text: strings.TrimPrefix(source, "\xef\xbb\xbf"), line: 1}, known: true}
	if strings.HasPrefix(s.text, "#") {
		return Index{} // a first line that is not Lua
	}
	s.advance()
	for s.known && s.tok.kind != tokEnd {
		s.statement()
	}
	return Index{s.known, s.found}
}

// scanner follows the nesting of blocks, and reads the calls of dsh.on.
type scanner struct {
	lexer
	tok       token
	before    token  // the one before tok
	blocks    []bool // open blocks; true for functions
	functions int
	handler   bool // the outermost block is a handler, written where it is attached
	found     []Registration
	known     bool
}

func (s *scanner) advance() {
	s.before, s.tok = s.tok, s.next()
	if s.tok.kind == tokBad {
		s.known = false
	}
}

// A word is what a name means to the scanner.
type word uint8

const (
	wordPlain  word = iota
	wordBlock       // it opens a block; the do of a loop stands for the loop
	wordClose       // it closes one
	wordOpaque      // it may reach dsh by another name, or leave out a part of the file
	wordReturn
	wordRequire
	wordDsh
)

// wordOf says what a name means, and whether an expression goes on behind it. It is
// a switch, where a map would be filled at each start and asked for each name of
// every policy.
func wordOf(name string) (w word, opens bool) {
	switch name {
	case "and", "or", "not", "while", "elseif", "in", "local":
		return wordPlain, true
	case "if", "function":
		return wordBlock, true
	case "do", "repeat":
		return wordBlock, false
	case "end":
		return wordClose, false
	case "until":
		return wordClose, true
	case "_G", "goto":
		return wordOpaque, false
	case "return":
		return wordReturn, true
	case "require":
		return wordRequire, false
	case "dsh":
		return wordDsh, false
	}
	return wordPlain, false
}

// endSymbols are the characters of symbols at which an expression or a statement
// may end.
const endSymbols = ")}];"

// ends reports whether a statement may begin behind t.
func (t token) ends() bool {
	switch t.kind {
	case tokName:
		_, opens := wordOf(t.text)
		return !opens
	case tokSymbol:
		return t.text == "..." || len(t.text) == 1 && strings.Contains(endSymbols, t.text)
	case tokEnd, tokString, tokOpaque:
		return true
	case tokBad:
	}
	return false
}

func (s *scanner) statement() {
	if s.tok.kind != tokName || s.before.kind == tokSymbol && (s.before.text == "." || s.before.text == ":") {
		s.advance()
		return
	}
	switch w, _ := wordOf(s.tok.text); {
	case w == wordDsh:
		s.mention()
	case w == wordRequire:
		s.module()
	case w == wordOpaque, w == wordReturn && s.functions == 0 && len(s.blocks) > 0:
		s.known = false
	case w == wordBlock:
		function := s.tok.text == "function"
		s.blocks = append(s.blocks, function)
		if function {
			s.functions++
		}
		s.advance()
	case w == wordClose:
		s.closeBlock()
	default:
		s.advance()
	}
}

func (s *scanner) closeBlock() {
	n := len(s.blocks) - 1
	if n < 0 {
		s.known = false
		return
	}
	if s.blocks[n] {
		s.functions--
	}
	s.blocks = s.blocks[:n]
	s.advance()
	if n == 0 && s.handler {
		s.handler = false
		s.known = s.known && s.tok.kind == tokSymbol && s.tok.text == ")"
	}
}

// mention reads what follows the name dsh: a member other than on is harmless.
func (s *scanner) mention() {
	line, begins := s.tok.line, s.before.ends() && len(s.blocks) == 0
	s.advance()
	if !s.symbol(".") || s.tok.kind != tokName {
		s.known = false
		return
	}
	on := s.tok.text == "on"
	if s.advance(); !on {
		return
	}
	reg := Registration{Line: line}
	if !begins || !s.arguments(&reg) {
		s.known = false
		return
	}
	s.found = append(s.found, reg)
}

// module reads what follows the name require: a standard module is harmless, but
// a file could hand out dsh.on.
func (s *scanner) module() {
	s.advance()
	s.symbol("(")
	s.known = s.known && s.tok.kind == tokString && stdlib.Has(s.tok.text)
	s.advance()
}

// arguments reads those of dsh.on up to the handler.
func (s *scanner) arguments(reg *Registration) bool {
	if !s.symbol("(") || s.tok.kind != tokString {
		return false
	}
	reg.Point = s.tok.text
	s.advance()
	if !s.symbol(",") {
		return false
	}
	if s.tok.kind == tokSymbol && s.tok.text == "{" {
		if !s.filter(reg) || !s.symbol(",") {
			return false
		}
	}
	if s.tok.kind == tokName && s.tok.text == "function" {
		s.handler = true
		return true
	}
	// A handler by name could be a table that holds the filter.
	return s.tok.kind == tokName && s.handlerName()
}

// handlerName accepts a plain name as the last argument.
func (s *scanner) handlerName() bool {
	if w, _ := wordOf(s.tok.text); w != wordPlain && w != wordReturn {
		return false
	}
	s.advance()
	return s.tok.kind == tokSymbol && s.tok.text == ")"
}

// symbol consumes the given symbol, if it is there.
func (s *scanner) symbol(text string) bool {
	if s.tok.kind != tokSymbol || s.tok.text != text {
		return false
	}
	s.advance()
	return true
}

// filter reads a table of literals.
func (s *scanner) filter(reg *Registration) bool {
	s.advance()
	for {
		if s.symbol("}") {
			return true
		}
		key := s.tok
		s.advance()
		if key.kind != tokName || !s.symbol("=") || !s.field(key.text, reg) {
			return false
		}
		if !s.symbol(",") && !s.symbol(";") {
			return s.symbol("}")
		}
	}
}

func (s *scanner) field(key string, reg *Registration) bool {
	switch key {
	case "rule":
		if reg.Rule != "" {
			return false
		}
		reg.Rule = s.tok.text
		return reg.Rule != "" && s.literal(tokString)
	case "raw":
		reg.Raw = s.tok.text == "true"
		return (reg.Raw || s.tok.text == "false") && s.literal(tokName)
	}
	list := filterList(&reg.Filter, key)
	if list == nil || len(*list) > 0 {
		return false
	}
	if s.tok.kind == tokString {
		*list = append(*list, s.tok.text)
		return s.literal(tokString)
	}
	if !s.symbol("{") {
		return false
	}
	for s.tok.kind == tokString {
		*list = append(*list, s.tok.text)
		s.advance()
		if !s.symbol(",") {
			break
		}
	}
	return s.symbol("}") && len(*list) > 0
}

func (s *scanner) literal(kind tokenKind) bool {
	if s.tok.kind != kind {
		return false
	}
	s.advance()
	return true
}

// filterList returns the list of f that a filter table spells key, or nil.
func filterList(f *point.Filter, key string) *[]string {
	switch point.FilterField(key) {
	case point.FilterTool:
		return &f.Tool
	case point.FilterAction:
		return &f.Action
	case point.FilterMatch:
		return &f.Match
	}
	return nil
}

// Concerns reports whether a file with this index may have something to say at
// the named point about subject.
func (x Index) Concerns(name string, subject point.Subject) bool {
	if !x.Known {
		return true
	}
	for _, r := range x.Registrations {
		if r.Point == name && r.Filter.Fits(subject) {
			return true
		}
	}
	return false
}
