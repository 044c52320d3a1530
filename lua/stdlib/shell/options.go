package shell

import "strings"

// Parsed are the options and operands of a command, read with the grammar of its
// program. If no table knows the program, no option takes a value from the next
// word.
type Parsed struct {
	// Sub is the subcommand of a program that has some: "push" of git.
	Sub string
	// Before are the options in front of the subcommand.
	Before []Option
	// Options are the options, in order.
	Options []Option
	// Operands are the other words, without the program and the subcommand.
	Operands []Word
	// Unsure is true if a word that is not known may be an option.
	Unsure bool

	longs string
}

// Parsed reads the words of c.
func (c *Command) Parsed() Parsed {
	if len(c.Argv) == 0 {
		return Parsed{}
	}
	p := findProgram(c.Name)
	words := c.Argv[1:]
	out := Parsed{}
	if p.subs {
		before := scan(words, grammar{values: p.values, early: true})
		out.Before = before.options
		if len(before.operands) == 0 {
			out.Unsure = unsure(before.options)
			return out
		}
		if before.operands[0].Single() {
			out.Sub = before.operands[0].Text
		} else {
			out.Unsure = true
		}
		words = before.operands[1:]
		p = findProgram(c.Name + " " + out.Sub)
	}
	if p.first && len(words) > 0 && !strings.HasPrefix(words[0].Text, "-") {
		bundled := words[0]
		bundled.Text = "-" + bundled.Text
		words = append([]Word{bundled}, words[1:]...)
	}
	s := scan(words, grammar{values: p.values, optional: p.optional, single: p.single, early: p.early})
	out.Options, out.Operands, out.longs = s.options, s.operands, p.longs
	out.Unsure = out.Unsure || unsure(out.Options) || !s.ended && hidden(out.Operands)
	return out
}

// Unlisted reports whether no table knows the program, so that it may run the words
// that it is given.
func (c *Command) Unlisted() bool {
	return c.Name != "" && findRow(c.Name) == nil && findEmbedded(c.Name) == nil && findProgram(c.Name).names == "" && !listed(textPrograms, c.Name)
}

// unsure reports whether the name of an option is not known.
func unsure(options []Option) bool {
	for _, o := range options {
		if strings.Contains(o.Name, unknown) {
			return true
		}
	}
	return false
}

// hidden reports whether a word that is not known may be an option.
func hidden(words []Word) bool {
	for i := range words {
		for _, text := range words[i].Texts() {
			if strings.HasPrefix(text, unknown) || strings.HasPrefix(text, "-") && len(words[i].Others) > 0 || words[i].Many {
				return true
			}
		}
	}
	return false
}

// Flag returns the last option that has one of the names. The beginning of a long
// name counts as that name, as most programs take it, unless it is a name itself;
// "--no-NAME" takes an option back.
func (p *Parsed) Flag(names ...string) (Option, bool) {
	for i := len(p.Options) - 1; i >= 0; i-- {
		o := p.Options[i]
		for _, name := range names {
			if o.Name == name || p.abbreviates(o, name) {
				return o, true
			}
			if positive, ok := strings.CutPrefix(name, "no-"); ok && o.Long && o.Name == positive {
				return Option{}, false
			}
			if negated, ok := strings.CutPrefix(o.Name, "no-"); ok && o.Long && len(name) > 1 && negated == name {
				return Option{}, false
			}
		}
	}
	return Option{}, false
}

func (p *Parsed) abbreviates(o Option, name string) bool {
	return o.Long && o.Name != "" && len(o.Name) < len(name) && strings.HasPrefix(name, o.Name) && !listed(p.longs, o.Name)
}
