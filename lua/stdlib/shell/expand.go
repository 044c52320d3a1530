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
	argv = w.room(len(in))
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
		e := expansion{w: w, st: st, ways: []choice{{}}, argument: len(parts) == 1}
		ways := e.word(p)
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
	if !w.step() {
		return Word{}, false
	}
	if len(in.Parts) != 1 {
		return w.literals(in)
	}
	text, ok := literal(in.Parts[0])
	return Word{Text: text, Raw: w.raw(in)}, ok
}

// literal returns the text of a part that nothing is expanded in.
func literal(part syntax.WordPart) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		plain := p.Value == "[" || !strings.ContainsAny(p.Value, "\\{~*?[")
		return p.Value, plain && p.Value != ""
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		if p.Dollar || len(p.Parts) > 1 {
			return "", false
		}
		if len(p.Parts) == 0 {
			return "", true
		}
		lit, ok := p.Parts[0].(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return "", false
		}
		return lit.Value, true
	}
	return "", false
}

// literals joins the parts of a word if all of them are literal.
func (w *walker) literals(in *syntax.Word) (Word, bool) {
	var room [64]byte
	joined := room[:0]
	for _, part := range in.Parts {
		text, ok := literal(part)
		if !ok {
			return Word{}, false
		}
		joined = append(joined, text...)
	}
	return Word{Text: string(joined), Raw: w.raw(in)}, w.spend(len(joined))
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
