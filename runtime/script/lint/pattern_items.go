package lint

import "strings"

// A patternItem is one item of a Lua pattern: what one character is matched
// against, with its repetition.
type patternItem struct {
	from       int // offset in the pattern
	text       string
	class      byte // 'l' for a letter, digit or sign that stands for itself, 'c' for classes and sets, 0 for anchors and brackets
	quantifier byte // *, +, - or ?, else 0
}

// patternItems splits a well-formed pattern.
func patternItems(pattern string) (items []patternItem) {
	for at := 0; at < len(pattern); {
		item := patternItem{from: at, text: itemText(pattern, at)}
		switch c := pattern[at]; {
		case c == '(' || c == ')' || c == '^' && at == 0 || c == '$' && at == len(pattern)-1,
			strings.HasPrefix(item.text, "%b"), strings.HasPrefix(item.text, "%f"):
		case c == '.' || c == '[' || c == '%' && isLetter(item.text[1]):
			item.class = 'c'
		default:
			item.class = 'l'
		}
		at += len(item.text)
		if item.class != 0 && at < len(pattern) && strings.IndexByte("*+-?", pattern[at]) >= 0 {
			item.quantifier = pattern[at]
			at++
		}
		items = append(items, item)
	}
	return items
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// itemText returns the item that begins at an offset.
func itemText(pattern string, at int) string {
	rest := pattern[at:]
	switch {
	case strings.HasPrefix(rest, "%b"):
		return rest[:min(len(rest), 4)]
	case strings.HasPrefix(rest, "%f"):
		return rest[:min(len(rest), 2+setLength(rest[2:]))]
	case rest[0] == '%':
		return rest[:min(len(rest), 2)]
	case rest[0] == '[':
		return rest[:setLength(rest)]
	}
	return rest[:1]
}

// setLength returns the length of the set that text begins with.
func setLength(text string) int {
	i := 1
	if strings.HasPrefix(text[min(i, len(text)):], "^") {
		i++
	}
	for first := true; i < len(text); first = false {
		switch {
		case text[i] == ']' && !first:
			return i + 1
		case text[i] == '%':
			i += 2
		default:
			i++
		}
	}
	return len(text)
}

// repeats reports whether an item can match any number of characters.
func (i patternItem) repeats() bool {
	return i.quantifier == '*' || i.quantifier == '+' || i.quantifier == '-'
}

// wide reports whether an item repeats over almost any character.
func (i patternItem) wide() bool {
	return i.repeats() && (i.text == "." || strings.HasPrefix(i.text, "[^") || i.text == "%S")
}

// overlaps reports whether two items can match the same character.
func (i patternItem) overlaps(o patternItem) bool {
	return i.text == o.text || i.text == "." || o.text == "."
}
