package shell

import (
	"path"
	"slices"
	"strings"
)

// A written is a file that the line writes before it may run it.
type written struct {
	path string
	text Word // its content
	from []int
}

// absolute returns the cleaned path that a word names; empty if it is not known.
func absolute(cwd string, word Word) string {
	if !word.Single() || word.Glob || word.Text == "" {
		return ""
	}
	return join(cwd, word.Text)
}

func join(cwd, name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return path.Clean(name)
	case cwd == "":
		return ""
	}
	return path.Join(cwd, name)
}

func (w *walker) find(name string) *written {
	if name == "" {
		return nil
	}
	for i := len(w.files) - 1; i >= 0; i-- {
		if w.files[i].path == name {
			return &w.files[i]
		}
	}
	return nil
}

// write remembers the content of a file.
func (w *walker) write(name string, text Word, from []int, more bool) {
	if name == "" || strings.HasPrefix(name, "/dev/") {
		return
	}
	if old := w.find(name); more && old != nil {
		text = Word{Text: old.text.Text + text.Text, Many: text.Many}
		from = append(slices.Clone(old.from), from...)
		w.spend(len(text.Text))
	} else if more {
		text.Text = unknown + text.Text
	}
	w.files = append(w.files, written{name, text, from})
}

// store puts an output where the redirections send it, and returns what is left.
func (w *walker) store(st *state, redirs []Redirect, out output) output {
	stored := false
	for _, r := range redirs {
		if r.Kind != Write && r.Kind != Append || r.Fd != "" && r.Fd != "1" && r.Fd != "&" {
			continue
		}
		text := Word{Text: unknown, Many: true}
		if out.known {
			text = Word{Text: out.text}
		}
		w.write(absolute(st.cwd, r.Target), text, out.from, r.Kind == Append)
		stored = true
	}
	if stored {
		return output{known: true, from: out.from}
	}
	return out
}

// A Place is where a text leads if it is a path, before any link is followed.
type Place struct {
	Text string
	// Path is absolute and cleaned by its text alone; of a text with wild cards
	// it is the folder that holds all that they match. It is empty if it is not
	// known.
	Path string
	// Whole is Path as the kernel is given it: not cleaned, because ".." behind a
	// link is not what it is by the text.
	Whole string
	// Glob is the part of the text with wild cards.
	Glob string
}

// PlaceOf says where a text leads from the folder cwd.
func PlaceOf(cwd, text string, glob bool) Place {
	out := Place{Text: text}
	name := text
	if glob && isGlob(text) {
		at := strings.LastIndexByte(text[:strings.IndexAny(text, "*?[")], '/') + 1
		name, out.Glob = text[:at], text[at:]
	}
	if !strings.HasPrefix(name, "/") {
		if cwd == "" {
			return out
		}
		name = cwd + "/" + name
	}
	out.Path, out.Whole = path.Clean(name), name
	return out
}
