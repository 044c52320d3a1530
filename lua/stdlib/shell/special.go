package shell

import (
	"slices"
	"strings"
)

// maxItems is how many items xargs and its like are followed with one by one.
const maxItems = 32

// findExec walks what find runs; its output are the files that it finds.
func (w *walker) findExec(st *state, i int, words []Word) (output, bool) {
	roots, expr := findRoots(words)
	found := found(roots, expr)
	out := output{items: found.Texts()}
	for k := 0; k < len(expr); k++ {
		switch name := expr[k].Text; name {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := k + 1
			for end < len(expr) && expr[end].Text != ";" && (expr[end].Text != "+" || expr[end-1].Text != "{}") {
				end++
			}
			sub := *st
			argv := replaced(expr[k+1:end], "{}", found)
			if len(argv) > 0 {
				w.exec(&sub, i, argv, nil)
			}
			out = output{}
			k = end
		case "-delete", "-printf", "-fprint", "-ls", "-quit":
			out = output{}
		}
	}
	return out, true
}

// findRoots parts the words of find into where it looks and what for.
func findRoots(words []Word) (roots, expr []Word) {
	k := 0
	for k < len(words) && (listed("-H -L -P -x -E -X -d -s", words[k].Text) || strings.HasPrefix(words[k].Text, "-O") || words[k].Text == "-D") {
		k++
	}
	start := k
	for k < len(words) && !strings.HasPrefix(words[k].Text, "-") && !listed("( ! ,", words[k].Text) {
		k++
	}
	roots = words[start:k]
	if len(roots) == 0 {
		roots = []Word{{Text: "."}}
	}
	return roots, words[k:]
}

// findSelects are the tests that the directory where find begins is unlikely to
// pass, since a name or a depth is asked for.
const findSelects = "-name -iname -path -ipath -wholename -regex -iregex -mindepth -newer -empty -size -inum -perm -lname"

// found is a word for any file that find finds.
func found(roots, expr []Word) Word {
	selects := slices.ContainsFunc(expr, func(word Word) bool { return listed(findSelects, word.Text) })
	for k, word := range expr {
		selects = selects || word.Text == "-type" && k+1 < len(expr) && expr[k+1].Text != "d"
	}
	out, first := Word{}, true
	add := func(text string) {
		if first {
			out, first = Word{Text: text, Glob: true}, false
			return
		}
		out.join(Word{Text: text})
	}
	for _, root := range roots {
		for _, text := range root.Texts() {
			add(strings.TrimSuffix(text, "/") + "/*")
			if !selects {
				add(text)
			}
		}
		out.From = append(out.From, root.From...)
	}
	return out
}

// replaced puts a word in the place of a mark.
func replaced(words []Word, mark string, by Word) []Word {
	out := make([]Word, 0, len(words))
	for _, word := range words {
		if !strings.Contains(word.Text, mark) {
			out = append(out, word)
			continue
		}
		made := Word{Raw: word.Raw, Glob: by.Glob, From: by.From, Many: by.Many && word.Text == mark}
		for k, text := range by.Texts() {
			text = strings.ReplaceAll(word.Text, mark, text)
			if k == 0 {
				made.Text = text
			} else {
				made.Others = append(made.Others, text)
			}
		}
		out = append(out, made)
	}
	return out
}

// items are the words that a program reads from its input.
func items(in Input, separators string) []Word {
	text := in.Text
	switch {
	case in.Kind == "":
		return []Word{{Text: unknown, Many: true}}
	case !text.Single():
		text.Many = true
		return []Word{text}
	case strings.ContainsAny(text.Text, `'"\`):
		return []Word{{Text: unknown, Many: true, From: in.From}}
	}
	var out []Word
	for _, item := range strings.FieldsFunc(text.Text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if len(out) == maxItems {
			return []Word{{Text: unknown, Many: true, From: in.From}}
		}
		out = append(out, Word{Text: item, From: in.From})
	}
	return out
}

// xargs walks the command that xargs runs.
func (w *walker) xargs(st *state, i int, s scanned) output {
	in := w.line.Commands[i].Input
	if s.has("a arg-file") {
		in = Input{Kind: "file", Text: Word{Text: unknown}}
	}
	argv := s.operands
	if len(argv) == 0 {
		argv = []Word{{Text: "echo"}}
	}
	mark, replaces := "", false
	if o, ok := s.option("I i replace J"); ok {
		mark, replaces = "{}", true
		if o.HasValue && o.Value.Text != "" {
			mark = o.Value.Text
		}
	}
	separators := " \t\n"
	if replaces || s.has("d delimiter") {
		separators = "\n"
	}
	list := items(in, separators)
	if files := in.Text; s.has("0 null") && files.Glob {
		files.Many = false // nothing splits their names
		list = []Word{files}
	}
	if !replaces {
		return w.exec(st, i, append(argv[:len(argv):len(argv)], list...), nil)
	}
	out := output{known: true}
	for _, item := range list {
		sub := *st
		out = out.then(w.exec(&sub, i, replaced(argv, mark, item), nil))
	}
	return out
}

// parallel walks the commands of GNU parallel: a text of shell for each item.
func (w *walker) parallel(st *state, i int, r *row, words []Word) {
	end := slices.IndexFunc(words, func(word Word) bool { return strings.HasPrefix(word.Text, ":::") })
	var list []Word
	if end < 0 {
		end = len(words)
		list = items(w.line.Commands[i].Input, "\n")
	} else {
		list = words[end+1:]
		if strings.HasPrefix(words[end].Text, "::::") {
			list = []Word{{Text: unknown, Many: true}}
		}
	}
	s := scan(words[:end], grammar{values: r.values, early: true})
	moved(st, r, s)
	if len(list) > maxItems {
		list = []Word{{Text: unknown, Many: true}}
	}
	child := st.child()
	for _, item := range list {
		argv := replaced(replaced(s.operands, "{}", item), "{1}", item)
		for _, mark := range [...]string{"{.}", "{/}", "{//}", "{/.}", "{2}", "{3}", "{#}", "{%}"} {
			argv = replaced(argv, mark, Word{Text: unknown})
		}
		marked := slices.ContainsFunc(s.operands, func(word Word) bool { return strings.Contains(word.Text, "{") })
		if !marked {
			argv = append(argv, item)
		}
		sub, text := child, joined(argv)
		if len(s.operands) > 0 { // parallel quotes what it puts in
			text.Text = strings.ReplaceAll(text.Text, unknown, `"$_unknown"`)
		}
		w.shell(&sub, i, text, Input{})
	}
}

// fd walks what fd runs on the files that it finds.
func (w *walker) fd(st *state, i int, r *row) (output, bool) {
	words := w.line.Commands[i].Argv[1:]
	at := slices.IndexFunc(words, func(word Word) bool { return listed("-x -X --exec --exec-batch", word.Text) })
	if at < 0 {
		return output{}, false
	}
	argv := words[at+1:]
	if end := slices.IndexFunc(argv, func(word Word) bool { return word.Text == ";" }); end >= 0 {
		argv = argv[:end]
	}
	roots := []Word{{Text: "."}}
	s := scan(words[:at], grammar{values: r.values})
	moved(st, r, s)
	if len(s.operands) > 1 {
		roots = s.operands[1:]
	}
	name := found(roots, []Word{{Text: "-name"}})
	marked := slices.ContainsFunc(argv, func(word Word) bool { return strings.Contains(word.Text, "{") })
	argv = replaced(argv, "{}", name)
	if !marked {
		argv = append(argv, name)
	}
	if len(argv) == 0 {
		return output{}, false
	}
	return w.exec(st, i, argv, nil), true
}

const gitValues = "C c git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds"

// gitTexts are the options of git's commands whose value is a text of shell.
var gitTexts = [...]struct{ sub, options string }{
	{"rebase", "x exec"},
	{"filter-branch", "env-filter tree-filter index-filter msg-filter commit-filter parent-filter tag-name-filter setup"},
	{"difftool", "x extcmd"},
	{"grep", "O open-files-in-pager"},
	{"clone", "u upload-pack"},
	{"fetch", "upload-pack"},
	{"pull", "upload-pack"},
	{"ls-remote", "upload-pack exec"},
	{"push", "receive-pack exec"},
	{"archive", "exec"},
}

// git walks the aliases that the line itself sets, and the commands that git's own
// commands run.
func (w *walker) git(st *state, i int, words []Word) bool {
	s := scan(words, grammar{values: gitValues, early: true})
	aliases := map[string]string(nil)
	for _, o := range s.options {
		switch {
		case o.Name == "C" && o.HasValue:
			st.move(absolute(st.cwd, o.Value))
			w.line.Commands[i].Cwd = st.cwd
		case o.Name == "c":
			name, text, _ := strings.Cut(o.Value.Text, "=")
			if isRun(gitSettings, strings.ToLower(name)) {
				w.value(st, i, part(o.Value, text))
			}
			if name, ok := cutFold(name, "alias."); ok {
				if aliases == nil {
					aliases = map[string]string{}
				}
				aliases[name] = text
			}
		}
	}
	if len(s.operands) == 0 {
		return false
	}
	sub, rest := s.operands[0].Text, s.operands[1:]
	w.gitTexts(st, i, sub, rest)
	if text, ok := aliases[sub]; ok {
		w.gitAlias(st, i, text, rest)
		return true
	}
	return w.gitRuns(st, i, sub, rest)
}

// gitTexts walks what a setting that is stored, or the address of a repository, makes
// git run.
func (w *walker) gitTexts(st *state, i int, sub string, words []Word) {
	wrapper := w.line.Commands[i].Wrapper
	for k, word := range words {
		if command, ok := strings.CutPrefix(word.Text, "ext::"); ok {
			child := st.child()
			w.shell(&child, i, part(word, strings.ReplaceAll(command, "% ", `\ `)), Input{})
		}
		if sub != "config" || k+1 == len(words) {
			continue
		}
		if isRun(gitSettings, strings.ToLower(word.Text)) {
			w.value(st, i, words[k+1])
		} else if _, ok := cutFold(word.Text, "alias."); ok && strings.HasPrefix(words[k+1].Text, "!") {
			w.value(st, i, words[k+1])
		}
	}
	w.line.Commands[i].Wrapper = wrapper
}

// socat walks the commands among the addresses of socat.
func (w *walker) socat(st *state, i int, words []Word) {
	for _, word := range words {
		kind, text, _ := strings.Cut(word.Text, ":")
		if !listed("exec system shell", strings.ToLower(kind)) {
			continue
		}
		child := st.child()
		text, _, _ = strings.Cut(text, ",")
		w.shell(&child, i, part(word, text), Input{Kind: "pipe", Text: Word{Text: unknown}, From: w.one(i)})
	}
}

func cutFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

func (w *walker) gitAlias(st *state, i int, text string, rest []Word) {
	shellText := "git " + text
	if bang, ok := strings.CutPrefix(text, "!"); ok {
		shellText = bang
	}
	for _, word := range rest {
		shellText += " " + quote(word)
	}
	child := st.child()
	w.shell(&child, i, Word{Text: shellText}, Input{})
}

func (w *walker) gitRuns(st *state, i int, sub string, rest []Word) bool {
	switch sub {
	case "submodule", "bisect":
		return w.gitEach(st, i, rest)
	}
	ran := false
	for _, row := range gitTexts {
		if row.sub != sub {
			continue
		}
		for _, o := range scan(rest, grammar{values: row.options}).options {
			if o.HasValue && listed(row.options, o.Name) {
				child := st.child()
				w.shell(&child, i, o.Value, Input{})
				ran = true
			}
		}
	}
	return ran
}

// gitEach walks the commands of "git submodule foreach" and "git bisect run".
func (w *walker) gitEach(st *state, i int, rest []Word) bool {
	child := st.child()
	s := scan(rest, grammar{early: true})
	if len(s.operands) < 2 {
		return false
	}
	switch s.operands[0].Text {
	case "foreach":
		inner := scan(s.operands[1:], grammar{early: true})
		child.cwd = ""
		w.shell(&child, i, joined(inner.operands), Input{})
	case "run":
		w.exec(&child, i, s.operands[1:], nil)
	default:
		return false
	}
	return true
}

const containerValues = "e v u w p l h m c f env env-file volume mount user workdir publish name label hostname network net entrypoint cpus memory platform pull restart runtime gpus device add-host cap-add cap-drop security-opt ulimit volumes-from tmpfs log-driver log-opt ip dns host context config log-level file project-name project-directory profile index expose link detach-keys cidfile shm-size group-add"

// container walks the command that docker and its like run in a container.
func (w *walker) container(st *state, i int, words []Word) (output, bool) {
	s := scan(words, grammar{values: containerValues, early: true})
	for len(s.operands) > 0 && listed("compose container", s.operands[0].Text) {
		s = scan(s.operands[1:], grammar{values: containerValues, early: true})
	}
	if len(s.operands) == 0 || !listed("exec run", s.operands[0].Text) {
		return output{}, false
	}
	s = scan(s.operands[1:], grammar{values: containerValues, early: true})
	if len(s.operands) == 0 {
		return output{}, false
	}
	argv := s.operands[1:]
	if o, ok := s.option("entrypoint"); ok && o.Value.Text != "" {
		argv = append([]Word{o.Value}, argv...)
	} else if program := imageProgram(s.operands[0].Text); program != "" && len(argv) > 0 && findProgram(argv[0].Text).names == "" && findRow(argv[0].Text) == nil {
		argv = append([]Word{{Text: program}}, argv...)
	}
	if len(argv) == 0 {
		return output{}, false
	}
	child := st.child()
	child.vars, child.home, child.cwd, child.where = nil, "", "", "container"
	if dir, ok := s.option("w workdir"); ok {
		child.cwd = absolute("", dir.Value)
	}
	return w.exec(&child, i, argv, nil), true
}

// imageProgram returns the program that an image starts, if it has the name of one that
// the tables know, as alpine/git has.
func imageProgram(image string) string {
	name, _, _ := strings.Cut(baseName(image), ":")
	if findProgram(name).names == "" {
		return ""
	}
	return name
}

// kube walks the command that kubectl runs in a container.
func (w *walker) kube(st *state, i int, r *row) (output, bool) {
	words := w.line.Commands[i].Argv[1:]
	s := scan(words, grammar{values: r.values})
	if len(s.operands) < 2 || !listed("exec run debug rsh", s.operands[0].Text) {
		return output{}, false
	}
	end := slices.IndexFunc(words, func(word Word) bool { return word.Text == "--" })
	argv := s.operands[2:]
	if end >= 0 {
		argv = words[end+1:]
	} else if len(argv) > 0 { // the command begins at the third operand
		at := slices.IndexFunc(words, func(word Word) bool { return word.Text == argv[0].Text })
		argv = words[max(at, 0):]
	}
	if len(argv) == 0 {
		return output{}, false
	}
	child := st.child()
	child.vars, child.home, child.cwd, child.where = nil, "", "", "container"
	return w.exec(&child, i, argv, nil), true
}
