package shell

import (
	"slices"
	"strings"
)

// builtin carries out what a command does to its own shell; inner is that shell with
// the variables of the command.
func (w *walker) builtin(inner, st *state, r *row, words []Word) {
	s := scan(words, grammar{values: r.values, early: r.how != howRead})
	switch r.how {
	case howCd:
		cd(inner, st, s.operands)
	case howPush:
		st.dirs = &directory{st.cwd, st.dirs}
		cd(inner, st, s.operands)
	case howPop:
		if st.dirs == nil {
			st.move("")
			return
		}
		st.move(st.dirs.path)
		st.dirs = st.dirs.next
	case howRead:
		for _, name := range append(s.operands, Word{Text: "REPLY"}, Word{Text: "MAPFILE"}, Word{Text: "OPTARG"}) {
			st.forget(name.Text)
		}
		if o, ok := s.option("a"); ok {
			st.forget(o.Value.Text)
		}
	case howUnset:
		for _, name := range s.operands {
			st.set(name.Text, variable{})
			for b := st.body(name.Text); b != nil && !s.has("v"); b = st.body(name.Text) {
				st.bodies = without(st.bodies, b)
			}
		}
	case howSet:
		if len(s.operands) > 0 || s.ended {
			st.args, st.known = s.operands, true
		}
	case howShift:
		shift(st, s.operands)
	case howAlias:
		setAliases(st, s.operands)
	case howPrintf:
		if o, ok := s.option("v"); ok {
			st.forget(o.Value.Text)
		}
	case howHash:
		if path, ok := s.option("p"); ok {
			w.hash(st, path.Value, s.operands)
		}
	default: // no builtin
	}
}

// hash makes names run the program at a path.
func (w *walker) hash(st *state, path Word, names []Word) {
	for _, name := range names {
		st.bodies = &body{name: name.Text, next: st.bodies, run: func(st *state, args []Word, in Input) output {
			return w.run(st, &Command{Argv: append([]Word{path}, args...), Input: in}, "")
		}}
	}
}

// cd changes the directory as the shell does it: by the text of the path, before
// any link is followed.
func cd(inner, st *state, operands []Word) {
	if len(operands) == 0 {
		home, ok := st.lookup("HOME")
		if !ok || len(home.texts) != 1 || strings.Contains(home.texts[0], unknown) {
			st.move("")
			return
		}
		st.move(home.texts[0])
		return
	}
	if operands[0].Text == "-" {
		st.move(st.old)
		return
	}
	if searched(inner, operands[0].Text) {
		st.move("")
		return
	}
	st.move(absolute(st.cwd, operands[0]))
}

// searched reports whether cd looks for dir in the folders of CDPATH.
func searched(st *state, dir string) bool {
	if v, set := st.lookup("CDPATH"); !set || !v.isList && len(v.texts) == 0 {
		return false
	}
	first, _, _ := strings.Cut(dir, "/")
	return first != "" && first != "." && first != ".."
}

func shift(st *state, operands []Word) {
	switch {
	case !st.known:
	case len(operands) > 0 && operands[0].Text != "1":
		st.known = false
	case len(st.args) > 0:
		st.args = st.args[1:]
	}
}

func setAliases(st *state, operands []Word) {
	for _, word := range operands {
		name, text, ok := strings.Cut(word.Text, "=")
		if ok && word.Single() {
			st.bodies = &body{name: name, alias: text, next: st.bodies}
		}
	}
}

// source walks a file that the shell reads.
func (w *walker) source(st *state, i int, words []Word) output {
	if len(words) == 0 {
		return output{}
	}
	cmd := &w.line.Commands[i]
	cmd.Script = &words[0]
	if strings.HasPrefix(words[0].Text, unknown) && len(words[0].From) > 0 {
		w.opaque(i, "the script that it runs is not known")
		return output{}
	}
	if words[0].Text == "/dev/stdin" {
		return w.stdinShell(st, i)
	}
	f := w.find(absolute(st.cwd, words[0]))
	if f == nil {
		return output{}
	}
	cmd.Scripts = slices.Clone(f.from)
	return w.shell(st, i, f.text, cmd.Input)
}
