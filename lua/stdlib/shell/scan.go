package shell

import "strings"

// An Option is one option of a command.
type Option struct {
	// Name is the option without its dashes.
	Name string
	// Value is the word that it is given, if it takes one.
	Value Word
	// HasValue reports whether it is given one.
	HasValue bool
	// Long is true if it is written with two dashes, or is longer than a letter.
	Long bool
	// Index is the place of its word in the words that were read.
	Index int
}

// scanned are the words of a command by what they are.
type scanned struct {
	options  []Option
	operands []Word
	at       int  // of the first operand
	ended    bool // by "--"
}

func (s *scanned) option(names string) (Option, bool) {
	for _, o := range s.options {
		if listed(names, o.Name) {
			return o, true
		}
	}
	return Option{}, false
}

func (s *scanned) has(names string) bool {
	_, ok := s.option(names)
	return ok
}

// listed reports whether a list of names, separated by blanks, has name.
func listed(list, name string) bool {
	for list != "" {
		var first string
		first, list, _ = strings.Cut(list, " ")
		if first == name {
			return true
		}
	}
	return false
}

// A grammar says how a program reads its options.
type grammar struct {
	values   string // options whose value is the next word, if it is not attached
	pairs    string // options that take the next two words
	optional string // letters whose value, if there is one, is attached
	single   bool   // options are whole words with one dash
	early    bool   // the first operand ends the options
}

// scan reads words, the program not among them.
func scan(words []Word, g grammar) scanned {
	s := scanned{at: len(words)}
	for i := 0; i < len(words); i++ {
		text := words[i].Text
		switch {
		case s.ended || len(text) < 2 || text[0] != '-' || strings.HasPrefix(text, "-"+unknown):
			if len(s.operands) == 0 {
				s.at = i
			}
			s.operands = append(s.operands, words[i])
			if g.early {
				s.operands = words[i:]
				return s
			}
		case text == "--":
			s.ended = true
			if g.early {
				s.at, s.operands = i+1, words[i+1:]
				return s
			}
		case text[1] == '-':
			i += s.long(words, i, text[2:], g)
		case g.single:
			i += s.long(words, i, text[1:], g)
		default:
			i += s.cluster(words, i, g)
		}
	}
	return s
}

// long reads --name, --name=value or --name value, and returns how many further
// words it took.
func (s *scanned) long(words []Word, i int, name string, g grammar) int {
	name, value, has := strings.Cut(name, "=")
	o := Option{Name: name, Long: true, Index: i}
	took := 0
	if has {
		o.Value, o.HasValue = part(words[i], value), true
	} else if listed(g.values, name) && i+1 < len(words) {
		o.Value, o.HasValue, took = words[i+1], true, 1
	} else if listed(g.pairs, name) && i+2 < len(words) {
		took = 2
	}
	s.options = append(s.options, o)
	return took
}

// cluster reads -abc, -ovalue or -o value.
func (s *scanned) cluster(words []Word, i int, g grammar) int {
	text := words[i].Text
	for at, r := range text {
		if at == 0 {
			continue
		}
		name := string(r)
		o := Option{Name: name, Index: i}
		if listed(g.optional, name) {
			if rest := text[at+len(name):]; rest != "" {
				o.Value, o.HasValue = part(words[i], rest), true
			}
			s.options = append(s.options, o)
			return 0
		}
		if !listed(g.values, name) {
			s.options = append(s.options, o)
			continue
		}
		took := 0
		if rest := text[at+len(name):]; rest != "" {
			o.Value, o.HasValue = part(words[i], rest), true
		} else if i+1 < len(words) {
			o.Value, o.HasValue, took = words[i+1], true, 1
		}
		s.options = append(s.options, o)
		return took
	}
	return 0
}

// part makes a word of the end of another one.
func part(of Word, text string) Word {
	out := Word{Text: text, Raw: of.Raw, Glob: of.Glob, Many: of.Many, From: of.From}
	if len(of.Others) > 0 {
		out.Others = []string{unknown}
	}
	return out
}
