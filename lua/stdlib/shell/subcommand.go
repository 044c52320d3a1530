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
	sub := s.operands[0].Text
	child := st.child()
	child.where = r.where
	if r.where == "" {
		child.where = st.where
	}
	switch {
	case listed(r.subs, sub):
	case listed(r.typed, sub):
		return w.shell(&child, i, joined(typed(scan(s.operands[1:], grammar{values: r.values}).operands)), Input{}), true
	case r.own != "" && isTool(r, sub):
		return w.exec(st, i, s.operands, nil), true
	default:
		return output{}, false
	}
	rest := scan(s.operands[1:], grammar{values: r.values + " " + r.text, early: true})
	if o, ok := rest.option(r.text); ok && r.text != "" {
		return w.shell(&child, i, o.Value, Input{}), true
	}
	if at := slices.IndexFunc(rest.operands, func(word Word) bool { return word.Text == "--" }); r.dashes && at >= 0 {
		rest.operands = rest.operands[at+1:]
	}
	if command := rest.operands[min(r.operands, len(rest.operands)):]; len(command) == 1 && strings.Contains(command[0].Text, " ") {
		return w.shell(&child, i, command[0], Input{}), true
	}
	if len(rest.operands) > 0 && isPython(rest.operands[0].Text) {
		rest.operands = append([]Word{{Text: "python"}}, rest.operands...)
	}
	if r.where != "" {
		st = &child
		st.vars, st.home, st.cwd = nil, "", ""
	}
	return w.operands(st, i, &row{operands: r.operands, assigns: true}, rest.operands)
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
