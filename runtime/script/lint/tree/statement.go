package tree

import "github.com/dsh-lua/dsh/runtime/luavm"

// A starter reads the statement that begins with its word; the word is consumed.
type starter struct {
	word string
	read func(p *parser, from int) Stmt
}

func starters() []starter {
	return []starter{
		{"local", (*parser).local},
		{"if", (*parser).ifStmt},
		{"for", (*parser).forStmt},
		{"return", (*parser).returnStmt},
		{"function", (*parser).funcStmt},
		{"while", (*parser).whileStmt},
		{"repeat", (*parser).repeatStmt},
		{"do", (*parser).doStmt},
		{"break", (*parser).breakStmt},
		{"goto", (*parser).gotoStmt},
		{"::", (*parser).label},
	}
}

func (p *parser) statement() Stmt {
	from := p.tok().From
	if p.tok().Kind == luavm.TokenName || p.tok().Kind == luavm.TokenOp {
		for _, s := range starters() {
			if s.word == "goto" && !p.jumps() {
				continue
			}
			if p.accept(s.word) {
				return s.read(p, from)
			}
		}
	}
	return p.exprStmt(from)
}

// jumps reports whether a goto is a statement: it may be a name as well.
func (p *parser) jumps() bool {
	return p.at+1 < len(p.tokens) && p.tokens[p.at+1].Kind == luavm.TokenName
}

func (p *parser) local(from int) Stmt {
	if p.accept("function") {
		name, at := p.name()
		s := &LocalFunc{Name: &Local{Span: at, Name: name, Owner: p.function}}
		s.Name.Decl = s
		p.declare(s.Name)
		s.Func = p.functionBody(from, false)
		s.Name.Init = s.Func
		s.Span = p.span(from)
		return s
	}
	s := &LocalStmt{}
	for {
		name, at := p.name()
		s.Names = append(s.Names, &Local{Span: at, Name: name, Owner: p.function, Decl: s})
		if !p.accept(",") {
			break
		}
	}
	if p.accept("=") {
		s.Values = p.exprs()
	}
	for i, l := range s.Names {
		switch {
		case i < len(s.Values)-1 || i < len(s.Values) && !multiple(s.Values[i]) || i == 0 && len(s.Values) == 1:
			l.Init = s.Values[i]
		case len(s.Values) == 0:
			l.Init = &Const{Span: l.Span, Text: "nil"}
		}
		p.declare(l)
	}
	s.Span = p.span(from)
	return s
}

// multiple reports whether an expression may have several values.
func multiple(e Expr) bool {
	switch e.(type) {
	case *Call, *Vararg:
		return true
	}
	return false
}

func (p *parser) ifStmt(from int) Stmt {
	s := &If{}
	for {
		arm := Arm{Cond: p.expr()}
		p.expect("then")
		arm.Body = p.block()
		s.Arms = append(s.Arms, arm)
		if !p.accept("elseif") {
			break
		}
	}
	if p.accept("else") {
		s.Arms = append(s.Arms, Arm{Body: p.block()})
	}
	p.expect("end")
	s.Span = p.span(from)
	return s
}

func (p *parser) forStmt(from int) Stmt {
	name, at := p.name()
	first := &Local{Span: at, Name: name, Kind: Loop, Owner: p.function}
	if p.accept("=") {
		return p.forNumber(from, first)
	}
	s := &ForIn{Vars: []*Local{first}}
	for p.accept(",") {
		name, at := p.name()
		s.Vars = append(s.Vars, &Local{Span: at, Name: name, Kind: Loop, Owner: p.function})
	}
	p.expect("in")
	s.Exprs = p.exprs()
	p.expect("do")
	p.open()
	for _, l := range s.Vars {
		l.Decl = s
		p.declare(l)
	}
	s.Body = p.statements()
	p.close()
	p.expect("end")
	s.Span = p.span(from)
	return s
}

func (p *parser) forNumber(from int, first *Local) Stmt {
	s := &For{Var: first, First: p.expr()}
	p.expect(",")
	s.Last = p.expr()
	if p.accept(",") {
		s.Step = p.expr()
	}
	p.expect("do")
	p.open()
	first.Decl = s
	p.declare(first)
	s.Body = p.statements()
	p.close()
	p.expect("end")
	s.Span = p.span(from)
	return s
}

func (p *parser) returnStmt(from int) Stmt {
	s := &Return{}
	if !p.blockEnds() && !p.is(";") {
		s.Values = p.exprs()
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) funcStmt(from int) Stmt {
	name, at := p.name()
	s := &FuncStmt{}
	v := p.variable(name, at)
	s.Target = v
	method := false
	for p.is(".") || p.is(":") {
		method = p.is(":")
		dot := p.advance().From
		key, at := p.name()
		s.Target = &Index{
			Span: Span{s.Target.Pos(), at.To}, Object: s.Target, Dot: true, At: dot,
			Key: &String{Span: at, Value: key, Plain: true, Inner: at.From},
		}
		if method {
			break
		}
	}
	if s.Target == Expr(v) {
		written(v)
	}
	s.Func = p.functionBody(from, method)
	s.Span = p.span(from)
	return s
}

func (p *parser) whileStmt(from int) Stmt {
	s := &While{Cond: p.expr()}
	p.expect("do")
	s.Body = p.block()
	p.expect("end")
	s.Span = p.span(from)
	return s
}

func (p *parser) repeatStmt(from int) Stmt {
	s := &Repeat{}
	p.open()
	s.Body = p.statements()
	p.expect("until")
	s.Cond = p.expr() // sees the locals of the body
	p.close()
	s.Span = p.span(from)
	return s
}

func (p *parser) doStmt(from int) Stmt {
	s := &Do{Body: p.block()}
	p.expect("end")
	s.Span = p.span(from)
	return s
}

func (p *parser) breakStmt(from int) Stmt { return &Break{p.span(from)} }

func (p *parser) gotoStmt(from int) Stmt {
	name, _ := p.name()
	return &Goto{p.span(from), name}
}

func (p *parser) label(from int) Stmt {
	name, _ := p.name()
	p.expect("::")
	return &Label{p.span(from), name}
}

// exprStmt reads a call or an assignment.
func (p *parser) exprStmt(from int) Stmt {
	e := p.suffixed()
	// The compiler takes a call in parentheses as well.
	if call, ok := Bare(e).(*Call); ok && !p.is("=") && !p.is(",") {
		return &CallStmt{p.span(from), call}
	}
	s := &Assign{Targets: []Expr{e}}
	for p.accept(",") {
		s.Targets = append(s.Targets, p.suffixed())
	}
	p.expect("=")
	s.Values = p.exprs()
	for _, target := range s.Targets {
		switch target := target.(type) {
		case *Name:
			written(target)
		case *Index:
		default:
			p.fail()
		}
	}
	s.Span = p.span(from)
	return s
}

func written(n *Name) {
	n.Written = true
	if n.Local != nil {
		n.Local.Writes++
	}
}
