package shell

import (
	"path"
	"slices"
	"strings"
)

// runVariables are the variables whose value is a text that programs give to a shell.
var runVariables = []string{
	"GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
	"GIT_PROXY_COMMAND", "PS0", "PS1", "PS2", "PS4", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER",
	"LESSOPEN", "LESSCLOSE", "RSYNC_RSH", "CVS_RSH", "PROMPT_COMMAND", "TAR_OPTIONS", "SUDO_ASKPASS",
	"SSH_ASKPASS", "FZF_DEFAULT_COMMAND",
}

// fileVariables are the variables that name a file which shells read when they start.
const fileVariables = "BASH_ENV"

// sshSettings are the settings of ssh whose value is such a text.
const sshSettings = "proxycommand localcommand knownhostscommand"

// gitSettings are patterns for the settings of git whose value is such a text.
var gitSettings = []string{
	"core.pager", "core.editor", "core.sshcommand", "core.gitproxy", "core.fsmonitor", "core.askpass",
	"sequence.editor", "pager.*", "diff.external", "diff.*.command", "diff.*.textconv", "difftool.*.cmd",
	"mergetool.*.cmd", "merge.*.driver", "filter.*.clean", "filter.*.smudge", "filter.*.process",
	"credential.helper", "credential.*.helper", "gpg.program", "interactive.difffilter", "remote.*.uploadpack",
	"remote.*.receivepack",
}

func isRun(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, strings.ReplaceAll(name, "/", "_"))
		return matched && err == nil
	})
}

// variables walks the texts that variables of command i make other programs run.
func (w *walker) variables(st *state, i int) {
	for _, a := range w.line.Commands[i].Assigns {
		if slices.Contains(runVariables, a.Name) {
			w.value(st, i, a.Value)
		}
		if listed(fileVariables, a.Name) && a.Value.Text != "" {
			w.startFile(st, i, a.Value)
		}
	}
}

// startFiles walks what an interactive shell reads first.
func (w *walker) startFiles(st *state, i int, s scanned) {
	if !s.has("i") {
		return
	}
	if o, ok := s.option("rcfile init-file"); ok && o.HasValue {
		w.startFile(st, i, o.Value)
	}
	if v, ok := st.lookup("ENV"); ok && len(v.texts) > 0 {
		w.startFile(st, i, Word{Text: v.texts[0], From: v.from})
	}
}

// startFile walks a file that every shell reads which starts from now on.
func (w *walker) startFile(st *state, i int, file Word) {
	f := w.find(absolute(st.cwd, file))
	if f == nil {
		w.opaque(i, "the file that shells read when they start is not known")
		return
	}
	child := st.child()
	w.shell(&child, i, f.text, Input{})
}

// sshSettings walks the texts that settings of ssh among the options make it run.
func (w *walker) sshSettings(st *state, i int, s scanned) {
	for _, o := range s.options {
		if o.Name != "o" || !o.HasValue {
			continue
		}
		at := strings.IndexAny(o.Value.Text, "= ")
		if at > 0 && listed(sshSettings, strings.ToLower(o.Value.Text[:at])) {
			w.value(st, i, part(o.Value, strings.TrimLeft(o.Value.Text[at:], "= ")))
		}
	}
}

// values walks the texts that options of command i make it run.
func (w *walker) values(st *state, i int, s scanned, names string) {
	for _, o := range s.options {
		if o.HasValue && listed(names, o.Name) {
			w.value(st, i, o.Value)
		}
	}
}

// value walks a text that command i makes a program run beside what it does itself.
// One that is only the name of a program, and one that is not known, are left alone:
// they are what a user prefers to read and write with.
func (w *walker) value(st *state, i int, word Word) {
	text := strings.TrimLeft(strings.TrimPrefix(word.Text, "exec="), "|! ")
	if !word.Single() || !strings.ContainsAny(text, " \t\n;&|`$(<>") {
		return
	}
	child, wrapper := st.child(), w.line.Commands[i].Wrapper
	w.shell(&child, i, Word{Text: text, From: word.From}, Input{})
	w.line.Commands[i].Wrapper = wrapper
}
