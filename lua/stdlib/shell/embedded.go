package shell

import "strings"

// embedded walks the commands that texts in the language of program i run.
func (w *walker) embedded(st *state, i int, r *embedded) {
	cmd := &w.line.Commands[i]
	s := scan(cmd.Argv[1:], grammar{values: r.values + " " + r.text + " " + r.file, optional: r.optional, single: r.single})
	dir := w.embeddedDir(st, s)
	given := false
	for _, o := range s.options {
		switch {
		case !o.HasValue:
		case listed(r.text, o.Name):
			w.escapes(st, i, r, o.Value)
			given = true
		case listed(r.file, o.Name):
			w.embeddedFile(st, i, r, dir, o.Value)
			given = true
		}
	}
	for k, word := range s.operands {
		if name, value, ok := strings.Cut(word.Text, "="); ok && listed(r.sets, name) {
			w.value(st, i, part(word, value))
		} else if text, ok := strings.CutPrefix(word.Text, "+"); ok && r.plus {
			w.escapes(st, i, r, part(word, text))
			given = true
		} else if !given && r.from > 0 && k+1 == r.from || r.all && k+1 > r.from && r.from > 0 {
			w.escapes(st, i, r, word)
		}
	}
	if given {
		return
	}
	for usual := range strings.FieldsSeq(r.usual) {
		if f := w.find(join(dir, usual)); f != nil {
			w.embeddedFile(st, i, r, dir, Word{Text: usual})
			return
		}
	}
	w.embeddedInput(st, i, r, s.operands)
}

// embeddedDir is the folder that files are looked for in.
func (w *walker) embeddedDir(st *state, s scanned) string {
	if o, ok := s.option("C directory"); ok && o.HasValue {
		return absolute(st.cwd, o.Value)
	}
	return st.cwd
}

// embeddedInput reads standard input, if the program does.
func (w *walker) embeddedInput(st *state, i int, r *embedded, operands []Word) {
	in := w.line.Commands[i].Input
	reads := r.input
	if r.language == "cron" && len(operands) > 0 {
		if operands[0].Text != "-" {
			w.embeddedFile(st, i, r, st.cwd, operands[0])
			return
		}
		reads = true
	}
	if reads && in.Kind != "" {
		w.embeddedText(st, i, r, in)
	}
}

// embeddedText reads the text of an input.
func (w *walker) embeddedText(st *state, i int, r *embedded, in Input) {
	text := in.Text
	text.Many, text.From = false, in.From
	w.escapes(st, i, r, text)
	if !in.Text.Known() {
		w.opaque(i, "the commands that it reads are not known")
	}
}

// embeddedFile reads a file, if the line tells what is in it.
func (w *walker) embeddedFile(st *state, i int, r *embedded, dir string, file Word) {
	cmd := &w.line.Commands[i]
	if file.Text == "-" || file.Text == "/dev/stdin" {
		w.embeddedText(st, i, r, cmd.Input)
		return
	}
	if strings.HasPrefix(file.Text, unknown) && len(file.From) > 0 { // of a process substitution
		cmd.Script = &file
		w.opaque(i, "the script that it runs is not known")
		return
	}
	f := w.find(absolute(dir, file))
	if f == nil {
		return
	}
	cmd.Script, cmd.Scripts = &file, f.from
	text := f.text
	text.From = f.from
	w.escapes(st, i, r, text)
	if !text.Known() {
		w.opaque(i, "the script that it runs is not known")
	}
}

// escapes walks what texts in the language of program i run, beside what the program
// does itself. A part that is not known is taken for one that runs nothing: it
// mostly is a number or a name.
func (w *walker) escapes(st *state, i int, r *embedded, word Word) {
	if r.shows {
		w.line.Commands[i].Code = append(w.line.Commands[i].Code, Code{r.language, word})
	}
	for _, text := range word.Texts() {
		w.escape(st, i, r.language, text, word.From)
	}
}

// escape walks what one text in a language runs.
func (w *walker) escape(st *state, i int, language, text string, from []int) {
	if !w.spend(len(text)) {
		return
	}
	found := escapesOf(language, text)
	wrapper := w.line.Commands[i].Wrapper
	for _, run := range found.texts {
		child := st.child()
		w.shell(&child, i, Word{Text: run, From: from}, Input{Kind: "pipe", Text: Word{Text: unknown}, From: w.one(i)})
	}
	w.line.Commands[i].Wrapper = wrapper
	if found.hidden {
		w.opaque(i, "what its "+language+" runs is not known")
	}
}
