package shell

import (
	"slices"
	"strings"
)

// subcommand walks "uv run COMMAND" and its like.
func (w *walker) subcommand(st *state, i int, r *row, words []Word) (output, bool) {
	s := scan(words, grammar{values: r.values, early: true})
	if len(s.operands) == 0 {
		return output{}, false
	}
	moved(st, r, s)
	sub := s.operands[0].Text
	switch {
	case listed(r.subs, sub):
		return w.behind(st, i, r, s.operands[1:])
	case listed(r.typed, sub):
		child := st.child()
		return w.shell(&child, i, joined(typed(scan(s.operands[1:], grammar{values: r.values}).operands)), Input{}), true
	case r.own != "" && isTool(r, sub):
		return w.exec(st, i, s.operands, nil), true
	}
	return output{}, false
}

// behind walks the command behind such a subcommand.
func (w *walker) behind(st *state, i int, r *row, words []Word) (output, bool) {
	s := scan(words, grammar{values: r.values + " " + r.text, early: true})
	moved(st, r, s)
	if r.where != "" {
		st.vars, st.home, st.cwd, st.where = nil, "", "", r.where
	}
	child := st.child()
	if o, ok := s.option(r.text); ok && r.text != "" {
		return w.shell(&child, i, o.Value, Input{}), true
	}
	if at := slices.IndexFunc(s.operands, func(word Word) bool { return word.Text == "--" }); r.dashes && at >= 0 {
		s.operands = s.operands[at+1:]
	}
	if command := s.operands[min(r.operands, len(s.operands)):]; len(command) == 1 && strings.Contains(command[0].Text, " ") {
		return w.shell(&child, i, command[0], Input{}), true
	}
	if len(s.operands) > 0 && isPython(s.operands[0].Text) {
		s.operands = append([]Word{{Text: "python"}}, s.operands...)
	}
	return w.operands(st, i, &row{operands: r.operands, assigns: true}, s.operands)
}

// isPython reports whether a runner of programs takes a name for a script in Python:
// it comes from standard input, from elsewhere, or is named so.
func isPython(name string) bool {
	return name == "-" || strings.HasSuffix(name, ".py") || strings.Contains(name, "://")
}

// isTool reports whether a name that is no subcommand is a tool of the project, rather
// than a script that has the name of a program.
func isTool(r *row, name string) bool {
	if listed(nodeTools, name) {
		return true
	}
	return !listed(r.own, name) && findRow(name) == nil && findProgram(name).names == "" && findEmbedded(name) == nil
}

// toolOf returns the words of a tool that bun or deno runs, without its version.
func toolOf(name string, operands []Word) ([]Word, bool) {
	if len(operands) < 2 || !listed("bun deno", name) || !listed("x run", operands[0].Text) {
		return nil, false
	}
	words := scan(operands[1:], grammar{early: true}).operands
	if len(words) == 0 {
		return nil, false
	}
	tool := strings.TrimPrefix(words[0].Text, "npm:")
	if at := strings.LastIndexByte(tool, '@'); at > 0 {
		tool = tool[:at]
	}
	if strings.ContainsAny(tool, "./:-") || !isTool(&row{}, tool) {
		return nil, false
	}
	return append([]Word{part(words[0], tool)}, words[1:]...), true
}

// typed are the words that are typed into a terminal, without those that are keys.
func typed(words []Word) []Word {
	return slices.DeleteFunc(slices.Clone(words), func(word Word) bool {
		text := word.Text
		return listed("Enter KPEnter Space Tab Escape BSpace", text) || len(text) == 3 && (text[:2] == "C-" || text[:2] == "M-")
	})
}

// rest walks the command behind an option, which takes all words that follow.
func (w *walker) rest(st *state, i int, r *row, words []Word) (output, bool) {
	at := slices.IndexFunc(words, func(word Word) bool {
		name := strings.TrimLeft(word.Text, "-")
		return name != word.Text && listed(r.text, name)
	})
	if at < 0 && r.dashes {
		at = slices.IndexFunc(words, func(word Word) bool { return word.Text == "--" })
	}
	if at < 0 || at+1 == len(words) {
		return output{}, false
	}
	return w.exec(st, i, words[at+1:], nil), true
}

// remoteTexts walks the options whose value another machine runs as shell.
func (w *walker) remoteTexts(st *state, i int, r *row, words []Word) bool {
	child, ran := st.child(), false
	child.vars, child.home, child.cwd, child.where = nil, "", "", "remote"
	for _, o := range scan(words, grammar{values: r.text}).options {
		if !o.HasValue || !listed(r.text, o.Name) {
			continue
		}
		sub := child
		text := strings.TrimPrefix(o.Value.Text, "commands=")
		if strings.Contains(text, " ") {
			w.shell(&sub, i, part(o.Value, text), Input{})
			ran = true
		}
	}
	return ran
}

// shellModules are the modules of Ansible that give their arguments to a shell.
const shellModules = "command shell raw script win_shell win_command expect"

// ansible walks what Ansible tells other machines to run.
func (w *walker) ansible(st *state, i int, r *row, words []Word) (output, bool) {
	s := scan(words, grammar{values: r.values})
	if module, ok := s.option("m module-name"); ok {
		name := module.Value.Text[strings.LastIndexByte(module.Value.Text, '.')+1:]
		if !listed(shellModules, name) {
			return output{}, false
		}
	}
	text, ok := s.option("a args")
	if !ok {
		return output{}, false
	}
	child := st.child()
	child.vars, child.home, child.cwd, child.where = nil, "", "", "remote"
	return w.shell(&child, i, text.Value, Input{}), true
}
