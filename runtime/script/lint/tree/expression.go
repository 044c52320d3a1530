package tree

import "github.com/dsh-lua/dsh/runtime/luavm"

// priorities of binary operators; the right one is lower for those that group
// to the right.
var priorities = []struct {
	op          string
	left, right int
}{
	{"or", 1, 1},
	{"and", 2, 2},
	{"<", 3, 3},
	{">", 3, 3},
	{"<=", 3, 3},
	{">=", 3, 3},
	{"~=", 3, 3},
	{"==", 3, 3},
	{"..", 5, 4},
	{"+", 6, 6},
	{"-", 6, 6},
	{"*", 7, 7},
	{"/", 7, 7},
	{"%", 7, 7},
	{"^", 10, 9},
}

const unaryPriority = 8

func (p *parser) priority() (left, right int) {
	for _, o := range priorities {
		if p.is(o.op) {
			return o.left, o.right
		}
	}
	return 0, 0
}

func (p *parser) exprs() []Expr {
	list := []Expr{p.expr()}
	for p.accept(",") {
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) expr() Expr { return p.binary(0) }

func (p *parser) binary(limit int) Expr {
	p.deeper()
	defer p.shallower()
	from := p.tok().From
	var e Expr
	if p.is("not") || p.is("-") || p.is("#") {
		op := p.advance().Text
		operand := p.binary(unaryPriority)
		e = &Unary{p.span(from), op, operand}
	} else {
		e = p.simple()
	}
	for {
		left, right := p.priority()
		if left <= limit {
			return e
		}
		op := p.advance()
		operand := p.binary(right)
		e = &Binary{p.span(from), op.Text, op.From, e, operand}
	}
}

func (p *parser) simple() Expr {
	t := p.tok()
	at := Span{t.From, t.From + len(t.Text)}
	switch {
	case t.Kind == luavm.TokenNumber:
		p.advance()
		return &Number{at, t.Text}
	case t.Kind == luavm.TokenString:
		p.advance()
		return newString(at, t.Text)
	case p.is("nil"), p.is("true"), p.is("false"):
		p.advance()
		return &Const{at, t.Text}
	case p.accept("..."):
		return &Vararg{at}
	case p.is("{"):
		return p.table()
	case p.accept("function"):
		return p.functionBody(t.From, false)
	}
	return p.suffixed()
}

// suffixed reads a variable or an expression in parentheses, and what is indexed
// and called behind it.
func (p *parser) suffixed() Expr {
	from := p.tok().From
	var e Expr
	if p.accept("(") {
		inner := p.expr()
		p.expect(")")
		e = &Paren{p.span(from), inner}
	} else {
		name, at := p.name()
		e = p.variable(name, at)
	}
	for !p.failed {
		next := p.suffix(from, e)
		if next == nil {
			break
		}
		e = next
	}
	return e
}

func (p *parser) suffix(from int, e Expr) Expr {
	at := p.tok().From
	switch {
	case p.accept("."):
		key, span := p.name()
		return &Index{p.span(from), e, &String{Span: span, Value: key, Plain: true, Inner: span.From}, true, at}
	case p.accept("["):
		key := p.expr()
		p.expect("]")
		return &Index{p.span(from), e, key, false, at}
	case p.accept(":"):
		name, span := p.name()
		method := &String{Span: span, Value: name, Plain: true, Inner: span.From}
		args := p.arguments()
		return &Call{p.span(from), e, method, args, p.function}
	case p.is("("), p.is("{"), p.tok().Kind == luavm.TokenString:
		args := p.arguments()
		return &Call{p.span(from), e, nil, args, p.function}
	}
	return nil
}

func (p *parser) arguments() []Expr {
	t := p.tok()
	switch {
	case t.Kind == luavm.TokenString:
		p.advance()
		return []Expr{newString(Span{t.From, t.From + len(t.Text)}, t.Text)}
	case p.is("{"):
		return []Expr{p.table()}
	}
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	list := p.exprs()
	p.expect(")")
	return list
}

func (p *parser) table() Expr {
	p.deeper()
	defer p.shallower()
	t := &Table{Span: Span{From: p.tok().From}}
	p.expect("{")
	for !p.is("}") && !p.failed {
		t.Items = append(t.Items, p.item())
		if !p.accept(",") && !p.accept(";") {
			break
		}
	}
	p.expect("}")
	t.Span = p.span(t.From)
	return t
}

func (p *parser) item() Item {
	if p.accept("[") {
		key := p.expr()
		p.expect("]")
		p.expect("=")
		return Item{key, p.expr()}
	}
	if p.tok().Kind == luavm.TokenName && p.at+1 < len(p.tokens) && p.tokens[p.at+1].Text == "=" && p.tokens[p.at+1].Kind == luavm.TokenOp {
		name, at := p.name()
		p.expect("=")
		return Item{&String{Span: at, Value: name, Plain: true, Inner: at.From}, p.expr()}
	}
	return Item{nil, p.expr()}
}

// functionBody reads parameters and body; the word function is consumed.
func (p *parser) functionBody(from int, method bool) *Function {
	f := &Function{Parent: p.function, Method: method}
	p.function = f
	p.open()
	if method {
		p.param(f, "self", Span{from, from})
	}
	p.expect("(")
	for !p.is(")") && !p.failed {
		if p.accept("...") {
			f.Variadic = true
			break
		}
		name, at := p.name()
		p.param(f, name, at)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	f.Body = p.statements()
	p.expect("end")
	p.close()
	p.function = f.Parent
	f.Span = p.span(from)
	return f
}

func (p *parser) param(f *Function, name string, at Span) {
	l := &Local{Span: at, Name: name, Kind: Parameter, Owner: f}
	f.Params = append(f.Params, l)
	p.declare(l)
}
