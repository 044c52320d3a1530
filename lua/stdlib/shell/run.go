package shell

import (
	"slices"
	"strings"
)

// run carries out a command with the given words: it adds it to the line and, if
// the program runs others, those behind it. bare is its name if the line writes it
// without quotes.
func (w *walker) run(st *state, c *Command, bare string) output {
	if !w.step() {
		return output{}
	}
	if len(c.Argv) == 0 { // the words came to nothing
		if len(c.Assigns)+len(c.Redirects) > 0 {
			w.emit(st, c)
		}
		return silent()
	}
	name := nameOf(&c.Argv[0])
	if c.Argv[0].Text == name && name != "" {
		if b := st.body(name); b != nil && (b.run != nil || bare == name) {
			return w.runBody(st, b, c)
		}
	}
	i := w.emit(st, c)
	w.asFile(st, i)
	w.variables(st, i)
	if e := findEmbedded(name); e != nil {
		w.embedded(st, i, e)
		return w.outputOf(st, i)
	}
	row := findRow(name)
	if row == nil {
		return w.outputOf(st, i)
	}
	inner := st
	if len(c.Assigns) > 0 && row.how != howExport {
		sub := *st
		for _, a := range c.Assigns {
			sub.set(a.Name, variable{texts: a.Value.Texts(), exported: true, from: a.Value.From})
		}
		inner = &sub
	}
	out, some := w.through(inner, st, i, row)
	out.from = append([]int{i}, out.from...)
	if !some {
		return w.outputOf(st, i)
	}
	return out
}

// runBody calls a function or an alias of the line.
func (w *walker) runBody(st *state, b *body, c *Command) output {
	defer w.end()
	if !w.begin() {
		return output{}
	}
	if len(c.Redirects)+len(c.Assigns) > 0 {
		w.emit(st, &Command{Assigns: c.Assigns, Redirects: c.Redirects, Input: c.Input})
	}
	if b.run != nil {
		return b.run(st, c.Argv[1:], c.Input)
	}
	text := b.alias
	for _, word := range c.Argv[1:] {
		text += " " + quote(word)
	}
	bodies := st.bodies
	st.bodies = without(bodies, b)
	out := w.script(st, text, c.Input)
	if st.bodies == without(bodies, b) {
		st.bodies = bodies
	}
	return out
}

// without returns the list behind b, so that an alias does not call itself.
func without(list, b *body) *body {
	for ; list != nil; list = list.next {
		if list == b {
			return list.next
		}
	}
	return nil
}

// quote writes a word so that a shell reads it again as it is; what is not known
// becomes a variable that nobody sets.
func quote(word Word) string {
	if !word.Single() {
		return "$_unknown"
	}
	return "'" + strings.ReplaceAll(word.Text, "'", `'\''`) + "'"
}

// wrap walks what command i runs.
func (w *walker) wrap(i int, walk func() output) output {
	cmd := &w.line.Commands[i]
	cmd.Wrapper = true
	via, src := w.via, w.src
	w.via = append(via[:len(via):len(via)], cmd.Name)
	defer w.end()
	out := output{}
	if w.begin() {
		out = walk()
	}
	w.via, w.src = via, src
	return out
}

// exec runs words as a command on behalf of command i.
func (w *walker) exec(st *state, i int, argv []Word, assigns []Assign) output {
	in := w.line.Commands[i].Input
	return w.wrap(i, func() output {
		return w.run(st, &Command{Argv: argv, Assigns: assigns, Input: in}, "")
	})
}

// shell runs a text in a shell on behalf of command i. Each text that the word
// may have is run; one that is not known makes the command opaque.
func (w *walker) shell(st *state, i int, word Word, in Input) output {
	out := output{known: true}
	for _, text := range word.Texts() {
		if strings.Contains(text, unknown) {
			w.opaque(i, "the text that it runs as shell is not known")
			text = strings.ReplaceAll(text, unknown, "$_unknown")
		}
		if strings.Trim(text, " \t\n") == "$_unknown" {
			continue
		}
		got := w.wrap(i, func() output { return w.script(st, text, in) })
		out = out.then(got)
	}
	if word.Many || len(word.Others) > 0 {
		out.known = false
	}
	out.from = append(out.from, word.From...)
	return out
}

func (w *walker) opaque(i int, why string) {
	if w.line.Commands[i].Opaque == "" {
		w.line.Commands[i].Opaque = why
	}
}

// joined makes one word of several, with blanks between, as programs do that give
// their arguments to a shell.
func joined(words []Word) Word {
	var out Word
	for i, word := range words {
		if i > 0 {
			out.Text += " "
		}
		text := word.Text
		if len(word.Others) > 0 {
			text = unknown
		}
		out.Text += text
		out.From = append(out.From, word.From...)
	}
	return out
}

// asFile notes the file that a command runs because its name is a path.
func (w *walker) asFile(st *state, i int) {
	first := w.line.Commands[i].Argv[0]
	if strings.Contains(first.Text, "/") && len(w.files) > 0 {
		w.runFile(st, i, first, w.line.Commands[i].Argv[1:], "")
	}
}

// runFile runs a file as a program on behalf of command i: if the line has
// written it, what is in it is walked.
func (w *walker) runFile(st *state, i int, file Word, args []Word, language string) output {
	cmd := &w.line.Commands[i]
	cmd.Script = &file
	f := w.find(absolute(st.cwd, file))
	if f == nil {
		return output{}
	}
	cmd.Scripts = slices.Clone(f.from)
	if language == "" {
		language = shebang(f.text.Text)
	}
	if language != "shell" {
		cmd.Code = append(cmd.Code, Code{language, f.text})
		return output{}
	}
	sub := st.child()
	sub.args, sub.known = args, true
	return w.shell(&sub, i, f.text, Input{})
}

// shebang returns the language of a script; without a first line that says it,
// that is shell.
func shebang(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return "shell"
	}
	for _, word := range strings.Fields(line[2:]) {
		row := findRow(word[strings.LastIndexByte(word, '/')+1:])
		switch {
		case row == nil:
		case row.how == howShell:
			return "shell"
		case row.how == howCode:
			return row.language
		}
	}
	return "unknown"
}
