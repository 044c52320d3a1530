// Package shell says which simple commands a line of shell would run.
//
// A rule that searches the text of a line is wrong both ways: it finds rm in a
// commit message and misses it behind quotes, a variable or bash -c. [Parse]
// reads the line as bash does and walks it as bash would run it. What comes out
// is a list of commands in order, each with its words after expansion, its
// redirections, where it stands, and the directory it runs in.
//
// # What is seen through
//
// Programs that run other commands (sudo, env, xargs, find -exec, bash -c, ssh,
// and so on; see the tables in table_wrappers.go, table_places.go and
// table_languages.go) are listed, and behind each of them what it runs. Text that an
// interpreter is given becomes [Code]. Of the languages
// of editors, make, sed, awk, cron and database clients the commands of shell are found
// (table_embedded.go); so are those in variables, settings and options (values.go), and
// a program that the line gives another name.
//
// # What is not known
//
// Nothing is guessed. A part of a word that only the run itself can tell is a NUL
// in its [Word.Text], and a word that has one is not Known. A command whose
// program or script cannot be told is Opaque and says why. If the line cannot be
// read, or a limit ends the walk, [Line.Problem] says so and the commands are
// those found until then. A careful caller takes each of these for "ask".
//
// Three things are assumed: that a cd succeeds, that the line begins with the
// variables in [Options] and no function or alias of its own, and that mktemp makes
// its file in /tmp unless it or TMPDIR says where; its name is told by its template.
//
// # Limits
//
// A line has at most [MaxLine] bytes and [MaxNesting] brackets within each other;
// both are checked before it is parsed, since the parser recurses. The walk takes
// at most [MaxSteps] steps and finds at most [MaxCommands] commands.
package shell
