package tree

import (
	"errors"
	"slices"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// ErrSyntax reports a source that is not Lua. [luavm.Compile] says what is wrong
// with it.
var ErrSyntax = errors.New("the source is not Lua")

// maxDepth bounds how deeply code may nest; it is more than the compiler takes.
const maxDepth = 20_000

// Parse reads a source.
func Parse(source string) (*File, error) {
	tokens := luavm.Tokens(source)
	f := &File{Source: source, lines: lineStarts(source)}
	f.Comments = comments(source, tokens)
	p := &parser{file: f, tokens: tokens}
	f.Main = &Function{Span: Span{0, len(source)}, Variadic: true}
	p.function = f.Main
	f.Body = p.block()
	f.Main.Body = f.Body
	if p.failed || p.tok().Kind != luavm.TokenEnd || p.tok().From != len(source) {
		return nil, ErrSyntax
	}
	return f, nil
}

func lineStarts(source string) []int {
	starts := []int{0}
	for i := 0; i < len(source); i++ {
		c := source[i]
		if c != '\n' && c != '\r' {
			continue
		}
		if i+1 < len(source) && (source[i+1] == '\n' || source[i+1] == '\r') && source[i+1] != c {
			i++
		}
		starts = append(starts, i+1)
	}
	return starts
}

// parser reads tokens by recursive descent. After a failure it stands at the end
// of the source, where every loop ends.
type parser struct {
	file     *File
	tokens   []luavm.Token
	at       int
	depth    int
	failed   bool
	function *Function
	scopes   [][]*Local
}

func (p *parser) tok() luavm.Token { return p.tokens[p.at] }

func (p *parser) fail() {
	p.failed = true
	p.at = len(p.tokens) - 1
}

func (p *parser) advance() luavm.Token {
	t := p.tok()
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// last returns where the token before the current one ends.
func (p *parser) last() int {
	if p.at == 0 {
		return 0
	}
	t := p.tokens[p.at-1]
	return t.From + len(t.Text)
}

func (p *parser) span(from int) Span { return Span{from, max(from, p.last())} }

// is reports whether the current token is an operator or reserved word.
func (p *parser) is(text string) bool {
	t := p.tok()
	return t.Text == text && (t.Kind == luavm.TokenOp || t.Kind == luavm.TokenName)
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail()
	}
}

var reserved = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
	"repeat", "return", "then", "true", "until", "while",
}

// Reserved reports whether a word cannot be a name.
func Reserved(word string) bool { return slices.Contains(reserved, word) }

// name reads a name that is declared or a member.
func (p *parser) name() (string, Span) {
	t := p.tok()
	if t.Kind != luavm.TokenName || Reserved(t.Text) {
		p.fail()
		return "", Span{t.From, t.From}
	}
	p.advance()
	return t.Text, Span{t.From, t.From + len(t.Text)}
}

// deeper counts a level of nesting; the caller takes it back with shallower.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth {
		p.fail()
	}
}

func (p *parser) shallower() { p.depth-- }

func (p *parser) open() { p.scopes = append(p.scopes, nil) }

func (p *parser) close() { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) declare(l *Local) {
	top := len(p.scopes) - 1
	p.scopes[top] = append(p.scopes[top], l)
	p.file.Locals = append(p.file.Locals, l)
}

func (p *parser) resolve(name string) *Local {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		scope := p.scopes[i]
		for k := len(scope) - 1; k >= 0; k-- {
			if scope[k].Name == name {
				return scope[k]
			}
		}
	}
	return nil
}

func (p *parser) variable(text string, at Span) *Name {
	n := &Name{Span: at, Text: text, Local: p.resolve(text), In: p.function}
	if n.Local != nil {
		n.Local.Uses = append(n.Local.Uses, n)
	} else {
		p.file.Globals = append(p.file.Globals, n)
	}
	return n
}

// block reads statements with a scope of their own.
func (p *parser) block() *Block {
	p.open()
	defer p.close()
	return p.statements()
}

var blockEnds = []string{"end", "else", "elseif", "until"}

func (p *parser) blockEnds() bool {
	t := p.tok()
	return t.Kind == luavm.TokenEnd || t.Kind == luavm.TokenName && slices.Contains(blockEnds, t.Text)
}

func (p *parser) statements() *Block {
	p.deeper()
	defer p.shallower()
	b := &Block{Span: Span{p.tok().From, p.tok().From}}
	for !p.blockEnds() {
		if p.accept(";") {
			continue
		}
		s := p.statement()
		if p.failed {
			break
		}
		b.Stmts = append(b.Stmts, s)
		b.To = s.End()
		if _, last := s.(*Return); last {
			p.accept(";")
			break
		}
	}
	return b
}
