package shell

import (
	"strings"
	"sync"
)

// An embedded row says where a program with a language of its own, in which commands
// of the shell can be run, is given a text of it. What of the text those are, the
// language tells; see escapes.go.
type embedded struct {
	names    string
	language string
	shows    bool   // the text is among the Code of the command, since rules can read it
	values   string // options that take a value
	optional string // letters whose value is attached
	single   bool   // options are whole words with one dash
	text     string // options whose value is a text
	file     string // options whose value is a file of it
	sets     string // names that operands NAME=VALUE give a command
	usual    string // the files that are read without such an option
	plus     bool   // operands behind a plus sign are texts
	from     int    // the operands from this one on are texts, if no option gives one; 0 is none
	all      bool   // not only the first of them
	input    bool   // standard input is one, if nothing else gives one
}

var embeddedRows = []embedded{
	{names: "sed gsed", language: "sed", values: "l line-length", optional: "i", text: "e expression", file: "f file", from: 1},
	{names: "vim vi nvim view gvim mvim", language: "ex", shows: true, values: "i r t T u U w W", text: "c cmd", file: "S", plus: true},
	{names: "ex", language: "ex", shows: true, values: "r t T w", text: "c cmd", plus: true, input: true},
	{names: "ed red", language: "ed", shows: true, values: "p prompt", input: true},
	{names: "emacs emacsclient", language: "lisp", shows: true, values: "l load u user f funcall", text: "eval execute e"},
	{names: "gdb lldb", language: "gdb", single: true, values: "p pid c core d cd", text: "ex eval-command iex init-eval-command o O", file: "x command", input: true},
	{names: "psql pgcli usql", language: "sql", values: sqlShort + " dbname username host port set variable output file", text: "c command"},
	{names: "mysql mariadb mycli", language: "sql", values: "u h P D S user host port database socket", optional: "p", text: "e execute init-command"},
	{names: "sqlite3 sqlite litecli duckdb", language: "sql", single: true, values: "init separator newline", text: "cmd c", from: 2, all: true},
	{names: "less more most", language: "less", plus: true},
	{names: "make gmake", language: "make", shows: true, values: "C directory I include-dir j jobs l load-average o old-file W what-if", text: "eval", file: "f file makefile", usual: "GNUmakefile makefile Makefile", sets: "SHELL"},
	{names: "crontab", language: "cron", shows: true, values: "u"},
}

// findEmbedded returns the row of a program, or nil.
func findEmbedded(name string) *embedded { return embeddedIndex()[name] }

var embeddedIndex = sync.OnceValue(func() map[string]*embedded {
	index := make(map[string]*embedded, 3*len(embeddedRows))
	for i := range embeddedRows {
		for _, name := range strings.Fields(embeddedRows[i].names) {
			index[name] = &embeddedRows[i]
		}
	}
	return index
})
