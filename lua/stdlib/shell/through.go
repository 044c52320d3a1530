package shell

import (
	"slices"
	"strings"
)

// through walks what command i runs, in the shell inner; st is the shell that the
// command stands in. It reports whether the output is that of what it runs.
func (w *walker) through(inner, st *state, i int, r *row) (output, bool) {
	cmd := &w.line.Commands[i]
	words := cmd.Argv[1:]
	switch r.how {
	case howCd, howPush, howPop, howRead, howUnset, howSet, howShift, howAlias, howPrintf, howHash:
		if r.text != "" {
			w.values(inner, i, scan(words, grammar{values: r.values}), r.text)
		}
		w.builtin(inner, st, r, words)
		return output{}, false
	case howSource:
		return w.source(st, i, words), len(words) > 0
	case howTrap:
		if s := scan(words, grammar{early: true}); len(s.operands) > 1 && !s.has(r.looks) {
			sub := *st
			w.shell(&sub, i, s.operands[0], Input{})
		}
		return output{}, false
	case howEval:
		if len(words) > 0 && words[0].Text == "--" {
			words = words[1:]
		}
		return w.shell(st, i, joined(words), cmd.Input), true
	default: // runs in another shell, or only a program
	}
	if !r.same {
		sub := *inner
		inner = &sub
	}
	if out, some, done := w.whole(inner, i, r, words); done {
		return out, some
	}
	if r.how == howShell {
		words = withoutPlus(words, r.values)
	}
	s := scan(words, grammar{values: r.values + " " + r.text, optional: r.optional, pairs: r.pairs, single: r.single, early: true})
	if r.looks != "" && s.has(r.looks) {
		return output{}, false
	}
	return w.scanned(inner, i, r, s)
}

// whole walks what a program runs that has options in other places than in front; done
// tells whether it is one.
func (w *walker) whole(st *state, i int, r *row, words []Word) (out output, some, done bool) {
	done = true
	switch r.how {
	case howFind:
		out, some = w.findExec(st, i, words)
	case howGit:
		some = w.git(st, i, words)
	case howGitOwn:
		sub := strings.TrimPrefix(w.line.Commands[i].Name, "git-")
		out, some = w.exec(st, i, append([]Word{{Text: "git"}, {Text: sub}}, words...), nil), true
	case howValues:
		s := scan(words, grammar{values: r.values + " " + r.text})
		w.values(st, i, s, r.text)
		w.sshSettings(st, i, s)
	case howSocat:
		w.socat(st, i, words)
	case howContainer:
		out, some = w.container(st, i, words)
	case howParallel:
		w.parallel(st, i, r, words)
		some = true
	case howSub:
		out, some = w.subcommand(st, i, r, words)
	case howRemote:
		some = w.remoteTexts(st, i, r, words)
	case howRest:
		out, some = w.rest(st, i, r, words)
	case howAnsible:
		out, some = w.ansible(st, i, r, words)
	case howCode:
		some = w.code(st, i, r, words)
	default: // has its options in front
		done = false
	}
	return out, some, done
}

// moved moves to the folder in which a program runs its command.
func moved(st *state, r *row, s scanned) {
	if dir, ok := s.option(r.moves); ok && dir.HasValue && r.moves != "" {
		st.move(absolute(st.cwd, dir.Value))
	}
}

// scanned walks what a program runs whose options stand before its operands.
func (w *walker) scanned(st *state, i int, r *row, s scanned) (output, bool) {
	moved(st, r, s)
	in := w.line.Commands[i].Input
	switch r.how {
	case howShell:
		return w.shellProgram(st, i, s), true
	case howSu:
		return w.su(st, i, r), true
	case howText:
		return w.textProgram(st, i, r, s)
	case howXargs:
		return w.xargs(st, i, s), true
	case howSSH:
		return w.ssh(st, i, s)
	case howKube:
		return w.kube(st, i, r)
	case howFd:
		return w.fd(st, i, r)
	case howStdin:
		child := st.child()
		return w.shell(&child, i, in.Text, Input{}), true
	case howEnv:
		if o, ok := s.option(r.text); ok {
			child := st.child()
			rest := append([]Word{o.Value}, s.operands...)
			return w.shell(&child, i, joined(rest), in), true
		}
	case howSudo:
		if s.has("s i shell login") {
			child := st.child()
			if len(s.operands) == 1 {
				return w.shell(&child, i, s.operands[0], in), true
			}
			if len(s.operands) > 1 { // sudo quotes them
				return w.exec(&child, i, s.operands, nil), true
			}
			return w.stdinShell(&child, i), true
		}
	default: // the operands are the command, or an option has it
		if o, ok := s.option(r.text); ok && o.HasValue {
			child := st.child()
			return w.shell(&child, i, o.Value, in), true
		}
	}
	return w.operands(st, i, r, s.operands)
}

// operands runs what is left of the words of a wrapper.
func (w *walker) operands(st *state, i int, r *row, words []Word) (output, bool) {
	assigns := []Assign(nil)
	take := func() {
		for r.assigns && len(words) > 0 && isAssign(words[0]) {
			name, _, _ := strings.Cut(words[0].Text, "=")
			value := part(words[0], words[0].Text[len(name)+1:])
			assigns = append(assigns, Assign{Name: name, Value: value})
			st.set(name, variable{texts: value.Texts(), exported: true, from: value.From})
			words = words[1:]
		}
	}
	if r.how == howEnv && len(words) > 0 && words[0].Text == "-" { // another way to write -i
		words = words[1:]
	}
	take()
	if len(words) <= r.operands {
		return output{}, false
	}
	words = words[r.operands:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	take()
	if len(words) == 0 {
		return output{}, false
	}
	return w.exec(st, i, words, assigns), true
}

func isAssign(word Word) bool {
	name, _, ok := strings.Cut(word.Text, "=")
	if !ok || name == "" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// withoutPlus leaves out the options of a shell that take others back, as +x does.
func withoutPlus(words []Word, values string) []Word {
	for k := 0; k < len(words); k++ {
		switch text := words[k].Text; {
		case len(text) > 1 && text[0] == '+':
			end := k + 1
			if listed(values, text[len(text)-1:]) {
				end = min(k+2, len(words))
			}
			words = append(words[:k:k], words[end:]...)
			k--
		case len(text) < 2 || text[0] != '-' || text == "--":
			return words
		case listed(values, strings.TrimLeft(text, "-")):
			k++
		}
	}
	return words
}

// shellProgram walks what sh, bash and their like run.
func (w *walker) shellProgram(st *state, i int, s scanned) output {
	in := w.line.Commands[i].Input
	if s.has("n noexec no-execute") && !s.has("i") { // it only looks for mistakes
		return output{}
	}
	child := st.child()
	w.startFiles(&child, i, s)
	if s.has("c command") {
		return w.shellText(&child, i, s, in)
	}
	if len(s.operands) > 0 && !s.has("s") {
		file := s.operands[0]
		child.args, child.known = s.operands[1:], true
		if file.Text == unknown && len(file.From) > 0 { // of a process substitution
			w.line.Commands[i].Script = &file
			w.opaque(i, "the script that it runs is not known")
			return output{}
		}
		if file.Text == "-" || file.Text == "/dev/stdin" {
			return w.stdinShell(&child, i)
		}
		return w.runFile(st, i, file, s.operands[1:], "shell")
	}
	if s.has("version help") {
		return output{}
	}
	child.args, child.known = s.operands, true
	return w.stdinShell(&child, i)
}

// shellText walks the text of sh -c: the first operand, since -c itself takes no
// value.
func (w *walker) shellText(child *state, i int, s scanned, in Input) output {
	words := s.operands
	if o, ok := s.option("command"); ok && o.HasValue {
		words = append([]Word{o.Value}, words...)
	}
	if len(words) == 0 {
		return output{}
	}
	child.args, child.known = nil, true
	child.zero = &w.line.Commands[i].Argv[0]
	if len(words) > 1 {
		child.zero, child.args = &words[1], words[2:]
	}
	return w.shell(child, i, words[0], in)
}

// stdinShell walks a shell that reads its commands from standard input.
func (w *walker) stdinShell(st *state, i int) output {
	in := w.line.Commands[i].Input
	if in.Kind == "" {
		return output{}
	}
	text := in.Text
	text.Many = false
	if !in.Text.Known() {
		text = Word{Text: unknown, From: in.Text.From}
		if known := in.Text.Text; len(in.Text.Others) == 0 && !in.Text.Glob {
			text.Text = known
		}
	}
	out := w.shell(st, i, text, Input{})
	if w.line.Commands[i].Opaque != "" {
		w.line.Commands[i].Opaque = "the commands that it reads are not known"
	}
	return out
}

// su walks what su and runuser run; their options may stand behind the user.
func (w *walker) su(st *state, i int, r *row) output {
	words := w.line.Commands[i].Argv[1:]
	s := scan(words, grammar{values: r.values + " " + r.text})
	child := st.child()
	if o, ok := s.option(r.text); ok {
		return w.shell(&child, i, o.Value, w.line.Commands[i].Input)
	}
	if s.has("u user") && len(s.operands) > 0 {
		at := slices.IndexFunc(words, func(word Word) bool { return word.Text == s.operands[0].Text })
		return w.exec(&child, i, words[max(at, 0):], nil)
	}
	return w.stdinShell(&child, i)
}

// textProgram walks programs that give a text to a shell: the value of an option,
// or else their operands.
func (w *walker) textProgram(st *state, i int, r *row, s scanned) (output, bool) {
	child := st.child()
	in := w.line.Commands[i].Input
	if o, ok := s.option(r.text); r.text != "" && ok {
		return w.shell(&child, i, o.Value, in), true
	}
	words := s.operands
	if len(words) <= r.operands || r.text != "" && r.operands == 0 {
		if r.text == "" || r.values == "" {
			return output{}, false
		}
	}
	words = words[min(r.operands, len(words)):]
	if len(words) > 0 && listed("c command", strings.TrimLeft(words[0].Text, "-")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return output{}, false
	}
	if r.operands > 0 && len(words) > 1 {
		return w.exec(&child, i, words, nil), true
	}
	return w.shell(&child, i, joined(words), in), true
}

// ssh walks the text that another machine runs.
func (w *walker) ssh(st *state, i int, s scanned) (output, bool) {
	hosts := findRow(w.line.Commands[i].Name).operands
	if len(s.operands) < max(hosts, 1) {
		return output{}, false
	}
	rest := scan(s.operands[hosts:], grammar{values: findRow("ssh").values, early: true})
	w.sshSettings(st, i, s)
	w.sshSettings(st, i, rest)
	child := st.child()
	child.vars, child.home, child.cwd, child.where = nil, "", "", "remote"
	if len(rest.operands) == 0 {
		if in := w.line.Commands[i].Input; in.Kind == "here" || in.Kind == "pipe" {
			return w.stdinShell(&child, i), true
		}
		return output{}, false
	}
	return w.shell(&child, i, joined(rest.operands), w.line.Commands[i].Input), true
}
