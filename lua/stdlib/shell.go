package stdlib

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
)

// What reading a line costs, in instructions.
const (
	stepsPerLineByte = 2
	stepsPerNode     = 8
	bytesPerWord     = 256 // of memory, at most, with its share of the tables
)

func shellModule() Module {
	m := &shellReader{}
	classes := shellClasses()
	m.shapes = shapesOf(classes)
	return Module{
		Name: "shell",
		Doc: "Says which simple commands a line of shell would run, after quotes, variables, substitutions and the programs that run other programs. " +
			"What only the run itself can tell is marked as not known. A line has at most 64 KiB and 100 brackets within each other; a longer or deeper one is a problem of the line, not an error.",
		Classes: classes,
		Functions: []Function{
			{
				Name: "parse", Doc: "Reads a line as bash does. It never fails: what cannot be read is told by the field problem. The line starts in the folder of the call that is judged and with the home folder of the user, unless given.",
				Params:  []Field{{"line", "string", "the line"}, {"known?", "dsh.shell.Known", "what is known of where it runs"}},
				Returns: []Field{{"", "dsh.shell.Line", "frozen"}},
				Call:    m.parse,
			},
			{
				Name: "flag", Doc: "Finds the last option of a command that has one of the names. The beginning of a long name counts, as most programs take it, and --no-NAME takes an option back.",
				Params:  []Field{{"command", "dsh.shell.Command", ""}, {"names", "string", "names without dashes, separated by blanks: \"f force\""}},
				Returns: []Field{{"", "dsh.shell.Word|boolean", "the word that the option is given; true if none; false without the option"}},
				Call:    m.flag,
			},
			{
				Name: "find", Doc: "Finds the first command of a line that is of a program, with an option if one is asked for. What is not known does not count as found: perhaps says whether there may be such a command besides.",
				Params:  []Field{{"line", "dsh.shell.Line", ""}, {"program", "string", "its name, with a subcommand if only that is meant: \"git push\""}, {"names?", "string", "of options, without dashes, separated by blanks: \"f force\""}},
				Returns: []Field{{"", "dsh.shell.Command?", ""}, {"perhaps", "boolean", "whether what the line hides, or a word that is not known, may make another one"}},
				Call:    m.find,
			},
			{
				Name: "places", Doc: "Says where the texts of a word lead if they are paths. A word that is not known has the places that are known to be possible. Symbolic links are followed where the host knows of them.",
				Params:  []Field{{"command", "dsh.shell.Command", "whose folder counts"}, {"word", "dsh.shell.Word|string", ""}},
				Returns: []Field{{"", "dsh.shell.Place[]", ""}, {"known", "boolean", "whether these are all"}},
				Call:    m.places,
			},
		},
	}
}

// A shellReader is the module in one Lua state.
type shellReader struct {
	parser shell.Parser
	shapes map[string]*classShape
	last   []*keptLine
}

// A keptLine is a line that was read before. Rules of one file often read the
// same; the price is the same either way, or a verdict could depend on it.
type keptLine struct {
	text string
	opts shell.Options
	line *shell.Line
	// bytes is what showing it takes, at most.
	bytes int
	// view is what the run with this number was given.
	view   lua.LValue
	serial uint64
}

const keptLines = 4

func (m *shellReader) parse(c *Call) error {
	text := c.Str(1)
	opts, err := m.options(c)
	if err != nil {
		return err
	}
	c.Charge(stepsPerLineByte * min(len(text), shell.MaxLine))
	kept := m.read(text, opts)
	c.Charge(stepsPerNode * kept.line.Steps)
	c.vm.Build(kept.bytes)
	if kept.view == nil || kept.serial != c.serial {
		kept.view, kept.serial = c.vm.FreezeSource(lineView(kept.line), m.shapes["dsh.shell.Line"]), c.serial
	}
	return c.Return(kept.view)
}

func (m *shellReader) read(text string, opts shell.Options) *keptLine {
	for _, l := range m.last {
		if l.text == text && l.opts == opts {
			return l
		}
	}
	l := &keptLine{text: text, opts: opts, line: m.parser.Parse(text, opts)}
	words := len(l.line.Commands)
	for i := range l.line.Commands {
		words += len(l.line.Commands[i].Argv)
	}
	l.bytes = bytesPerWord*words + len(text)
	if len(m.last) == keptLines {
		m.last = slices.Delete(m.last, 0, 1)
	}
	m.last = append(m.last, l)
	return l
}

// options returns what is known of where the line runs: what the script says,
// else what the call under way says.
func (m *shellReader) options(c *Call) (shell.Options, error) {
	cwd, _ := c.Payload().Get("action").Get("cwd").Str()
	opts := shell.Options{Cwd: cwd, Home: c.Services().Home}
	if c.Arg(2) == lua.LNil {
		return opts, nil
	}
	known, err := c.Value(2, "known")
	if err != nil {
		return opts, err
	}
	for name, member := range known.Members() {
		text, ok := member.Str()
		switch {
		case name != "cwd" && name != "home":
			return opts, fmt.Errorf("known.%s: no such field%s", name, luavm.Hint(name, []string{"cwd", "home"}))
		case !ok || text != "" && !strings.HasPrefix(text, "/"):
			return opts, fmt.Errorf("known.%s: want an absolute path", name)
		case name == "cwd":
			opts.Cwd = text
		default:
			opts.Home = text
		}
	}
	return opts, nil
}

var (
	errCommand = errors.New("command: want one of the commands of shell.parse")
	errWord    = errors.New("word: want a word of a command, or a string")
)

func (m *shellReader) flag(c *Call) error {
	command, ok := commandArg(c)
	if !ok {
		return errCommand
	}
	o, ok := c.option(command.parse(), c.Str(2))
	switch {
	case !ok:
		return c.Return(lua.LFalse)
	case !o.HasValue:
		return c.Return(lua.LTrue)
	}
	_, word := wordView(&o.Value)
	return c.Return(c.vm.FreezeSource(word, m.shapes["dsh.shell.Word"]))
}

// option finds an option by its names, charged for each name that each option is
// held against.
func (c *Call) option(parsed *shell.Parsed, list string) (shell.Option, bool) {
	c.Charge(len(list) / bytesPerStep)
	names := strings.Fields(list)
	c.Charge(stepsPerItem + len(parsed.Options)*(stepsPerItem+len(names)))
	return parsed.Flag(names...)
}

// commandArg returns the command that the first argument is a view of.
func commandArg(c *Call) (*readCommand, bool) {
	s, _ := luavm.SourceOf(c.Arg(1))
	command, ok := s.(record[readCommand])
	return command.of, ok
}

func (m *shellReader) places(c *Call) error {
	command, ok := commandArg(c)
	if !ok {
		return errCommand
	}
	texts, known, glob, err := wordTexts(c.Arg(2))
	if err != nil {
		return err
	}
	list := c.vm.Table(len(texts), 0)
	for i, text := range texts {
		c.Charge(len(text) + 16)
		list.RawSetInt(i+1, placeTable(c, shell.PlaceOf(command.Cwd, text, glob), command.Where == ""))
	}
	c.vm.MarkList(list)
	return c.Return(list, lua.LBool(known))
}

// placeTable makes the table of a place. Links are followed on this machine only.
func placeTable(c *Call, p shell.Place, here bool) lua.LValue {
	members := map[string]lua.LValue{"text": c.vm.Text(p.Text)}
	add := func(name, text string) {
		if text != "" {
			members[name] = c.vm.Text(text)
		}
	}
	add("path", p.Path)
	add("glob", p.Glob)
	if here && p.Whole != "" {
		entry, real := c.Services().entry(p.Whole)
		add("entry", entry)
		add("real", real)
	}
	return c.Table(members)
}

// entry follows the links of a path: all of them, and all but one at its end, which
// is followed only if the path asks for the folder behind it.
func (s Services) entry(name string) (entry, real string) {
	real, _ = s.Resolve(name)
	last := name[strings.LastIndexByte(name, '/')+1:]
	if last == "" || last == "." || last == ".." {
		return real, real
	}
	dir, ok := s.Resolve(name[:len(name)-len(last)])
	if !ok {
		return "", real
	}
	return path.Join(dir, last), real
}

// wordTexts reads a word or a string.
func wordTexts(v lua.LValue) (texts []string, known, glob bool, err error) {
	if s, ok := v.(lua.LString); ok {
		return []string{string(s)}, true, false, nil
	}
	source, _ := luavm.SourceOf(v)
	word, ok := source.(record[shell.Word])
	if !ok {
		return nil, false, false, errWord
	}
	return word.of.KnownTexts(), word.of.Known(), word.of.Glob, nil
}
