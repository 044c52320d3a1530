package tree

// Walk calls f for n and, as long as f returns true, for what n consists of, in
// the order of the source.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, child := range Children(n) {
		Walk(child, f)
	}
}

// Children returns what a node consists of, in the order of the source.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *Block:
		return nodes(n.Stmts)
	case Expr:
		return exprChildren(n)
	case Stmt:
		return stmtChildren(n)
	}
	return nil
}

func exprChildren(e Expr) []Node {
	switch e := e.(type) {
	case *Function:
		return []Node{e.Body}
	case *Call:
		return append([]Node{e.Fun}, nodes(e.Args)...)
	case *Index:
		return []Node{e.Object, e.Key}
	case *Binary:
		return []Node{e.Left, e.Right}
	case *Unary:
		return []Node{e.Operand}
	case *Paren:
		return []Node{e.Inner}
	case *Table:
		var list []Node
		for _, item := range e.Items {
			if item.Key != nil {
				list = append(list, item.Key)
			}
			list = append(list, item.Value)
		}
		return list
	}
	return nil
}

func stmtChildren(s Stmt) []Node {
	switch s := s.(type) {
	case *LocalStmt:
		return nodes(s.Values)
	case *LocalFunc:
		return []Node{s.Func}
	case *FuncStmt:
		return []Node{s.Target, s.Func}
	case *Assign:
		return append(nodes(s.Targets), nodes(s.Values)...)
	case *CallStmt:
		return []Node{s.Call}
	case *Do:
		return []Node{s.Body}
	case *While:
		return []Node{s.Cond, s.Body}
	case *Repeat:
		return []Node{s.Body, s.Cond}
	case *If:
		var list []Node
		for _, arm := range s.Arms {
			if arm.Cond != nil {
				list = append(list, arm.Cond)
			}
			list = append(list, arm.Body)
		}
		return list
	case *For:
		list := []Node{s.First, s.Last}
		if s.Step != nil {
			list = append(list, s.Step)
		}
		return append(list, s.Body)
	case *ForIn:
		return append(nodes(s.Exprs), s.Body)
	case *Return:
		return nodes(s.Values)
	}
	return nil
}

func nodes[N Node](list []N) []Node {
	all := make([]Node, len(list))
	for i, n := range list {
		all[i] = n
	}
	return all
}

// Bare removes the parentheses around an expression.
func Bare(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.Inner
	}
}
