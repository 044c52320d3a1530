package luavm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
)

// CompileOptions say what a source may refer to.
type CompileOptions struct {
	// Globals are the names that the host defines besides the base library.
	Globals []string
	// Absent are names that do not exist in this host, each with what to do
	// instead; it adds to a built-in table. A name that is also in Globals exists.
	Absent map[string]string
	// Mutators are host functions, spelt as scripts call them ("json.array"),
	// that change the table given as their first argument. All others must
	// not change the tables that scripts pass: [Program.Reusable] relies on it.
	Mutators []string
	// Marked is a key: of each table whose constructor has it, the VM remembers
	// the line; see [VM.TablePlace]. Empty means none.
	Marked string
	// Coverage counts which blocks of the program run; nil counts nothing.
	Coverage *Coverage
	// Lenient accepts reads of unknown globals.
	Lenient bool
}

// A Program is one compiled source. It is immutable and may be shared by VMs and goroutines.
type Program struct {
	name     string
	main     *lua.FunctionProto
	hidden   []hidden         // upvalues of main
	shared   []*ast.TableExpr // constants; see shared.go
	reusable bool
	reads    []string
	longest  int                   // length of the longest string constant
	covered  *Covered              // nil if nothing is counted
	callees  map[int][]string      // what is called on a line, for messages
	indexed  map[indexKey][]string // what is indexed with a key on a line, for messages
}

type indexKey struct {
	line int
	key  string
}

// Name returns the name that was given to [Compile].
func (p *Program) Name() string { return p.name }

// Reusable reports whether it is proved that calls of the program's functions
// leave no trace in the instance they belong to: none of them assigns a variable
// of an outer function or a global, or stores into a table that it did not
// itself create. Such an instance may serve one run after the other.
func (p *Program) Reusable() bool { return p.reusable }

// Reads returns the names of the globals that the source reads, sorted.
func (p *Program) Reads() []string { return slices.Clone(p.reads) }

// Compile makes a program of a source. The name stands in error messages and
// must be the same for the same source. Whatever the source, Compile neither
// panics nor takes more than some tenths of a second. Errors are an [*Error].
func Compile(name, source string, opts CompileOptions) (*Program, error) {
	if len(source) > maxSource {
		return nil, &Error{File: name, Msg: fmt.Sprintf("the source has %d bytes, the limit is %d", len(source), maxSource)}
	}
	p, fault := compile(name, withoutPreamble(source), opts)
	if fault != nil {
		return nil, fault
	}
	return p, nil
}

// withoutPreamble blanks a byte order mark and a first line that starts with #.
func withoutPreamble(source string) string {
	source = strings.TrimPrefix(source, "\xef\xbb\xbf")
	if strings.HasPrefix(source, "#") {
		i := strings.IndexAny(source, "\r\n")
		if i < 0 {
			return ""
		}
		return source[i:]
	}
	return source
}

func compile(name, source string, opts CompileOptions) (p *Program, fault *Error) {
	defer func() {
		if r := recover(); r != nil { // the code generator panics on what it did not foresee
			p, fault = nil, &Error{File: name, Line: 1, Msg: "the source cannot be compiled"}
		}
	}()
	parsed, fault := parseSource(name, source)
	if fault != nil {
		return nil, fault
	}
	facts, fault := analyse(name, source, parsed, opts)
	if fault != nil {
		return nil, fault
	}
	if fault := facts.checkGlobals(opts); fault != nil {
		return nil, fault
	}
	var cover *coverer
	if opts.Coverage != nil {
		cover = new(coverer)
	}
	chunk, shared := repair(parsed.chunk, facts, cover)
	if facts.fault != nil {
		return nil, facts.fault
	}
	proto, err := lua.Compile(chunk, name)
	if err != nil {
		return nil, generatorError(name, err)
	}
	main := proto.FunctionPrototypes[0]
	if fault := checkProto(main); fault != nil {
		return nil, fault
	}
	p = &Program{
		name: name, main: main, reusable: facts.reusable,
		reads: slices.Sorted(maps.Keys(facts.reads)), callees: facts.callees, indexed: facts.indexed, shared: shared,
	}
	if cover != nil {
		p.covered = opts.Coverage.enroll(name, source, cover.blocks, cover.branches)
	}
	for _, up := range main.DbgUpvalues {
		p.hidden = append(p.hidden, hidden(slices.Index(hiddenNames[:], up)))
	}
	p.longest = max(finish(main), longestShared(shared))
	return p, nil
}

func generatorError(name string, err error) *Error {
	var ce *lua.CompileError
	if errors.As(err, &ce) {
		return &Error{File: name, Line: max(ce.Line, 1), Msg: ce.Message}
	}
	return &Error{File: name, Line: 1, Msg: "the source cannot be compiled"}
}

// checkProto refuses what the code generator gets wrong without a word.
func checkProto(p *lua.FunctionProto) *Error {
	if n := len(p.DbgUpvalues); n > maxUpvalues {
		return &Error{
			File: p.SourceName, Line: p.LineDefined,
			Msg: fmt.Sprintf("function uses %d variables of outer functions, the limit is %d", n, maxUpvalues),
		}
	}
	for _, inner := range p.FunctionPrototypes {
		if fault := checkProto(inner); fault != nil {
			return fault
		}
	}
	return nil
}

// The machine makes room for 32 members in a table of which nobody said that it has
// any, and takes 2 KiB for that. An instruction that makes an empty table says that it
// has one.
const (
	opcodeShift = 26
	sizesMask   = 1<<18 - 1 // of list items, and of members
	oneMember   = 1 << 9
)

// finish gives back the room that the code generator reserved for p, twelve
// kilobytes a function. It returns the length of the longest string constant.
func finish(p *lua.FunctionProto) (longest int) {
	p.IsVarArg &^= lua.VarArgNeedsArg // no script can name arg, and to fill it takes long
	p.Code = slices.Clone(p.Code)
	for i, inst := range p.Code {
		if int(inst>>opcodeShift) == lua.OP_NEWTABLE && inst&sizesMask == 0 {
			p.Code[i] |= oneMember
		}
	}
	p.DbgSourcePositions = slices.Clone(p.DbgSourcePositions)
	for _, constant := range p.Constants {
		if s, ok := constant.(lua.LString); ok {
			longest = max(longest, len(s))
		}
	}
	for _, inner := range p.FunctionPrototypes {
		longest = max(longest, finish(inner))
	}
	return longest
}

// checkGlobals refuses names that nothing defines; it reports the first.
func (f *facts) checkGlobals(opts CompileOptions) *Error {
	if opts.Lenient {
		return nil
	}
	first := map[string]bool{} // on the first line that has one
	line := 0
	for name, at := range f.reads {
		if f.known(name, opts) || line > 0 && at > line {
			continue
		}
		if line == 0 || at < line {
			clear(first)
			line = at
		}
		first[name] = true
	}
	if len(first) == 0 {
		return nil
	}
	name, column := f.firstOf(first, line)
	return f.unknownGlobal(name, line, column, opts)
}

func (f *facts) known(name string, opts CompileOptions) bool {
	return f.writes[name] || slices.Contains(baseNames, name) || slices.Contains(opts.Globals, name)
}

func (f *facts) unknownGlobal(name string, line, column int, opts CompileOptions) *Error {
	e := &Error{File: f.file, Line: line, Column: column}
	advice, absent := opts.Absent[name]
	if !absent {
		advice, absent = absentNames[name]
	}
	if absent {
		e.Msg, e.Hint = fmt.Sprintf("'%s' is not available in scripts", name), advice
		return e
	}
	e.Msg = fmt.Sprintf("unknown global '%s'", shorten(name))
	if near := nearest.Name(name, f.candidates(opts)); near != "" {
		e.Hint = "did you mean '" + near + "'?"
	}
	return e
}

// maxCandidates bounds the search for the name that a misspelt one means.
const maxCandidates = 2000

func (f *facts) candidates(opts CompileOptions) []string {
	names := slices.Concat(baseNames, opts.Globals, slices.Collect(maps.Keys(f.writes)), slices.Collect(maps.Keys(f.localNames)))
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxCandidates)]
}

// firstOf finds which of the names stands first on a line as a variable, not as
// a field, and in which column.
func (f *facts) firstOf(names map[string]bool, line int) (name string, column int) {
	tokens := newScanner(f.file, f.source).tokens()
	for i, t := range tokens {
		if t.line == line && t.kind == tokenName && names[t.text] &&
			(i == 0 || tokens[i-1].text != "." && tokens[i-1].text != ":") {
			return t.text, t.col
		}
	}
	return slices.Sorted(maps.Keys(names))[0], 0
}

func itoa(n int) string { return strconv.Itoa(n) }

// position copies the lines of one node of the tree to another.
func position[N ast.PositionHolder](node N, like ast.PositionHolder) N {
	node.SetLine(like.Line())
	node.SetLastLine(like.LastLine())
	return node
}
