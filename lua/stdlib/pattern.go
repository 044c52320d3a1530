package stdlib

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxCompiled   = 4096 // instructions of a compiled pattern
	maxRemembered = 64   // compiled patterns of one Lua state
)

// A pattern is a compiled regular expression and what it costs.
type pattern struct {
	text    string
	re      *regexp.Regexp
	size    int    // instructions, or a little more
	prefix  string // that every match begins with
	longest int    // letters of a match at most; -1 if unbounded
	// behind finds a match in a text of which the first letter was dealt with and
	// only counts for what the pattern asks about it. Its first group is the
	// match. It is nil if the pattern asks nothing.
	behind *regexp.Regexp
	paid   uint64 // the run that paid for it last
}

// patterns remembers compiled patterns, the longest unused first.
type patterns []*pattern

// get returns the compiled form of text. When there are too many, those go first
// that the run did not use, so that what is compiled again within a run depends
// on that run alone.
func (ps *patterns) get(text string, run uint64) (*pattern, error) {
	for _, p := range *ps {
		if p.text == text {
			return p, nil
		}
	}
	p, err := compilePattern(text)
	if err != nil {
		return nil, err
	}
	if len(*ps) == maxRemembered {
		out := max(slices.IndexFunc(*ps, func(p *pattern) bool { return p.paid != run }), 0)
		*ps = slices.Delete(*ps, out, out+1)
	}
	*ps = append(*ps, p)
	return p, nil
}

func compilePattern(text string) (*pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var mistake *syntax.Error
		if errors.As(err, &mistake) {
			return nil, fmt.Errorf("%s: %q", mistake.Code, mistake.Expr)
		}
		return nil, err
	}
	size := compiledSize(tree)
	if size > maxCompiled {
		return nil, fmt.Errorf("it repeats too much: more than %d instructions", maxCompiled)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	prefix, _ := re.LiteralPrefix()
	p := &pattern{text: text, re: re, size: size, prefix: prefix, longest: longestMatch(tree)}
	if looksBehind(tree) {
		p.behind, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + text + `)`)
	}
	return p, err
}

// compiledSize estimates the instructions of a pattern before it is compiled,
// from above. Repetitions are copies.
func compiledSize(tree *syntax.Regexp) int {
	size := 2 + len(tree.Rune)
	if tree.Op == syntax.OpCharClass {
		size = 2
	}
	for _, sub := range tree.Sub {
		if size += compiledSize(sub); size > maxCompiled {
			return size
		}
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min+1, tree.Max, 1)
	}
	return size
}

// cost is what one search of n bytes may take, in instructions: a pattern in which
// many ways go on at once looks at all of them for every byte.
func (p *pattern) cost(n int) int { return n * (64 + p.size) / 64 }

// from returns the first match at pos or behind it, and how many bytes were read
// for it. A pattern may look at all of a text to match little of it, time and
// again; so what is read is counted, unless the pattern bounds it.
func (p *pattern) from(pos int, text string) (at []int, read int) {
	re, start, groups := p.re, pos, 0
	if pos > 0 && p.behind != nil {
		_, size := utf8.DecodeLastRuneInString(text[:pos])
		re, start, groups = p.behind, pos-size, 1
	}
	if p.longest >= 0 && groups == 0 {
		at, read = re.FindStringSubmatchIndex(text[start:]), len(text)-start
		if at != nil {
			read = min(read, at[1]+p.longest*utf8.UTFMax)
		}
	} else {
		from := strings.NewReader(text[start:])
		at = re.FindReaderSubmatchIndex(from)
		read = len(text) - start - from.Len()
	}
	if at == nil {
		return nil, read
	}
	at = at[2*groups:]
	for i := range at {
		if at[i] >= 0 {
			at[i] += start
		}
	}
	return at, read
}

// next is where the search goes on behind a match.
func next(text string, at []int, pos int) int {
	if at[1] > pos {
		return at[1]
	}
	_, size := utf8.DecodeRuneInString(text[pos:])
	return pos + max(size, 1)
}

// longestMatch returns how many letters a match has at most, or -1.
func longestMatch(tree *syntax.Regexp) int {
	longest := 0
	for _, sub := range tree.Sub {
		n := longestMatch(sub)
		switch {
		case n < 0:
			return -1
		case tree.Op == syntax.OpAlternate:
			longest = max(longest, n)
		default:
			longest += n
		}
	}
	switch tree.Op {
	case syntax.OpLiteral:
		return len(tree.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpStar, syntax.OpPlus:
		return -1
	case syntax.OpRepeat:
		if tree.Max < 0 {
			return -1
		}
		return longest * tree.Max
	default:
		return longest
	}
}

// looksBehind reports whether a pattern asks what stands before the place where
// it is tried.
func looksBehind(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	default:
		return slices.ContainsFunc(tree.Sub, looksBehind)
	}
}
