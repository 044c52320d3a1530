package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An output is what is known of what statements write to their standard output.
type output struct {
	text  string
	known bool
	items []string // file names, one a line, perhaps with wild cards; nil if not known
	from  []int    // the commands that write
}

// then is the output of statements one after the other.
func (o output) then(next output) output {
	if len(o.from) == 0 && o.known && o.text == "" {
		return next
	}
	return output{text: o.text + next.text, known: o.known && next.known, from: append(o.from[:len(o.from):len(o.from)], next.from...)}
}

// silent is the output of what writes nothing.
func silent() output { return output{known: true} }

// input makes the output of one pipeline member the input of the next.
func (o output) input() Input {
	in := Input{Kind: "pipe", Text: Word{Text: unknown, Many: true, From: o.from}, From: o.from}
	switch {
	case o.known:
		in.Text = Word{Text: o.text, From: o.from}
	case len(o.items) > 0:
		in.Text = Word{Text: o.items[0], Others: o.items[1:], Glob: true, Many: true, From: o.from}
	}
	return in
}

func (w *walker) stmts(st *state, list []*syntax.Stmt, in Input) output {
	out := silent()
	for _, s := range list {
		if w.done {
			return output{from: out.from}
		}
		out = out.then(w.stmt(st, s, in))
		if len(out.text) > MaxLine {
			out.text, out.known = "", false
		}
	}
	return out
}

// within walks with another place.
func (w *walker) within(set func(*Context), walk func() output) output {
	old := w.place
	set(&w.place)
	out := walk()
	w.place = old
	return out
}

func (w *walker) stmt(st *state, s *syntax.Stmt, in Input) output {
	defer w.end()
	if !w.begin() {
		return output{}
	}
	if !s.Background && !s.Coprocess {
		return w.command(st, s, in)
	}
	sub := *st
	return w.within(func(p *Context) { p.Background = true }, func() output { return w.command(&sub, s, in) })
}

// command walks the command of a statement.
func (w *walker) command(st *state, s *syntax.Stmt, in Input) output {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return w.call(st, c, s.Redirs, in)
	case *syntax.BinaryCmd:
		if len(s.Redirs) == 0 {
			return w.binary(st, c, in)
		}
	}
	in, redirs := w.redirected(st, s.Redirs, in)
	if len(redirs) > 0 {
		w.emit(st, &Command{Redirects: redirs, Input: in})
	}
	out := w.compound(st, s.Cmd, in)
	return w.store(st, redirs, out)
}

// compound walks what is no simple command.
func (w *walker) compound(st *state, cmd syntax.Command, in Input) output {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(st, c, in)
	case *syntax.Block:
		return w.stmts(st, c.Stmts, in)
	case *syntax.Subshell:
		sub := *st
		return w.within(func(p *Context) { p.Subshell = true }, func() output { return w.stmts(&sub, c.Stmts, in) })
	case *syntax.IfClause:
		return w.branch(st, c, in)
	case *syntax.WhileClause:
		return w.loop(st, func(st *state) output {
			cond := w.within(func(p *Context) { p.Condition = true }, func() output { return w.stmts(st, c.Cond, in) })
			return cond.then(w.stmts(st, c.Do, in))
		})
	case *syntax.ForClause:
		return w.forLoop(st, c, in)
	case *syntax.CaseClause:
		return w.choose(st, c, in)
	case *syntax.FuncDecl:
		w.declare(st, c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(st, timed(c.Stmt), in)
		}
	case *syntax.CoprocClause:
		if c.Stmt != nil {
			sub := *st
			return w.within(func(p *Context) { p.Background = true }, func() output { return w.stmt(&sub, c.Stmt, in) })
		}
	case *syntax.DeclClause:
		w.decl(st, c)
	case *syntax.TestDecl:
		return w.stmt(st, c.Body, in)
	case nil:
	default: // [[ ]], (( )), let
		w.nested(st, c)
	}
	return silent()
}

// timed returns the statement behind time without the "--" that ends its options.
func timed(s *syntax.Stmt) *syntax.Stmt {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "--" {
		return s
	}
	inner, rest := *call, *s
	inner.Args = call.Args[1:]
	rest.Cmd = &inner
	return &rest
}

// binary walks lists and pipelines.
func (w *walker) binary(st *state, c *syntax.BinaryCmd, in Input) output {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		return w.pipeline(st, c, in)
	case syntax.OrStmt:
		before := *st
		out := w.stmt(st, c.X, in)
		other := before
		if _, simple := c.X.Cmd.(*syntax.CallExpr); !simple {
			other.merge(*st)
		}
		next := w.within(func(p *Context) { p.Maybe = true }, func() output { return w.stmt(&other, c.Y, in) })
		if !leaves(c.Y) {
			st.merge(other)
		}
		return output{from: append(out.from[:len(out.from):len(out.from)], next.from...)}
	default:
		out := w.stmt(st, c.X, in)
		return out.then(w.stmt(st, c.Y, in))
	}
}

// leaves reports whether nothing runs after the statement.
func leaves(s *syntax.Stmt) bool {
	if block, ok := s.Cmd.(*syntax.Block); ok && len(block.Stmts) > 0 {
		return leaves(block.Stmts[len(block.Stmts)-1])
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch call.Args[0].Lit() {
	case "exit", "return", "break", "continue":
		return true
	}
	return false
}

// members lists the statements of a pipeline.
func members(list []*syntax.Stmt, c *syntax.BinaryCmd) []*syntax.Stmt {
	for _, s := range [2]*syntax.Stmt{c.X, c.Y} {
		inner, ok := s.Cmd.(*syntax.BinaryCmd)
		if ok && (inner.Op == syntax.Pipe || inner.Op == syntax.PipeAll) && len(s.Redirs) == 0 {
			list = members(list, inner)
		} else {
			list = append(list, s)
		}
	}
	return list
}

func (w *walker) pipeline(st *state, c *syntax.BinaryCmd, in Input) output {
	w.pipes++
	number := w.pipes
	var out output
	list := members(make([]*syntax.Stmt, 0, 4), c)
	states := make([]state, len(list))
	for i, s := range list {
		if w.done {
			break
		}
		states[i] = *st
		old := w.place
		w.place.Pipeline, w.place.Member = number, i+1
		out = w.stmt(&states[i], s, in)
		w.place = old
		in = out.input()
	}
	return out
}

func (w *walker) branch(st *state, c *syntax.IfClause, in Input) output {
	out := silent()
	if len(c.Cond) > 0 {
		w.within(func(p *Context) { p.Condition = true }, func() output { return w.stmts(st, c.Cond, in) })
	}
	other := *st
	then := w.within(func(p *Context) { p.Maybe = true }, func() output { return w.stmts(st, c.Then, in) })
	out = output{from: then.from}
	if c.Else != nil {
		alt := w.within(func(p *Context) { p.Maybe = true }, func() output {
			if len(c.Else.Cond) > 0 {
				return w.branch(&other, c.Else, in)
			}
			return w.stmts(&other, c.Else.Then, in)
		})
		out.from = append(out.from, alt.from...)
	}
	if len(c.Then) == 0 || !leaves(c.Then[len(c.Then)-1]) {
		st.merge(other)
	} else {
		*st = other
	}
	return out
}

// loop walks a body until its state no longer changes, twice at most: the second
// round starts in whatever state the first may have left.
func (w *walker) loop(st *state, round func(*state) output) output {
	return w.within(func(p *Context) { p.Loop = true }, func() output {
		before := *st
		out := round(st)
		if st.vars == before.vars && st.cwd == before.cwd {
			return output{from: out.from}
		}
		st.merge(before)
		again := round(st)
		st.merge(before)
		return output{from: append(out.from, again.from...)}
	})
}

const maxRounds = 32 // rounds of a loop that are walked one by one

func (w *walker) forLoop(st *state, c *syntax.ForClause, in Input) output {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.nested(st, c.Loop)
		return w.loop(st, func(st *state) output { return w.stmts(st, c.Do, in) })
	}
	items := st.args
	if iter.InPos.IsValid() {
		items = w.list(st, iter.Items)
	} else if !st.known {
		items = []Word{{Text: unknown, Many: true}}
	}
	name := iter.Name.Value
	return w.within(func(p *Context) { p.Loop = true }, func() output {
		before := *st
		out := silent()
		if len(items) > maxRounds {
			st.forget(name)
			items = []Word{{Text: unknown}}
		}
		for _, item := range items {
			texts := item.Texts()
			st.set(name, variable{texts: texts, glob: item.Glob, from: item.From})
			out = out.then(w.stmts(st, c.Do, in))
		}
		if len(items) == 1 && items[0].Many {
			st.merge(before)
		}
		return out
	})
}

func (w *walker) choose(st *state, c *syntax.CaseClause, in Input) output {
	w.single(st, c.Word)
	before := *st
	out := output{}
	return w.within(func(p *Context) { p.Maybe = true }, func() output {
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				w.single(st, pattern)
			}
			way := before
			got := w.stmts(&way, item.Stmts, in)
			out.from = append(out.from, got.from...)
			st.merge(way)
		}
		return out
	})
}

// declare remembers a function; its body is walked where it is called.
func (w *walker) declare(st *state, c *syntax.FuncDecl) {
	name, stmt, src := "", c.Body, w.src
	if c.Name != nil {
		name = c.Name.Value
	}
	run := func(st *state, args []Word, in Input) output {
		args, st.args = st.args, args
		known, oldSrc := st.known, w.src
		st.known, w.src = true, src
		out := w.within(func(p *Context) { p.Function = true }, func() output { return w.stmt(st, stmt, in) })
		st.args, st.known, w.src = args, known, oldSrc
		return out
	}
	st.bodies = &body{name: name, run: run, next: st.bodies}
}

// nested walks the substitutions within a node that is not expanded itself.
func (w *walker) nested(st *state, n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if !w.step() {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.substitute(st, n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.inside(st, n.Stmts, Input{})
			return false
		}
		return true
	})
}

// nestedWords walks the substitutions in those words of an expansion that its
// operation does not expand.
func (w *walker) nestedWords(st *state, p *syntax.ParamExp) {
	if index, ok := p.Index.(*syntax.Word); p.Index != nil && (!ok || index.Lit() == "") {
		w.nested(st, p.Index)
	}
	if p.Exp != nil && p.Exp.Word != nil {
		switch p.Exp.Op {
		case syntax.UpperFirst, syntax.LowerFirst, syntax.UpperAll, syntax.LowerAll, syntax.OtherParamOps:
			w.nested(st, p.Exp.Word)
		default: // the others expand it
		}
	}
	if p.Slice != nil {
		if p.Slice.Offset != nil {
			w.nested(st, p.Slice.Offset)
		}
		if p.Slice.Length != nil {
			w.nested(st, p.Slice.Length)
		}
	}
}

// inside walks the statements of a process substitution.
func (w *walker) inside(st *state, list []*syntax.Stmt, in Input) []int {
	sub := *st
	out := w.within(substituted, func() output { return w.stmts(&sub, list, in) })
	return out.from
}

// fed is the input of a substitution: it reads what its command would.
func (w *walker) fed() Input {
	if len(w.feeding) == 0 {
		return Input{}
	}
	return Input{Kind: "pipe", Text: Word{Text: unknown, Many: true}, From: w.feeding}
}

func substituted(p *Context) { p.Substitution, p.Pipeline, p.Member = true, 0, 0 }

// substitute walks the statements of a command substitution and returns their
// output without the newlines at its end.
func (w *walker) substitute(st *state, list []*syntax.Stmt) content {
	sub := *st
	defer w.end()
	if !w.begin() {
		return content{text: unknown}
	}
	out := w.within(substituted, func() output { return w.stmts(&sub, list, w.fed()) })
	if !out.known {
		return content{text: unknown, many: true, from: out.from}
	}
	return content{text: strings.TrimRight(out.text, "\n"), from: out.from}
}
