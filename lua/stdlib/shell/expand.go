package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxChoices = 8   // texts that one word may have
	maxBraces  = 128 // words that braces may make of one
)

// A field is a word in the making.
type field struct {
	text   []byte
	glob   bool
	quoted bool // a quote makes it a word even while it is empty
	many   bool
	from   []int
}

// A choice is one way how a word of the line may turn out: the fields it is split
// into, of which the last is still open.
type choice struct {
	done []field
	cur  field
	open bool // whether cur is a word so far
}

// A content is what an expansion may stand for.
type content struct {
	text   string
	list   []string
	isList bool
	many   bool
	glob   bool // whether a text matches names of files, quoted or not
	from   []int
	unset  bool    // whether it is a variable that is sure to be unset
	way    *choice // the fields, where a word is spliced in with its quotes
}

// words returns what the words of a line expand to. If the first may turn out in
// several ways, further holds all of it for the second way and so on.
func (w *walker) words(st *state, in []*syntax.Word) (argv []Word, further [][]Word) {
	if len(in) == 0 {
		return nil, nil
	}
	argv = make([]Word, 0, len(in))
	fast, ok := w.plain(in[0])
	if ok {
		argv = append(argv, fast)
	} else {
		ways := w.word(st, in[0])
		if len(ways) > 0 {
			argv, further = append(argv, ways[0]...), ways[1:]
		}
	}
	first := len(argv)
	for _, word := range in[1:] {
		argv = w.appendWord(argv, st, word)
	}
	for i, way := range further {
		further[i] = slices.Concat(way, argv[first:])
	}
	return argv, further
}

// word returns the ways how one word of the line may turn out.
func (w *walker) word(st *state, in *syntax.Word) [][]Word {
	if fast, ok := w.plain(in); ok {
		return [][]Word{{fast}}
	}
	var out [][]Word
	parts := splitBraces(in)
	for i, p := range parts {
		ways := w.choices(st, p, false)
		made := make([][]Word, 0, len(ways))
		for _, c := range ways {
			made = append(made, c.words(w.raw(in)))
		}
		if i == 0 {
			out = made
			continue
		}
		joined := mergeWays(made)
		for k := range out {
			out[k] = append(out[k], joined...)
		}
	}
	return out
}

// appendWord appends what one word of the line expands to. Where the ways how it
// may turn out differ, the words have other texts.
func (w *walker) appendWord(words []Word, st *state, in *syntax.Word) []Word {
	if fast, ok := w.plain(in); ok {
		return append(words, fast)
	}
	return append(words, mergeWays(w.word(st, in))...)
}

// list returns what the items of a loop expand to.
func (w *walker) list(st *state, in []*syntax.Word) []Word {
	out := make([]Word, 0, len(in))
	for _, word := range in {
		out = w.appendWord(out, st, word)
	}
	return out
}

// single returns the word that in stands for where the shell does not split it:
// in assignments and redirections.
func (w *walker) single(st *state, in *syntax.Word) Word {
	if in == nil {
		return Word{}
	}
	if fast, ok := w.plain(in); ok {
		return fast
	}
	ways := w.choices(st, in, true)
	made := make([][]Word, 0, len(ways))
	for _, c := range ways {
		c.open = true
		made = append(made, c.words(w.raw(in)))
	}
	words := mergeWays(made)
	if len(words) != 1 {
		return Word{Text: unknown, Raw: w.raw(in)}
	}
	return words[0]
}

// plain returns the word if it is one literal without any expansion: the usual
// case.
func (w *walker) plain(in *syntax.Word) (Word, bool) {
	if len(in.Parts) != 1 || !w.step() {
		return Word{}, false
	}
	switch p := in.Parts[0].(type) {
	case *syntax.Lit:
		if p.Value != "[" && strings.ContainsAny(p.Value, "\\{~*?[") || p.Value == "" {
			return Word{}, false
		}
		return Word{Text: p.Value, Raw: p.Value}, true
	case *syntax.SglQuoted:
		if p.Dollar {
			return Word{}, false
		}
		return Word{Text: p.Value, Raw: w.raw(in)}, true
	case *syntax.DblQuoted:
		if p.Dollar || len(p.Parts) != 1 {
			return Word{}, false
		}
		lit, ok := p.Parts[0].(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return Word{}, false
		}
		return Word{Text: lit.Value, Raw: w.raw(in)}, true
	}
	return Word{}, false
}

// raw returns a node as it is written.
func (w *walker) raw(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(w.src) {
		return ""
	}
	return w.src[from:to]
}

// words closes a choice.
func (c *choice) words(raw string) []Word {
	fields := c.done
	if c.open {
		fields = append(fields, c.cur)
	}
	out := make([]Word, 0, len(fields))
	for _, f := range fields {
		out = append(out, Word{Text: string(f.text), Raw: raw, Glob: f.glob, Many: f.many, From: f.from})
	}
	return out
}

// mergeWays makes one list of words of several ways.
func mergeWays(ways [][]Word) []Word {
	if len(ways) == 1 {
		return ways[0]
	}
	size := 0
	same := true
	for _, way := range ways {
		same = same && len(way) == len(ways[0])
		size = max(size, len(way))
	}
	out := make([]Word, size)
	seen := make([]bool, size)
	for _, way := range ways {
		for i, word := range way {
			if !seen[i] {
				out[i], seen[i] = word, true
				continue
			}
			out[i].join(word)
		}
	}
	for i := range out {
		out[i].Many = out[i].Many || !same
	}
	return out
}

// join makes w a word that may also be o.
func (w *Word) join(o Word) {
	for _, text := range o.Texts() {
		if text != w.Text && !slices.Contains(w.Others, text) {
			w.Others = append(slices.Clone(w.Others), text)
		}
	}
	w.Glob = w.Glob || o.Glob
	w.Many = w.Many || o.Many
	for _, i := range o.From {
		if !slices.Contains(w.From, i) {
			w.From = append(slices.Clone(w.From), i)
		}
	}
}

// choices expands the parts of a word; whole is true where the shell does not
// split it.
func (w *walker) choices(st *state, in *syntax.Word, whole bool) []choice {
	e := expansion{w: w, st: st, ways: []choice{{}}, whole: whole}
	return e.word(in)
}

func (e *expansion) word(in *syntax.Word) []choice {
	for i, part := range in.Parts {
		if i == 0 {
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
	inner bool // it is the word of ${x:-word}, whose blanks split it too
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
		in := Input{}
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
	if !ok || !strings.HasPrefix(lit.Value, "~") {
		return part
	}
	name, rest, slash := strings.Cut(lit.Value[1:], "/")
	if strings.Contains(name, "\\") || !slash && !only {
		return part
	}
	home := unknown
	switch name {
	case "":
		if v, ok := e.st.lookup("HOME"); ok && len(v.texts) == 1 {
			home = v.texts[0]
		}
	case "+":
		home = orUnknown(e.st.cwd)
	case "-":
		home = orUnknown(e.st.old)
	case "root":
		home = "/root"
	}
	e.add(home, true)
	if slash {
		return &syntax.Lit{Value: "/" + rest}
	}
	return nil
}

func orUnknown(text string) string {
	if text == "" {
		return unknown
	}
	return text
}
