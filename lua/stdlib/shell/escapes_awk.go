package shell

import "strings"

// An awkReader reads a program of awk for what it gives to a shell: system(…), print
// to a pipe, and getline from one.
type awkReader struct {
	text string
	at   int
	out  *escaped
	// before is the last token: a string with its quote in front, a name, or a sign.
	before string
}

func (p *awkReader) program() {
	for token := p.next(); token != ""; token = p.next() {
		before := p.before
		p.before = token
		switch token {
		case "system":
			p.system()
		case "|", "|&":
			p.pipe(before)
		}
	}
}

// next returns the next token; "" at the end. What is between strings, patterns,
// names and pipes is returned sign by sign.
func (p *awkReader) next() string {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch c := rest[0]; {
		case strings.IndexByte(" \t\n\\", c) >= 0:
			p.at++
		case c == '#':
			line, _, _ := strings.Cut(rest, "\n")
			p.at += len(line)
		case c == '"':
			return p.quoted('"')
		case c == '/' && p.pattern():
			return p.quoted('/')
		case wordByte(c):
			n := 0
			for n < len(rest) && wordByte(rest[n]) {
				n++
			}
			p.at += n
			return rest[:n]
		case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "|&"):
			p.at += 2
			return rest[:2]
		default:
			p.at++
			return rest[:1]
		}
	}
	return ""
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// pattern reports whether a slash begins one rather than divides.
func (p *awkReader) pattern() bool {
	b := p.before
	return b == "" || !wordByte(b[len(b)-1]) && b[0] != '"' && b != ")" && b != "]" || b == "return" || b == "print"
}

// quoted returns a string or a pattern, with its first quote and what escapes in it.
func (p *awkReader) quoted(quote byte) string {
	var b strings.Builder
	b.WriteByte(quote)
	for p.at++; p.at < len(p.text) && p.text[p.at] != quote; p.at++ {
		if p.text[p.at] == '\\' && p.at+1 < len(p.text) {
			p.at++
			if c := p.text[p.at]; c != quote && c != '\\' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(p.text[p.at])
	}
	p.at++
	return b.String()
}

// system reads system(…): a string alone is known.
func (p *awkReader) system() {
	if p.next() != "(" {
		return
	}
	text := p.next()
	if p.before = p.next(); text != "" && text[0] == '"' && p.before == ")" {
		p.out.add(text[1:])
		return
	}
	p.out.hidden = true
}

// pipe reads what stands at a pipe: behind it for print, in front of it for getline.
func (p *awkReader) pipe(before string) {
	text := p.next()
	p.before = text
	if text == "getline" {
		text = before
	}
	if text == "" || text[0] != '"' {
		p.out.hidden = true
		return
	}
	p.out.add(text[1:])
}
