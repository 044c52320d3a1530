package luavm

// classEnd returns the end of the single character class at p.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if p >= len(m.pat) {
			panic(errPatEnd)
		}
		return p + 1
	case '[':
		end := m.setEnd(p)
		m.step(int64(end-p) >> 2)
		return end
	}
	return p
}

func (m *matcher) setEnd(p int) int {
	if p < len(m.pat) && m.pat[p] == '^' {
		p++
	}
	for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
		if p >= len(m.pat) {
			panic(errPatSet)
		}
		c := m.pat[p]
		p++
		if c == '%' {
			if p >= len(m.pat) {
				panic(errPatSet)
			}
			p++
		}
	}
	return p + 1
}

// one reports whether the class pat[p:ep] matches the character at s.
func (m *matcher) one(s, p, ep int) bool {
	if s >= len(m.src) {
		return false
	}
	c := m.src[s]
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.set(c, p, ep)
	}
	return m.pat[p] == c
}

// set tests c against the set pat[p:ep], p at '[' and ep past ']'.
func (m *matcher) set(c byte, p, ep int) bool {
	found := true
	last := ep - 1
	p++
	if m.pat[p] == '^' {
		found = false
		p++
	}
	m.step(int64(last-p) >> 2)
	for p < last {
		switch {
		case m.pat[p] == '%':
			p++
			if inClass(c, m.pat[p]) {
				return found
			}
			p++
		case p+2 < last && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return found
			}
			p += 3
		default:
			if m.pat[p] == c {
				return found
			}
			p++
		}
	}
	return !found
}

// inClass reports whether c belongs to class %class; classes are those of ASCII,
// whatever the locale.
func inClass(c, class byte) bool {
	var in bool
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = isDigit(c)
	case 'g':
		in = c > 32 && c < 127
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > 32 && c < 127 && !isLetter(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= 9 && c <= 13
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if class >= 'A' && class <= 'Z' {
		return !in
	}
	return in
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
