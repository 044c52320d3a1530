package shell

import (
	"encoding/base64"
	"slices"
	"strings"
)

// outputOf returns what command i writes, if the line alone tells, and notes the
// files that it writes.
func (w *walker) outputOf(st *state, i int) output {
	cmd := &w.line.Commands[i]
	from := w.one(i)
	unclear := output{from: from}
	out := unclear
	switch cmd.Name {
	case "echo":
		out = echo(cmd.Argv[1:])
	case "printf":
		out = printf(cmd.Argv[1:])
	case "pwd":
		out = output{text: st.cwd + "\n", known: st.cwd != ""}
	case "true", "false", ":", "touch", "unset", "sleep":
		out = silent()
	case "cat":
		out = passed(cmd.Input, scan(cmd.Argv[1:], grammar{}), st, w)
	case "tee":
		out = w.tee(st, i)
	case "base64":
		out = decode(cmd)
	case "mktemp":
		out = temporary(st, cmd)
	case "curl", "wget", "scp", "rsync", "cp", "mv", "install", "dd", "ln":
		w.copies(st, i)
	}
	if !w.spend(len(out.text)) || len(out.text) > MaxLine {
		return unclear
	}
	out.from = from
	return out
}

// echo is the output of echo.
func echo(words []Word) output {
	end, escapes := "\n", false
	for len(words) > 0 && len(words[0].Text) > 1 && words[0].Text[0] == '-' && strings.Trim(words[0].Text[1:], "neE") == "" {
		for _, flag := range words[0].Text[1:] {
			switch flag {
			case 'n':
				end = ""
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		words = words[1:]
	}
	var b strings.Builder
	for i, word := range words {
		if !word.Single() || word.Glob {
			return output{}
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word.Text)
	}
	text := b.String()
	if escapes {
		text = ansi(text)
	}
	return output{text: text + end, known: true}
}

// printf is the output of printf with formats of %s alone.
func printf(words []Word) output {
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || slices.ContainsFunc(words, func(word Word) bool { return !word.Single() || word.Glob }) {
		return output{}
	}
	format, args := ansi(words[0].Text), words[1:]
	var b strings.Builder
	for first := true; first || len(args) > 0; first = false {
		before := len(args)
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			switch format[i] {
			case '%':
				b.WriteByte('%')
			case 's', 'b', 'd':
				if len(args) > 0 {
					b.WriteString(args[0].Text)
					args = args[1:]
				}
			default:
				return output{}
			}
		}
		if len(args) == before || b.Len() > MaxLine {
			break
		}
	}
	return output{text: b.String(), known: true}
}

// passed is the output of a program that copies its input.
func passed(in Input, s scanned, st *state, w *walker) output {
	if len(s.options) > 0 {
		return output{}
	}
	all := silent()
	for _, operand := range s.operands {
		if operand.Text == "-" {
			continue
		}
		f := w.find(absolute(st.cwd, operand))
		if f == nil || !f.text.Single() {
			return output{}
		}
		all.text += f.text.Text
	}
	if len(s.operands) > 0 {
		return all
	}
	switch {
	case in.Kind == "" || len(in.Text.Others) > 0 && !in.Text.Glob:
		return output{}
	case in.Text.Single():
		return output{text: in.Text.Text, known: true}
	case in.Text.Glob:
		return output{items: in.Text.Texts()}
	}
	return output{}
}

// tee copies its input to files, too.
func (w *walker) tee(st *state, i int) output {
	cmd := &w.line.Commands[i]
	s := scan(cmd.Argv[1:], grammar{})
	out := passed(cmd.Input, scanned{}, st, w)
	text := Word{Text: unknown, Many: true}
	if out.known {
		text = Word{Text: out.text}
	}
	for _, file := range s.operands {
		w.write(absolute(st.cwd, file), text, append([]int{i}, cmd.Input.From...), s.has("a append"))
	}
	return out
}

// decode is the output of base64 -d.
func decode(cmd *Command) output {
	s := scan(cmd.Argv[1:], grammar{values: "w wrap"})
	if !s.has("d D decode") || len(s.operands) > 0 || !cmd.Input.Text.Single() || cmd.Input.Kind == "" {
		return output{}
	}
	text := strings.Join(strings.Fields(cmd.Input.Text.Text), "")
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil || strings.Contains(string(plain), unknown) {
		return output{}
	}
	return output{text: string(plain), known: true}
}

// temporary is the output of mktemp: a name that nothing had before. It is told by
// its template, whose marks stand for what nobody can know and no rule needs to.
func temporary(st *state, cmd *Command) output {
	s := scan(cmd.Argv[1:], grammar{values: "p suffix"})
	dir, given := Word{Text: "/tmp"}, s.has("p tmpdir")
	if v, ok := st.lookup("TMPDIR"); ok && len(v.texts) == 1 && v.texts[0] != "" {
		dir.Text = v.texts[0]
	}
	for _, o := range s.options {
		if (o.Name == "p" || o.Name == "tmpdir") && o.HasValue {
			dir = o.Value
		}
	}
	name := Word{Text: "tmp.XXXXXXXXXX"}
	if len(s.operands) > 0 {
		name = s.operands[0]
	}
	switch {
	case s.has("t V version help") || len(s.operands) > 1 || !dir.Single() || !name.Single():
		return output{}
	case len(s.operands) > 0 && !given:
		return output{text: name.Text + "\n", known: true}
	}
	return output{text: strings.TrimSuffix(dir.Text, "/") + "/" + name.Text + "\n", known: true}
}

// copies notes the files that programs write whose content the line does not tell.
func (w *walker) copies(st *state, i int) {
	cmd := &w.line.Commands[i]
	words := cmd.Argv[1:]
	content := Word{Text: unknown, Many: true}
	switch cmd.Name {
	case "curl", "wget":
		for _, name := range downloads(cmd.Name, words) {
			w.write(absolute(st.cwd, name), content, []int{i}, false)
		}
	case "scp", "rsync":
		w.fetched(st, i)
	case "dd":
		for _, word := range words {
			if name, ok := strings.CutPrefix(word.Text, "of="); ok {
				w.write(absolute(st.cwd, Word{Text: name}), content, append([]int{i}, cmd.Input.From...), false)
			}
		}
	default:
		w.copied(st, i, scan(words, grammar{values: "t target-directory m mode o owner g group S suffix"}))
	}
}

// fetched notes the files that are copied from another machine: under the name that is
// given, or in the folder of that name.
func (w *walker) fetched(st *state, i int) {
	cmd := &w.line.Commands[i]
	words := cmd.Parsed().Operands
	for k := range max(len(words)-1, 0) {
		host, _, remote := strings.Cut(words[k].Text, ":")
		if !remote || strings.Contains(host, "/") {
			continue
		}
		content, to := Word{Text: unknown, Many: true}, absolute(st.cwd, words[len(words)-1])
		w.write(to, content, []int{i}, false)
		w.write(join(to, baseName(words[k].Text[len(host)+1:])), content, []int{i}, false)
	}
}

// copied gives the content of a written file to its copy.
func (w *walker) copied(st *state, i int, s scanned) {
	if len(s.operands) != 2 {
		return
	}
	source := absolute(st.cwd, s.operands[0])
	from := w.find(source)
	switch {
	case from != nil:
	case listed("/dev/stdin -", s.operands[0].Text):
		from = &written{text: Word{Text: unknown, Many: true}, from: w.line.Commands[i].Input.From}
	case programPath(source):
		from = &written{text: Word{Text: "exec " + quote(Word{Text: source}) + ` "$@"`}}
	case !s.operands[0].Known():
		from = &written{text: Word{Text: unknown}, from: s.operands[0].From}
	default:
		return
	}
	to := absolute(st.cwd, s.operands[1])
	if strings.HasSuffix(s.operands[1].Text, "/") {
		to = join(to, baseName(s.operands[0].Text))
	}
	w.write(to, from.text, append([]int{i}, from.from...), false)
}

// programPath reports whether a file is a program of the system: a copy of it does
// the same under another name.
func programPath(name string) bool {
	dir := name[:strings.LastIndexByte(name, '/')+1]
	return strings.HasSuffix(dir, "/bin/") || strings.HasSuffix(dir, "/sbin/")
}

func baseName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// downloads are the files into which curl and wget put what they fetch.
func downloads(program string, words []Word) []Word {
	var out []Word
	values := "o output d data H header X request u user F form A user-agent e referer b cookie c cookie-jar x proxy T upload-file m max-time retry output-dir"
	file, remote := "o output", "O remote-name"
	if program == "wget" {
		values, file, remote = "O output-document o output-file P directory-prefix U user-agent header post-data", "O output-document", ""
	}
	s := scan(words, grammar{values: values})
	for _, o := range s.options {
		if listed(file, o.Name) && o.HasValue && o.Value.Text != "-" {
			out = append(out, o.Value)
		}
	}
	named := program == "wget" && !s.has(file) || remote != "" && s.has(remote)
	dir := ""
	if o, ok := s.option("P directory-prefix output-dir"); ok && o.Value.Single() {
		dir = o.Value.Text + "/"
	}
	for _, url := range s.operands {
		if name := baseName(strings.SplitN(url.Text, "?", 2)[0]); named && name != "" {
			out = append(out, Word{Text: dir + name})
		}
	}
	return out
}

// looks reports whether an interpreter runs no text because of an option: it runs a
// module, or says something of itself.
func looks(o Option, values string) bool {
	return o.Name == "m" || listed("version V v help h", o.Name) && !listed(values, o.Name)
}

// code notes what an interpreter of another language runs.
func (w *walker) code(st *state, i int, r *row, words []Word) bool {
	cmd := &w.line.Commands[i]
	s := scan(words, grammar{values: r.values + " " + r.text, single: r.single, early: true})
	if tool, ok := toolOf(cmd.Name, s.operands); ok {
		w.exec(st, i, tool, nil)
		return true
	}
	for _, o := range s.options {
		if o.HasValue && listed(r.text, o.Name) && o.Value.Text != "-" {
			cmd.Code = append(cmd.Code, Code{r.language, o.Value})
		}
	}
	operands := s.operands
	if len(operands) > 1 && operands[0].Text == "eval" {
		cmd.Code = append(cmd.Code, Code{r.language, operands[1]})
	}
	if len(operands) > 1 && operands[0].Text == "run" {
		operands = scan(operands[1:], grammar{values: r.values, early: true}).operands
	}
	switch {
	case len(cmd.Code) > 0 || slices.ContainsFunc(s.options, func(o Option) bool { return looks(o, r.values) }):
	case r.language == "awk":
		if o, ok := s.option("f file"); ok && listed("- /dev/stdin", o.Value.Text) {
			cmd.Code = append(cmd.Code, Code{r.language, cmd.Input.Text})
		} else if ok {
			w.runFile(st, i, o.Value, nil, r.language)
		} else if len(operands) > 0 {
			cmd.Code = append(cmd.Code, Code{r.language, operands[0]})
		}
	case len(operands) > 0 && operands[0].Text != "-" && operands[0].Text != "/dev/stdin":
		if operands[0].Text == unknown && len(operands[0].From) > 0 {
			w.opaque(i, "the program that it runs is not known")
		}
		w.runFile(st, i, operands[0], operands[1:], r.language)
	case cmd.Input.Kind != "":
		cmd.Code = append(cmd.Code, Code{r.language, cmd.Input.Text})
	}
	for _, c := range slices.Clone(cmd.Code) {
		if r.language == "awk" {
			w.escape(st, i, r.language, c.Text.Text, c.Text.From)
		}
		if !c.Text.Known() {
			w.opaque(i, "the program that it runs is not known")
		}
	}
	return false
}
