package luavm

import "strings"

// A matcher matches one Lua pattern. Every step takes from the budget and the
// recursion is bounded, so that no pattern can hang or crash the host.
//
// Malformed patterns and exhausted limits unwind by panic; [matcher.find], the
// only way in, turns a malformed pattern into an error and passes the rest on.
type matcher struct {
	src, pat string
	caps     [maxCaptures]capture
	level    int
	depth    int
	steps    int64
	cost     patternCost
	inUse    bool
}

// patternCost is where a matcher takes its steps from. Both methods may unwind.
type patternCost interface {
	chargeSteps(n int64)
	tooDeep()
}

type capture struct{ start, len int }

const (
	capUnclosed = -1
	capPosition = -2

	stepBatch    = 256
	stepsPerInst = 4 // a step is worth a quarter of an instruction
)

// patternError is a malformed pattern.
type patternError string

func (e patternError) Error() string { return string(e) }

const (
	errPatEnd      = patternError("malformed pattern (ends with '%')")
	errPatSet      = patternError("malformed pattern (missing ']')")
	errPatCapture  = patternError("invalid pattern capture")
	errPatIndex    = patternError("invalid capture index")
	errPatTooMany  = patternError("too many captures")
	errPatOpen     = patternError("unfinished capture")
	errPatBalance  = patternError("missing arguments to '%b'")
	errPatFrontier = patternError("missing '[' after '%f' in pattern")
)

// plainPattern reports whether pat matches only itself.
func plainPattern(pat string) bool { return !strings.ContainsAny(pat, "^$*+?.([%-") }

func (m *matcher) step(n int64) {
	if m.steps += n; m.steps >= stepBatch {
		m.cost.chargeSteps(m.steps / stepsPerInst)
		m.steps = 0
	}
}

// find returns where the pattern first matches at or after from; start < 0 if it
// does not.
func (m *matcher) find(from int) (start, end int, err error) {
	defer func() {
		if r := recover(); r != nil {
			malformed, ok := r.(patternError)
			if !ok {
				panic(r)
			}
			err = malformed
		}
	}()
	p := 0
	anchor := len(m.pat) > 0 && m.pat[0] == '^'
	if anchor {
		p = 1
	}
	first, literal := m.first(p)
	for s := from; ; s++ {
		if literal && !anchor {
			n := strings.IndexByte(m.src[s:], first)
			if n < 0 {
				m.step(int64(len(m.src)-s) + 1) // as many as all attempts take
				return -1, -1, nil
			}
			m.step(int64(n))
			s += n
		}
		m.level, m.depth = 0, 0
		if e := m.match(s, p); e >= 0 {
			return s, e, nil
		}
		if anchor || s >= len(m.src) {
			return -1, -1, nil
		}
	}
}

// first returns the character with which every match of pat[p:] begins, if the
// pattern begins with one that stands for itself.
func (m *matcher) first(p int) (c byte, ok bool) {
	rest := m.pat[p:]
	switch {
	case rest == "" || strings.IndexByte("^$*+?.([-)", rest[0]) >= 0:
		return 0, false
	case rest[0] == '%':
		if rest = rest[1:]; rest == "" || isLetter(rest[0]) || isDigit(rest[0]) {
			return 0, false
		}
	}
	if len(rest) > 1 && strings.IndexByte("?*-", rest[1]) >= 0 {
		return 0, false
	}
	return rest[0], true
}

// match returns the end of the match of pat[p:] at s, or -1.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxMatchDepth {
		m.cost.tooDeep()
	}
	for {
		m.step(1)
		if p == len(m.pat) {
			m.depth--
			return s
		}
		next, to, done := m.item(s, p)
		if done {
			m.depth--
			return next
		}
		s, p = next, to
	}
}

// item matches one item of the pattern. Either the match is decided (done) with
// next as its end, or it goes on at next with pat[to:].
func (m *matcher) item(s, p int) (next, to int, done bool) {
	switch m.pat[p] {
	case '(':
		if p+1 < len(m.pat) && m.pat[p+1] == ')' {
			return m.openCapture(s, p+2, capPosition), 0, true
		}
		return m.openCapture(s, p+1, capUnclosed), 0, true
	case ')':
		return m.closeCapture(s, p+1), 0, true
	case '$':
		if p+1 == len(m.pat) {
			if s == len(m.src) {
				return s, 0, true
			}
			return -1, 0, true
		}
	case '%':
		if p+1 < len(m.pat) {
			switch c := m.pat[p+1]; {
			case c == 'b':
				next = m.balance(s, p+2)
				return next, p + 4, next < 0
			case c == 'f':
				to, ok := m.frontier(s, p+2)
				if !ok {
					return -1, 0, true
				}
				return s, to, false
			case isDigit(c):
				next = m.backReference(s, c)
				return next, p + 2, next < 0
			}
		}
	}
	return m.repeatable(s, p)
}

// repeatable matches a single character class with the repetition that follows it.
func (m *matcher) repeatable(s, p int) (next, to int, done bool) {
	ep := m.classEnd(p)
	repetition := byte(0)
	if ep < len(m.pat) {
		repetition = m.pat[ep]
	}
	switch repetition {
	case '?':
		if m.one(s, p, ep) {
			if r := m.match(s+1, ep+1); r >= 0 {
				return r, 0, true
			}
		}
		return s, ep + 1, false
	case '*':
		return m.greedy(s, p, ep, 0), 0, true
	case '+':
		return m.greedy(s, p, ep, 1), 0, true
	case '-':
		return m.lazy(s, p, ep), 0, true
	}
	if !m.one(s, p, ep) {
		return -1, 0, true
	}
	return s + 1, ep, false
}

func (m *matcher) greedy(s, p, ep, least int) int {
	i := 0
	for m.one(s+i, p, ep) {
		i++
		m.step(1)
	}
	for ; i >= least; i-- {
		m.step(1)
		if r := m.match(s+i, ep+1); r >= 0 {
			return r
		}
	}
	return -1
}

func (m *matcher) lazy(s, p, ep int) int {
	for {
		m.step(1)
		if r := m.match(s, ep+1); r >= 0 {
			return r
		}
		if !m.one(s, p, ep) {
			return -1
		}
		s++
	}
}

func (m *matcher) openCapture(s, p, what int) int {
	if m.level >= maxCaptures {
		panic(errPatTooMany)
	}
	m.caps[m.level] = capture{s, what}
	m.level++
	r := m.match(s, p)
	if r < 0 {
		m.level--
	}
	return r
}

func (m *matcher) closeCapture(s, p int) int {
	open := m.level - 1
	for open >= 0 && m.caps[open].len != capUnclosed {
		open--
	}
	if open < 0 {
		panic(errPatCapture)
	}
	m.caps[open].len = s - m.caps[open].start
	r := m.match(s, p)
	if r < 0 {
		m.caps[open].len = capUnclosed
	}
	return r
}

// balance matches %b at s; p is at its two characters.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pat) {
		panic(errPatBalance)
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	opening, closing := m.pat[p], m.pat[p+1]
	depth := 1
	for i := s + 1; i < len(m.src); i++ {
		m.step(1)
		switch m.src[i] {
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		case opening:
			depth++
		}
	}
	return -1
}

// frontier matches %f at s; p is at its set. It returns the end of the set.
func (m *matcher) frontier(s, p int) (end int, ok bool) {
	if p >= len(m.pat) || m.pat[p] != '[' {
		panic(errPatFrontier)
	}
	end = m.classEnd(p)
	var before, here byte
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		here = m.src[s]
	}
	return end, !m.set(before, p, end) && m.set(here, p, end)
}

func (m *matcher) backReference(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.caps[i].len == capUnclosed {
		panic(errPatIndex)
	}
	n := max(0, m.caps[i].len)
	m.step(int64(n) >> 4)
	if len(m.src)-s < n || m.src[m.caps[i].start:m.caps[i].start+n] != m.src[s:s+n] {
		return -1
	}
	return s + n
}
