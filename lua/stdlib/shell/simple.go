package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command as the line writes it.
func (w *walker) call(st *state, c *syntax.CallExpr, redirs []*syntax.Redirect, in Input) output {
	feeding := w.feeding
	w.feeding = in.From
	defer func() { w.feeding = feeding }()
	argv, further := w.words(st, c.Args)
	assigns := w.assigns(st, c.Assigns, len(c.Args) == 0)
	in, targets := w.redirected(st, redirs, in)
	if len(c.Args) == 0 {
		if len(assigns)+len(targets) > 0 {
			w.variables(st, w.emit(st, &Command{Assigns: assigns, Redirects: targets, Input: in}))
		}
		return w.store(st, targets, silent())
	}
	quoted := bareName(c.Args[0])
	cmd := Command{Argv: argv, Assigns: assigns, Redirects: targets, Input: in}
	if len(further) == 0 {
		return w.store(st, targets, w.run(st, &cmd, quoted))
	}
	before := *st
	out := output{from: w.run(st, &cmd, quoted).from}
	for _, argv := range further {
		way := before
		cmd := Command{Argv: argv, Assigns: assigns, Redirects: targets, Input: in}
		got := w.run(&way, &cmd, quoted)
		out.from = append(out.from, got.from...)
		st.merge(way)
	}
	return w.store(st, targets, out)
}

// bareName returns the word if it is written without any quote, as the name of an
// alias must be.
func bareName(in *syntax.Word) string {
	name := in.Lit()
	if strings.Contains(name, "\\") {
		return ""
	}
	return name
}

// assigns works out assignments from left to right, as each sees those before it.
// If they are to stay they are carried out; else only what their values set is.
func (w *walker) assigns(st *state, list []*syntax.Assign, stay bool) []Assign {
	if len(list) == 0 {
		return nil
	}
	if len(list) > MaxCommands {
		w.stop("the line sets too many variables")
		return nil
	}
	out := make([]Assign, 0, len(list))
	inner, passing := *st, make([]*binding, 0, len(list))
	for _, a := range list {
		made := w.assign(&inner, a)
		switch {
		case a.Name == nil:
		case a.Array != nil:
			w.setArray(&inner, a)
			passing = append(passing, inner.vars)
		default:
			w.setOne(&inner, a, made.Value)
			passing = append(passing, inner.vars)
		}
		out = append(out, made)
	}
	if stay {
		*st = inner
	} else {
		st.vars = kept(inner.vars, st.vars, passing)
	}
	return out
}

// kept is the list of bindings without those that pass, which stand in it from the
// last to the first; those from end on stay.
func kept(list, end *binding, passing []*binding) *binding {
	var stay []*binding
	for ; list != end; list = list.next {
		if n := len(passing); n > 0 && passing[n-1] == list {
			passing = passing[:n-1]
		} else {
			stay = append(stay, list)
		}
	}
	for _, b := range slices.Backward(stay) {
		end = &binding{b.name, b.variable, end}
	}
	return end
}

// assign works out one assignment.
func (w *walker) assign(st *state, a *syntax.Assign) Assign {
	made := Assign{Append: a.Append}
	if a.Name != nil {
		made.Name = a.Name.Value
	}
	if a.Index != nil {
		w.nested(st, a.Index)
	}
	switch {
	case a.Array != nil:
		made.Value = Word{Text: unknown, Many: true}
	case a.Value != nil:
		made.Value = w.single(st, a.Value)
	}
	return made
}

func (w *walker) setOne(st *state, a *syntax.Assign, v Word) {
	name := a.Name.Value
	old, was := st.lookup(name)
	texts := v.Texts()
	switch {
	case a.Naked:
		return
	case a.Index != nil || old.isList:
		texts = []string{unknown}
	case a.Append && was && len(old.texts) == 0:
	case a.Append && (!was || len(old.texts) != 1):
		texts = []string{unknown + v.Text}
	case a.Append:
		texts = []string{old.texts[0] + v.Text}
		if !w.spend(len(texts[0])) {
			return
		}
	}
	st.set(name, variable{texts: texts, from: append(slices.Clone(old.from), v.From...), exported: old.exported})
}

func (w *walker) setArray(st *state, a *syntax.Assign) {
	v := variable{isList: true}
	if old, ok := st.lookup(a.Name.Value); a.Append && ok {
		v.list = old.list
		if !old.isList {
			v.list = old.texts
		}
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			w.nested(st, e.Index)
		}
		if e.Value == nil {
			continue
		}
		for _, word := range w.appendWord(nil, st, e.Value) {
			v.list = append(v.list[:len(v.list):len(v.list)], textsOf([]Word{word})...)
			v.from = append(v.from, word.From...)
		}
	}
	st.set(a.Name.Value, v)
}

// decl walks export, declare and their like.
func (w *walker) decl(st *state, c *syntax.DeclClause) {
	name := c.Variant.Value
	argv := []Word{{Text: name, Raw: name}}
	values := make([]Assign, 0, len(c.Args))
	for _, a := range c.Args { // they are words: none sees another
		values = append(values, w.assign(st, a))
	}
	export, opaque := name == "export", ""
	for i, a := range c.Args {
		if a.Name == nil {
			argv = append(argv, values[i].Value)
			option, isOption := strings.CutPrefix(values[i].Value.Text, "-")
			export = export || isOption && strings.Contains(option, "x")
			if isOption && name != "export" && name != "readonly" && strings.ContainsAny(option, changing) {
				opaque = "what its variables stand for changes when they are set"
			}
			continue
		}
		if a.Array != nil {
			w.setArray(st, a)
		} else {
			w.setOne(st, a, values[i].Value)
		}
		if v, ok := st.lookup(a.Name.Value); export && ok {
			v.exported = true
			st.set(a.Name.Value, v)
		}
	}
	values = slices.DeleteFunc(values, func(a Assign) bool { return a.Name == "" })
	w.variables(st, w.emit(st, &Command{Argv: argv, Assigns: values, Opaque: opaque}))
}

// changing are the options of declare that give a variable another value than it is
// set to: one of another name, or in other letters.
const changing = "nluc"

// redirections says what each operator does.
func redirection(op syntax.RedirOperator) string {
	switch op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrInOut, syntax.RdrAll, syntax.RdrAllClob:
		return Write
	case syntax.AppOut, syntax.AppClob, syntax.AppAll, syntax.AppAllClob:
		return Append
	case syntax.RdrIn:
		return Read
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return Here
	default:
		return Duplicate
	}
}

// redirected works out redirections and what they make of the input.
func (w *walker) redirected(st *state, list []*syntax.Redirect, in Input) (Input, []Redirect) {
	if len(list) == 0 {
		return in, nil
	}
	out := make([]Redirect, 0, len(list))
	for _, r := range list {
		made := Redirect{Kind: redirection(r.Op)}
		if r.N != nil {
			made.Fd = r.N.Value
		}
		switch r.Op {
		case syntax.RdrAll, syntax.AppAll, syntax.RdrAllClob, syntax.AppAllClob:
			made.Fd = "&"
		default: // of one descriptor
		}
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			made.Target = w.document(st, r)
		} else {
			made.Target = w.single(st, r.Word)
		}
		if r.Op == syntax.DashHdoc {
			made.Target.Text = undent(made.Target.Text)
		}
		if r.Op == syntax.WordHdoc {
			made.Target.Text += "\n"
		}
		if r.Op == syntax.DplOut && strings.Trim(made.Target.Text, "0123456789-") != "" {
			made.Kind, made.Fd = Write, "&"
		}
		if made.Fd == "" || made.Fd == "0" {
			in = w.reads(st, made, in)
		}
		if r.Op == syntax.DplIn && (made.Fd == "" || made.Fd == "0") {
			in = Input{Kind: "file", Text: Word{Text: unknown}}
		}
		out = append(out, made)
	}
	return in, out
}

// reads returns the input after a redirection.
func (w *walker) reads(st *state, r Redirect, in Input) Input {
	switch r.Kind {
	case Here:
		return Input{Kind: "here", Text: r.Target, From: r.Target.From}
	case Read:
		next := Input{Kind: "file", Text: Word{Text: unknown}, From: r.Target.From}
		if f := w.find(absolute(st.cwd, r.Target)); f != nil {
			next.Text, next.From = f.text, append(slices.Clone(next.From), f.from...)
		}
		return next
	}
	return in
}

// document returns the text of a here-document.
func (w *walker) document(st *state, r *syntax.Redirect) Word {
	if r.Hdoc == nil {
		return Word{}
	}
	literal := len(r.Hdoc.Parts) == 1
	if literal {
		_, literal = r.Hdoc.Parts[0].(*syntax.Lit)
	}
	quoted := slices.ContainsFunc(r.Word.Parts, func(p syntax.WordPart) bool {
		lit, bare := p.(*syntax.Lit)
		return !bare || strings.Contains(lit.Value, "\\")
	})
	if literal && quoted {
		text := r.Hdoc.Lit()
		w.spend(len(text))
		return Word{Text: text}
	}
	e := expansion{w: w, st: st, ways: []choice{{open: true}}, whole: true}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !quoted {
			e.add(unescape(lit.Value), true)
			continue
		}
		e.part(part, true)
	}
	made := make([][]Word, 0, len(e.ways))
	for _, c := range e.ways {
		made = append(made, c.words(""))
	}
	words := mergeWays(made)
	if len(words) != 1 {
		return Word{Text: unknown}
	}
	return words[0]
}

// unescape removes the backslashes that quote something in a here-document.
func unescape(text string) string {
	if !strings.Contains(text, "\\") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\\", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// emit adds a command to the line and returns its index.
func (w *walker) emit(st *state, c *Command) int {
	if len(w.line.Commands) >= MaxCommands {
		w.stop("the line runs too many commands")
	}
	if len(c.Argv) > 0 {
		c.Name = nameOf(&c.Argv[0])
		if c.Name == "" && c.Opaque == "" {
			c.Opaque = "the program is not known"
		}
	}
	c.Place, c.Via, c.Cwd = w.place, w.via, st.cwd
	if c.Where == "" {
		c.Where = st.where
	}
	w.line.Commands = append(w.line.Commands, *c)
	return len(w.line.Commands) - 1
}

// nameOf returns the program that a word names, without its folder.
func nameOf(word *Word) string {
	if len(word.Others) > 0 || word.Glob || word.Many && strings.HasSuffix(word.Text, unknown) {
		return ""
	}
	name := word.Text[strings.LastIndexByte(word.Text, '/')+1:]
	if strings.Contains(name, unknown) {
		return ""
	}
	return strings.TrimSuffix(name, ".exe")
}

// undent removes the tabs in front of every line.
func undent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "\n")
}
