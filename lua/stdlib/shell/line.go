package shell

import "strings"

// A Line is what a line of shell would run.
type Line struct {
	// Commands are the simple commands, in the order in which they start.
	Commands []Command
	// Problem says why there may be more than Commands; it is empty if there is not.
	Problem string
	// Steps is the work that reading the line took, from 1 to a little more than
	// [MaxSteps]; the same line takes the same.
	Steps int
}

// unknown stands for a part of a text that is not known. No shell can pass a NUL.
const unknown = "\x00"

// A Word is one word of a command, after expansion and without its quotes.
type Word struct {
	// Text is the word; each part that is not known is one NUL.
	Text string
	// Others are other texts that the word may have instead.
	Others []string
	// Raw is the word as it is written, if it is.
	Raw string
	// Glob is true if Text holds characters that match file names.
	Glob bool
	// Many is true if the word may turn out as any number of words.
	Many bool
	// From lists the commands, by index, whose output is part of the word.
	From []int
}

// Known reports whether Text and Others are all that the word can be.
func (w *Word) Known() bool {
	if w.Many || strings.Contains(w.Text, unknown) {
		return false
	}
	for _, other := range w.Others {
		if strings.Contains(other, unknown) {
			return false
		}
	}
	return true
}

// Single reports whether the word is known and has one text.
func (w *Word) Single() bool { return len(w.Others) == 0 && w.Known() }

// Texts returns the texts that the word may have.
func (w *Word) Texts() []string {
	if len(w.Others) == 0 {
		return []string{w.Text}
	}
	return append([]string{w.Text}, w.Others...)
}

// An Assign is an assignment in front of a command, or on its own.
type Assign struct {
	Name   string
	Value  Word
	Append bool // +=
}

// The kinds of redirections.
const (
	Read      = "read"      // of a file
	Write     = "write"     // of a file, from its beginning
	Append    = "append"    // to a file
	Duplicate = "duplicate" // of another descriptor
	Here      = "here"      // a here-document or here-string
)

// A Redirect is a redirection of one descriptor.
type Redirect struct {
	Kind string
	Fd   string // "" for the usual one, "&" for output and errors
	// Target is the file, the descriptor, or the text of a here-document.
	Target Word
}

// Code is a text in another language than that of the shell, which the command
// would run.
type Code struct {
	Language string
	Text     Word
}

// An Input is what a command reads from its standard input, as far as the line
// says.
type Input struct {
	// Kind is "pipe", "here" or "file"; empty if it is not redirected.
	Kind string
	// Text is what is read; it is known only if the line spells it out.
	Text Word
	// From lists the commands, by index, whose output is read.
	From []int
}

// A Context is where a command stands in its line.
type Context struct {
	// Pipeline numbers the pipelines that have several members, from 1;
	// 0 is a command outside of one.
	Pipeline int
	// Member is the place in the pipeline, from 1.
	Member                                                               int
	Subshell, Loop, Function, Background, Condition, Substitution, Maybe bool
	// Depth is how many shells within each other run the command.
	Depth int
}

// A Command is one simple command.
type Command struct {
	// Name is the program without its folder; empty if it is not known, or if
	// there are only assignments or redirections.
	Name string
	// Argv are the words, the program first.
	Argv []Word
	// Assigns are the assignments in front of it.
	Assigns []Assign
	// Redirects are its redirections, in order.
	Redirects []Redirect
	// Input is its standard input.
	Input Input
	// Place is where it stands in the line.
	Place Context
	// Via names the programs that run it, the outermost first.
	Via []string
	// Where is "remote" or "container" if it does not run on this machine.
	Where string
	// Cwd is the directory that it runs in; empty if that is not known.
	Cwd string
	// Code are the programs in other languages that it is given.
	Code []Code
	// Script is the file that it runs as a program, if there is one.
	Script *Word
	// Scripts lists the commands, by index, that write Script in this line.
	Scripts []int
	// Opaque says why not all that it runs is known; empty if it is.
	Opaque string
	// Wrapper is true if it runs other commands of the list.
	Wrapper bool
}

// KnownTexts returns the texts that the word may have and that are known.
func (w *Word) KnownTexts() []string {
	var out []string
	for _, text := range w.Texts() {
		if !strings.Contains(text, unknown) {
			out = append(out, text)
		}
	}
	return out
}

// Prefix returns how the first text of the word that is not known begins.
func (w *Word) Prefix() string {
	text, _, _ := strings.Cut(w.open(), unknown)
	return text
}

// Suffix returns how the first text of the word that is not known ends.
func (w *Word) Suffix() string {
	text := w.open()
	return text[strings.LastIndex(text, unknown)+1:]
}

// open returns the first text that is not known, else the first.
func (w *Word) open() string {
	for _, text := range w.Others {
		if strings.Contains(text, unknown) && !strings.Contains(w.Text, unknown) {
			return text
		}
	}
	return w.Text
}
