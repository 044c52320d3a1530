package shell

import "strings"

// A sedReader reads a script of sed for the two commands that run something: e, and
// s with the flag e.
type sedReader struct {
	text   string
	at     int
	out    *escaped
	closed int // the last bracket that ends a class
}

func (p *sedReader) more() bool { return p.at < len(p.text) }

// take skips all bytes of a set.
func (p *sedReader) take(set string) {
	for p.more() && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

// line returns the rest of the line.
func (p *sedReader) line() string {
	rest, _, _ := strings.Cut(p.text[p.at:], "\n")
	p.at = min(p.at+len(rest)+1, len(p.text))
	return rest
}

func (p *sedReader) script() {
	for p.more() {
		p.take(" \t\n;{}")
		p.addresses()
		if p.more() {
			p.at++
			p.command(p.text[p.at-1])
		}
	}
}

// addresses skips what stands in front of a command.
func (p *sedReader) addresses() {
	for p.more() {
		switch c := p.text[p.at]; {
		case c == '/':
			p.at++
			p.until('/')
			p.take("IM")
		case c == '\\' && p.at+1 < len(p.text):
			p.at += 2
			p.until(p.text[p.at-1])
			p.take("IM")
		case strings.IndexByte("0123456789$,~+! \t\x00", c) >= 0:
			p.at++
		default:
			return
		}
	}
}

// until returns what stands in front of the next delimiter, which it skips.
func (p *sedReader) until(delimiter byte) string {
	start, class := p.at, false
	for p.more() {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '\\' && p.more():
			p.at++
		case c == '[' && !class:
			class = p.at <= p.closed && delimiter == '/'
		case c == ']':
			class = false
		case c == delimiter && !class:
			return p.text[start : p.at-1]
		}
	}
	return p.text[start:]
}

// command skips the rest of a command.
func (p *sedReader) command(c byte) {
	switch c {
	case 's':
		p.substitute()
	case 'y':
		if p.more() {
			delimiter := p.text[p.at]
			p.at++
			p.until(delimiter)
			p.until(delimiter)
		}
	case 'e':
		p.out.add(p.line())
	case 'a', 'i', 'c':
		for strings.HasSuffix(p.line(), `\`) && p.more() {
			continue
		}
	case 'r', 'R', 'w', 'W', '#':
		p.line()
	case 'b', 't', 'T', ':':
		for p.more() && strings.IndexByte(";\n}", p.text[p.at]) < 0 {
			p.at++
		}
	default: // takes at most a number
		p.take("0123456789")
	}
}

// substitute reads s/a/b/flags. With e the line is run after b was put in.
func (p *sedReader) substitute() {
	if !p.more() {
		return
	}
	delimiter := p.text[p.at]
	p.at++
	p.until(delimiter)
	by := p.until(delimiter)
	start := p.at
	p.take("0123456789gpiImMe \t")
	runs := strings.Contains(p.text[start:p.at], "e")
	if p.more() && p.text[p.at] == 'w' {
		p.line()
	}
	if !runs {
		return
	}
	p.out.hidden = true
	if plain := strings.ReplaceAll(by, `\`+string(delimiter), string(delimiter)); !strings.ContainsAny(plain, `&\`) {
		p.out.add(plain)
	}
}
