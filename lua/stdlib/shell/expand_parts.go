package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// choices expands the parts of a word; whole is true where the shell does not
// split it.
func (w *walker) choices(st *state, in *syntax.Word, whole bool) []choice {
	e := expansion{w: w, st: st, ways: []choice{{}}, whole: whole}
	return e.word(in)
}

func (e *expansion) word(in *syntax.Word) []choice {
	assigns := e.argument && assignsTo(in)
	for i, part := range in.Parts {
		lit, isLit := part.(*syntax.Lit)
		switch {
		case assigns && isLit:
			part = e.tildes(lit.Value, i == 0, i+1 == len(in.Parts))
		case i == 0:
			part = e.tilde(part, len(in.Parts) == 1)
		}
		switch {
		case part == nil:
		case i+1 < len(in.Parts) && runsOn(part, in.Parts[i+1]):
			e.contents([]content{{text: unknown}}, false)
		default:
			e.part(part, false)
		}
	}
	return e.ways
}

// runsOn reports whether braces have put a literal behind $name that a shell takes
// for more of the name.
func runsOn(part, next syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	lit, follows := next.(*syntax.Lit)
	if !ok || !follows || !p.Short || lit.Value == "" || !syntax.ValidName(p.Param.Value) {
		return false
	}
	return syntax.ValidName("a" + lit.Value[:1])
}

// An expansion is the work on one word.
type expansion struct {
	w     *walker
	st    *state
	ways  []choice
	whole bool // the shell does not split it
	// argument is true for a word that no braces have made: a tilde behind the sign of
	// an assignment is expanded there, too.
	argument bool
	inner    bool // it is the word of ${x:-word}, whose blanks split it too
}

func (e *expansion) part(part syntax.WordPart, quoted bool) {
	if !e.w.step() {
		return
	}
	switch p := part.(type) {
	case *syntax.Lit:
		e.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text = ansi(text)
		}
		e.add(text, true)
	case *syntax.DblQuoted:
		e.add("", true)
		for _, inner := range p.Parts {
			e.part(inner, true)
		}
	case *syntax.ParamExp:
		e.contents(e.w.param(e.st, p, quoted || e.whole), quoted)
	case *syntax.CmdSubst:
		e.contents([]content{e.w.substitute(e.st, p.Stmts)}, quoted)
	case *syntax.ProcSubst:
		in := e.w.fed()
		if p.Op == syntax.CmdOut {
			in = Input{Kind: "pipe", Text: Word{Text: unknown, Many: true}, From: e.w.feeding}
		}
		from := e.w.inside(e.st, p.Stmts, in)
		e.contents([]content{{text: unknown, from: from}}, true)
	case *syntax.ArithmExp:
		e.w.nested(e.st, p)
		e.contents([]content{{text: e.w.arithmetic(e.st, p.X)}}, true)
	case *syntax.ExtGlob:
		e.add(p.Op.String()+p.Pattern.Value+")", false)
		e.mark(func(f *field) { f.glob = true })
	default:
		e.contents([]content{{text: unknown, many: true}}, quoted)
	}
}

// literal adds a literal of the source. In double quotes a backslash quotes few
// characters.
func (e *expansion) literal(text string, quoted bool) {
	if e.inner && !quoted && strings.ContainsAny(text, " \t\n") {
		e.blanks(text)
		return
	}
	if !strings.ContainsAny(text, "\\*?[") {
		e.add(text, quoted)
		return
	}
	buf := make([]byte, 0, len(text))
	wild := make([]byte, 0, len(text)) // the characters that no backslash quotes
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\", text[i+1]) >= 0):
			i++
			buf = append(buf, text[i])
		case c == '\\' && i+1 == len(text) && !quoted:
		default:
			buf = append(buf, c)
			wild = append(wild, c)
		}
	}
	e.add(string(buf), quoted)
	if !quoted && isGlob(string(wild)) {
		e.mark(func(f *field) { f.glob = true })
	}
}

// blanks adds a literal that is split at those blanks that no backslash quotes.
func (e *expansion) blanks(text string) {
	run := ""
	flush := func() {
		for i := range e.ways {
			e.ways[i].cur.text = slices.Clone(e.ways[i].cur.text)
			e.ways[i].split(run)
		}
		run = ""
	}
	if !e.w.spend(len(text) * len(e.ways)) {
		return
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			flush()
			i++
			e.add(text[i:i+1], false)
			continue
		}
		run += text[i : i+1]
	}
	flush()
}

// isGlob reports whether a text, if nothing in it is quoted, matches file names.
func isGlob(text string) bool {
	if strings.ContainsAny(text, "*?") {
		return true
	}
	open := strings.IndexByte(text, '[')
	return open >= 0 && strings.IndexByte(text[open:], ']') > 0
}

// add appends a text to the open field of every choice.
func (e *expansion) add(text string, quoted bool) {
	if !e.w.spend(len(text) * len(e.ways)) {
		return
	}
	for i := range e.ways {
		c := &e.ways[i]
		c.open = c.open || quoted || text != ""
		c.cur.quoted = c.cur.quoted || quoted
		c.cur.text = append(c.cur.text[:len(c.cur.text):len(c.cur.text)], text...)
	}
}

func (e *expansion) mark(set func(*field)) {
	for i := range e.ways {
		set(&e.ways[i].cur)
	}
}

// contents appends what an expansion may stand for.
func (e *expansion) contents(options []content, quoted bool) {
	if len(options) == 0 {
		return
	}
	if !quoted && !e.whole {
		options = e.st.fields(options)
	}
	if len(options)*len(e.ways) > maxChoices {
		all := content{text: unknown, many: !quoted}
		for _, o := range options {
			all.from = append(all.from, o.from...)
		}
		options = []content{all}
	}
	var ways []choice
	for _, c := range e.ways {
		for _, o := range options {
			way := c
			way.done = slices.Clone(c.done)
			way.cur.text = slices.Clone(c.cur.text)
			if !e.w.spend(len(o.text) + len(way.cur.text)) {
				return
			}
			way.append(o, quoted || e.whole, quoted)
			ways = append(ways, way)
		}
	}
	e.ways = ways
}

func (c *choice) append(o content, unsplit, quoted bool) {
	if o.way != nil {
		c.splice(o.way)
		return
	}
	texts := []string{o.text}
	if o.isList {
		texts = o.list
	}
	for i, text := range texts {
		if i > 0 {
			c.close()
		}
		if unsplit {
			c.open = true
			c.cur.quoted = c.cur.quoted || quoted
			c.cur.text = append(c.cur.text, text...)
		} else {
			c.split(text)
		}
		c.cur.from = append(c.cur.from[:len(c.cur.from):len(c.cur.from)], o.from...)
		c.cur.many = c.cur.many || !unsplit && (o.many || strings.Contains(text, unknown))
		if (!quoted || o.glob) && isGlob(text) {
			c.cur.glob = true
		}
	}
}

// splice appends the fields of a word in the place of an expansion.
func (c *choice) splice(way *choice) {
	fields := way.done
	if way.open {
		fields = append(fields[:len(fields):len(fields)], way.cur)
	}
	for i, f := range fields {
		if i > 0 {
			c.close()
		}
		c.open = true
		c.cur.text = append(c.cur.text, f.text...)
		c.cur.quoted, c.cur.glob, c.cur.many = c.cur.quoted || f.quoted, c.cur.glob || f.glob, c.cur.many || f.many
		c.cur.from = append(c.cur.from[:len(c.cur.from):len(c.cur.from)], f.from...)
	}
	if !way.open && len(fields) > 0 { // a blank at the end
		c.close()
	}
}

// close ends the open field.
func (c *choice) close() {
	if c.open {
		c.done = append(c.done, c.cur)
	}
	c.cur, c.open = field{}, false
}

// split appends a text that the shell splits at blanks.
func (c *choice) split(text string) {
	for text != "" {
		n := strings.IndexAny(text, " \t\n")
		if n < 0 {
			c.cur.text = append(c.cur.text, text...)
			c.open = true
			return
		}
		if n > 0 {
			c.cur.text = append(c.cur.text, text[:n]...)
			c.open = true
		}
		c.close()
		text = strings.TrimLeft(text[n:], " \t\n")
	}
}

// tilde expands a tilde at the beginning of a word, and returns what is left of
// its first part.
func (e *expansion) tilde(part syntax.WordPart, only bool) syntax.WordPart {
	lit, ok := part.(*syntax.Lit)
	if !ok {
		return part
	}
	if !strings.HasPrefix(lit.Value, "~") {
		return part
	}
	name, rest, slash := strings.Cut(lit.Value[1:], "/")
	if strings.Contains(name, "\\") || !slash && !only {
		return part
	}
	e.add(e.homeOf(name), true)
	if slash {
		return &syntax.Lit{Value: "/" + rest}
	}
	return nil
}

// assignsTo reports whether a word looks like an assignment.
func assignsTo(in *syntax.Word) bool {
	lit, ok := in.Parts[0].(*syntax.Lit)
	if !ok {
		return false
	}
	name, _, found := strings.Cut(lit.Value, "=")
	return found && syntax.ValidName(name)
}

// tildes expands the tildes of a part of a word that looks like an assignment: behind
// its sign, which the first part has, and behind colons. It returns what is left.
func (e *expansion) tildes(text string, first, last bool) syntax.WordPart {
	start, from := 0, -1
	if first {
		from = strings.IndexByte(text, '=') + 1
	}
	for i := max(from, 1); i < len(text); i++ {
		if text[i] != '~' || i != from && text[i-1] != ':' || i > 1 && text[i-2] == '\\' {
			continue
		}
		end := len(text)
		n := strings.IndexAny(text[i:], "/:")
		if n >= 0 {
			end = i + n
		}
		e.literal(text[start:i], false)
		if n < 0 && !last || strings.ContainsAny(text[i+1:end], "\\=") { // which bash has rules of its own for
			e.add(unknown, true)
			return nil
		}
		e.add(e.homeOf(text[i+1:end]), true)
		start, i = end, end-1
	}
	if start == len(text) {
		return nil
	}
	return &syntax.Lit{Value: text[start:]}
}

// homeOf returns what a tilde and a name stand for.
func (e *expansion) homeOf(name string) string {
	switch name {
	case "":
		if v, ok := e.st.lookup("HOME"); ok && len(v.texts) == 1 {
			return v.texts[0]
		}
	case "+":
		return orUnknown(e.st.cwd)
	case "-":
		return orUnknown(e.st.old)
	case "root":
		return "/root"
	}
	return unknown
}

func orUnknown(text string) string {
	if text == "" {
		return unknown
	}
	return text
}
