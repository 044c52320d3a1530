package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param returns what a parameter expansion may stand for.
func (w *walker) param(st *state, p *syntax.ParamExp, whole bool) []content {
	w.nestedWords(st, p)
	if p.Param == nil || p.Names != 0 || p.Width || p.IsSet || len(p.Modifiers) > 0 {
		return []content{{text: unknown, many: true}}
	}
	got := w.parameter(st, p)
	if p.Excl {
		got = w.indirect(st, got)
	}
	switch {
	case p.Length:
		return mapTexts(got, func(s string) string { return strconv.Itoa(len([]rune(s))) })
	case p.Exp != nil:
		return w.operated(st, p, got, whole)
	case p.Slice != nil:
		return mapTexts(got, func(s string) string { return w.slice(st, p.Slice, s) })
	case p.Repl != nil:
		return mapTexts(got, func(s string) string { return w.replace(st, p.Repl, s) })
	}
	return got
}

// parameter returns the values of a parameter before any operation.
func (w *walker) parameter(st *state, p *syntax.ParamExp) []content {
	name := p.Param.Value
	switch name {
	case "@", "*":
		if !st.known {
			return []content{{text: unknown, many: true}}
		}
		all := listContent(textsOf(st.args), name == "@", nil, st)
		all.glob = anyGlob(st.args)
		return []content{all}
	case "#", "?", "$", "!", "-":
		return []content{{text: unknown}}
	}
	if n, err := strconv.Atoi(name); err == nil {
		return positional(st, n)
	}
	v, ok := st.lookup(name)
	if !ok && name == "IFS" {
		return []content{{text: " \t\n"}}
	}
	switch {
	case ok:
	case name == "PWD":
		return []content{{text: orUnknown(st.cwd)}}
	case name == "OLDPWD":
		return []content{{text: orUnknown(st.old)}}
	default:
		return []content{{text: unknown}}
	}
	if v.isList {
		return []content{element(v, p.Index, w, st)}
	}
	if len(v.texts) == 0 {
		return []content{{unset: true}}
	}
	out := make([]content, 0, len(v.texts))
	for _, text := range v.texts {
		out = append(out, content{text: text, glob: v.glob, from: v.from})
	}
	return out
}

func anyGlob(words []Word) bool {
	return slices.ContainsFunc(words, func(word Word) bool { return word.Glob })
}

func textsOf(words []Word) []string {
	out := make([]string, 0, len(words))
	for _, word := range words {
		if word.Single() {
			out = append(out, word.Text)
		} else {
			out = append(out, unknown)
		}
	}
	return out
}

func listContent(items []string, apart bool, from []int, st *state) content {
	if apart {
		return content{list: items, isList: true, from: from}
	}
	if _, set := st.separators(); set && len(items) > 1 {
		return content{text: unknown, many: true, from: from}
	}
	return content{text: strings.Join(items, " "), from: from}
}

func positional(st *state, n int) []content {
	var word Word
	switch {
	case n == 0 && st.zero != nil:
		word = *st.zero
	case n == 0 || !st.known:
		return []content{{text: unknown}}
	case n > len(st.args):
		return []content{{}}
	default:
		word = st.args[n-1]
	}
	out := make([]content, 0, 1)
	for _, text := range word.Texts() {
		out = append(out, content{text: text, glob: word.Glob, from: word.From})
	}
	return out
}

// element returns an item of an array, or all of them.
func element(v variable, index syntax.ArithmExpr, w *walker, st *state) content {
	at := "0"
	if word, ok := index.(*syntax.Word); ok {
		at = w.single(st, word).Text
	} else if index != nil {
		at = unknown
	}
	if at == "@" || at == "*" {
		return listContent(v.list, at == "@", v.from, st)
	}
	n, err := strconv.Atoi(at)
	switch {
	case err != nil:
		return content{text: unknown, from: v.from}
	case n < 0:
		n += len(v.list)
	}
	if n < 0 || n >= len(v.list) {
		return content{from: v.from}
	}
	return content{text: v.list[n], from: v.from}
}

// indirect looks up the names that a parameter holds.
func (w *walker) indirect(st *state, names []content) []content {
	var out []content
	for _, n := range names {
		v, ok := st.lookup(n.text)
		if !ok || v.isList || n.isList {
			return []content{{text: unknown}}
		}
		for _, text := range v.texts {
			out = append(out, content{text: text, glob: v.glob, from: v.from})
		}
	}
	return out
}

// mapTexts applies f to what is known.
func mapTexts(in []content, f func(string) string) []content {
	out := make([]content, 0, len(in))
	for _, c := range in {
		if c.isList || strings.Contains(c.text, unknown) {
			out = append(out, content{text: unknown, many: c.isList, from: c.from})
			continue
		}
		out = append(out, content{text: f(c.text), from: c.from})
	}
	return out
}

// operated applies the operators of ${x:-y} and its like.
func (w *walker) operated(st *state, p *syntax.ParamExp, got []content, whole bool) []content {
	op := p.Exp.Op
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return w.defaulted(st, p, got, whole)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		w.single(st, p.Exp.Word)
		return got
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return w.alternate(st, p, got, whole)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pattern := w.single(st, p.Exp.Word)
		return mapTexts(got, func(s string) string { return trim(op, s, pattern) })
	case syntax.UpperAll:
		return mapTexts(got, strings.ToUpper)
	case syntax.LowerAll:
		return mapTexts(got, strings.ToLower)
	default:
		return mapTexts(got, func(string) string { return unknown })
	}
}

// isSet reports whether a parameter is sure to have a value, and a text.
func isSet(c content) (set, text bool) {
	if c.isList {
		return len(c.list) > 0, len(c.list) > 0
	}
	known := strings.ReplaceAll(c.text, unknown, "") != ""
	return known || c.text == "", known
}

func (w *walker) defaulted(st *state, p *syntax.ParamExp, got []content, whole bool) []content {
	op := p.Exp.Op
	orNull := op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull
	var out []content
	needed := false
	for _, c := range got {
		set, text := isSet(c)
		switch {
		case c.unset:
			needed = true
		case text || set && !orNull:
			out = append(out, c)
		case set:
			needed = true
		default:
			out = append(out, c)
			needed = true
		}
	}
	if !needed {
		return out
	}
	assigns := op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull
	instead := w.instead(st, p.Exp.Word, whole || assigns)
	var texts []string
	for _, c := range instead {
		texts = append(texts, c.text)
	}
	out = append(out, instead...)
	if assigns {
		if len(got) > 1 || len(out) > len(texts) {
			texts = append(texts, unknown)
		}
		st.assign(p.Param.Value, texts...)
	}
	return out
}

// instead returns what the word of ${x:-word} stands for: where the shell splits
// words, its own quotes still count.
func (w *walker) instead(st *state, word *syntax.Word, whole bool) []content {
	var out []content
	if word == nil || whole {
		made := w.single(st, word)
		for _, text := range made.Texts() {
			out = append(out, content{text: text, glob: made.Glob, from: made.From})
		}
		return out
	}
	e := expansion{w: w, st: st, ways: []choice{{}}, inner: true}
	for _, way := range e.word(word) {
		out = append(out, content{way: &way})
	}
	return out
}

func (w *walker) alternate(st *state, p *syntax.ParamExp, got []content, whole bool) []content {
	instead := w.instead(st, p.Exp.Word, whole)
	var out []content
	for _, c := range got {
		_, text := isSet(c)
		if !text {
			out = append(out, content{})
		}
		if c.unset {
			continue
		}
		if text || strings.Contains(c.text, unknown) || p.Exp.Op == syntax.AlternateUnset {
			out = append(out, instead...)
		}
	}
	return out
}

// trim removes a prefix or suffix; one with wild cards is not worked out, except
// the usual "*/" and "/*".
func trim(op syntax.ParExpOperator, s string, pattern Word) string {
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	switch {
	case !pattern.Single():
		return unknown
	case !pattern.Glob && prefix:
		return strings.TrimPrefix(s, pattern.Text)
	case !pattern.Glob:
		return strings.TrimSuffix(s, pattern.Text)
	}
	literal := strings.Trim(pattern.Text, "*")
	if strings.ContainsAny(literal, "*?[\\(") || literal == "" {
		return unknown
	}
	var at int
	switch {
	case op == syntax.RemSmallPrefix && pattern.Text == "*"+literal:
		at = strings.Index(s, literal)
	case op == syntax.RemLargePrefix && pattern.Text == "*"+literal:
		at = strings.LastIndex(s, literal)
	case op == syntax.RemSmallSuffix && pattern.Text == literal+"*":
		at = strings.LastIndex(s, literal)
	case op == syntax.RemLargeSuffix && pattern.Text == literal+"*":
		at = strings.Index(s, literal)
	default:
		return unknown
	}
	if at < 0 {
		return s
	}
	if prefix {
		return s[at+len(literal):]
	}
	return s[:at]
}

func (w *walker) slice(st *state, by *syntax.Slice, s string) string {
	from, err := strconv.Atoi(w.arithmetic(st, by.Offset))
	runes := []rune(s)
	if err != nil {
		return unknown
	}
	if from < 0 {
		from += len(runes)
	}
	if from < 0 || from > len(runes) {
		return ""
	}
	runes = runes[from:]
	if by.Length == nil {
		return string(runes)
	}
	n, err := strconv.Atoi(w.arithmetic(st, by.Length))
	if err != nil {
		return unknown
	}
	if n < 0 {
		n += len(runes)
	}
	return string(runes[:min(max(n, 0), len(runes))])
}

func (w *walker) replace(st *state, by *syntax.Replace, s string) string {
	from, to := w.single(st, by.Orig), w.single(st, by.With)
	if !from.Single() || !to.Single() || from.Glob || from.Text == "" {
		return unknown
	}
	if n := strings.IndexByte("#%", from.Text[0]); n >= 0 {
		return unknown
	}
	if by.All {
		if !w.spend(len(s) + strings.Count(s, from.Text)*len(to.Text)) {
			return unknown
		}
		return strings.ReplaceAll(s, from.Text, to.Text)
	}
	return strings.Replace(s, from.Text, to.Text, 1)
}

// arithmetic works out numbers and names; anything else is not known.
func (w *walker) arithmetic(st *state, x syntax.ArithmExpr) string {
	switch x := x.(type) {
	case *syntax.Word:
		text := w.single(st, x)
		if v, ok := st.lookup(text.Text); ok && len(v.texts) == 1 {
			text = Word{Text: v.texts[0]}
		}
		if _, err := strconv.Atoi(text.Text); err == nil && text.Single() {
			return text.Text
		}
	case *syntax.ParenArithm:
		return w.arithmetic(st, x.X)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Minus && !x.Post {
			if v := w.arithmetic(st, x.X); v != unknown && !strings.HasPrefix(v, "-") {
				return "-" + v
			}
		}
	}
	return unknown
}

// splitBraces returns the words that braces make of one.
func splitBraces(in *syntax.Word) []*syntax.Word {
	has := slices.ContainsFunc(in.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{")
	})
	if !has {
		return []*syntax.Word{in}
	}
	copied := &syntax.Word{Parts: slices.Clone(in.Parts)}
	if !syntax.SplitBraces(copied) {
		return []*syntax.Word{in}
	}
	out := braces(copied.Parts)
	if out == nil {
		return []*syntax.Word{{Parts: []syntax.WordPart{&syntax.ExtGlob{Op: syntax.GlobOne, Pattern: &syntax.Lit{}}}}}
	}
	return out
}

// braces expands the braces in parts; nil if they make too many words.
func braces(parts []syntax.WordPart) []*syntax.Word {
	for i, part := range parts {
		br, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		var out []*syntax.Word
		for _, elem := range braceItems(br) {
			whole := slices.Concat(parts[:i:i], elem.Parts, parts[i+1:])
			made := braces(whole)
			if made == nil || len(out)+len(made) > maxBraces {
				return nil
			}
			out = append(out, made...)
		}
		return out
	}
	return []*syntax.Word{{Parts: parts}}
}

// braceItems lists the items of {a,b} or {1..3}. A sequence that is too long has
// a wild card for its item.
func braceItems(br *syntax.BraceExp) []*syntax.Word {
	if !br.Sequence {
		return br.Elems
	}
	anything := []*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{Value: "*"}}}}
	first, last := br.Elems[0].Lit(), br.Elems[1].Lit()
	letters := len(first) == 1 && len(last) == 1 && (first[0] > '9' || last[0] > '9')
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if letters {
		from, to, errFrom, errTo = int(first[0]), int(last[0]), nil, nil
	}
	if errFrom != nil || errTo != nil || len(br.Elems) > 2 || abs(to-from) >= maxBraces || padded(first) || padded(last) {
		return anything
	}
	by := 1
	if to < from {
		by = -1
	}
	var out []*syntax.Word
	for n := from; ; n += by {
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}})
		if n == to {
			return out
		}
	}
}

func padded(digits string) bool {
	digits = strings.TrimPrefix(digits, "-")
	return len(digits) > 1 && digits[0] == '0'
}

func abs(n int) int { return max(n, -n) }
