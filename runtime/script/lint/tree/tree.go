// Package tree reads Lua into a syntax tree whose nodes know their exact place.
//
// The tree that the compiler uses has lines only. This one is for tools that
// point at code or change it: every node has the offsets at which it begins and
// ends in the source, every name knows the local that it means, and comments are
// kept. It is built from the tokens that the compiler sees ([luavm.Tokens]), so
// both agree about what a source is.
package tree

import (
	"sort"
	"strings"
)

// A File is one source, read.
type File struct {
	Source   string
	Body     *Block
	Main     *Function // the main chunk, as a function without a name
	Comments []Comment
	Locals   []*Local // in the order of their declarations
	Globals  []*Name  // uses of names that are no locals, in the order of the source
	lines    []int    // offsets at which lines begin
}

// A Comment is one comment, with its dashes.
type Comment struct {
	Span
	Text string
}

// Position returns the line and the column of an offset, both from 1, the column
// in bytes.
func (f *File) Position(offset int) (line, column int) {
	i := sort.SearchInts(f.lines, offset+1) - 1
	return i + 1, offset - f.lines[i] + 1
}

// Offset returns where a line begins.
func (f *File) Offset(line int) int {
	return f.lines[min(max(line, 1), len(f.lines))-1]
}

// Line returns the text of a line, without its end.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	text := f.Source[f.lines[n-1]:]
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return text
}

// Text returns the source of a node.
func (f *File) Text(n Node) string { return f.Source[n.Pos():n.End()] }

// A Span is a part of the source, as offsets in bytes. The end is exclusive.
type Span struct{ From, To int }

// Pos returns where it begins.
func (s Span) Pos() int { return s.From }

// End returns where it ends.
func (s Span) End() int { return s.To }

// A Node is a part of the tree.
type Node interface {
	Pos() int
	End() int
}

// An Expr is an expression: one of the pointer types of this package that have
// an unexported method expr.
type Expr interface {
	Node
	expr()
}

// A Stmt is a statement: one of the pointer types of this package that have an
// unexported method stmt.
type Stmt interface {
	Node
	stmt()
}

// A Block is a list of statements with a scope of its own.
type Block struct {
	Span
	Stmts []Stmt
}

// A Local is a local variable, a parameter or the variable of a loop.
type Local struct {
	Span          // of the name where it is declared
	Name   string // "self" may be implicit; its Span is empty then
	Kind   LocalKind
	Owner  *Function // whose code declares it
	Init   Expr      // what its declaration gives it alone; nil if unknown or nothing
	Decl   Stmt      // the declaring statement; nil for parameters
	Uses   []*Name   // where it is read or assigned
	Writes int       // assignments beside the declaration
}

// A LocalKind says how a local is declared.
type LocalKind uint8

// The kinds of locals.
const (
	Variable LocalKind = iota
	Parameter
	Loop
)

// The expressions.
type (
	// Name is a variable. Local is nil for a global. In is the function whose
	// code has the name.
	Name struct {
		Span
		Text    string
		Local   *Local
		In      *Function
		Written bool // it is the target of an assignment
	}
	// Const is nil, true or false.
	Const struct {
		Span
		Text string
	}
	// Number is a numeral, as written.
	Number struct {
		Span
		Text string
	}
	// String is a string. Plain says that the source between its quotes is its
	// value, byte by byte from Inner on.
	String struct {
		Span
		Value string
		Plain bool
		Inner int
	}
	// Vararg is three dots.
	Vararg struct{ Span }
	// Function is the code of a function. Method says that it was declared with
	// a colon: its first parameter is self.
	Function struct {
		Span
		Params   []*Local
		Variadic bool
		Method   bool
		Body     *Block
		Parent   *Function // nil for the main chunk
	}
	// Call is a call. With a Method, Fun is the object whose method is called.
	Call struct {
		Span
		Fun    Expr
		Method *String
		Args   []Expr
		In     *Function
	}
	// Index is object[key] or, with Dot, object.key.
	Index struct {
		Span
		Object Expr
		Key    Expr
		Dot    bool
		At     int // of the dot or bracket
	}
	// Binary is left op right.
	Binary struct {
		Span
		Op          string
		At          int
		Left, Right Expr
	}
	// Unary is op operand.
	Unary struct {
		Span
		Op      string
		Operand Expr
	}
	// Table is a table constructor.
	Table struct {
		Span
		Items []Item
	}
	// Paren is an expression in parentheses.
	Paren struct {
		Span
		Inner Expr
	}
)

// An Item is one item of a table. Key is nil for an item of the list.
type Item struct {
	Key   Expr
	Value Expr
}

// The statements.
type (
	// LocalStmt declares locals.
	LocalStmt struct {
		Span
		Names  []*Local
		Values []Expr
	}
	// LocalFunc declares a local function.
	LocalFunc struct {
		Span
		Name *Local
		Func *Function
	}
	// FuncStmt assigns a function to a variable or a member.
	FuncStmt struct {
		Span
		Target Expr
		Func   *Function
	}
	// Assign assigns.
	Assign struct {
		Span
		Targets []Expr
		Values  []Expr
	}
	// CallStmt is a call whose results are dropped.
	CallStmt struct {
		Span
		Call *Call
	}
	// Do is a block of its own.
	Do struct {
		Span
		Body *Block
	}
	// While is a loop.
	While struct {
		Span
		Cond Expr
		Body *Block
	}
	// Repeat is a loop that ends in until.
	Repeat struct {
		Span
		Body *Block
		Cond Expr
	}
	// If has one arm for each condition and a last one without for else.
	If struct {
		Span
		Arms []Arm
	}
	// For counts. Step may be nil.
	For struct {
		Span
		Var               *Local
		First, Last, Step Expr
		Body              *Block
	}
	// ForIn iterates.
	ForIn struct {
		Span
		Vars  []*Local
		Exprs []Expr
		Body  *Block
	}
	// Return ends a function.
	Return struct {
		Span
		Values []Expr
	}
	// Break leaves a loop.
	Break struct{ Span }
	// Goto jumps to a label.
	Goto struct {
		Span
		Label string
	}
	// Label is a place to jump to.
	Label struct {
		Span
		Name string
	}
)

// An Arm is one branch of an If.
type Arm struct {
	Cond Expr // nil for else
	Body *Block
}

func (*Name) expr()     {}
func (*Const) expr()    {}
func (*Number) expr()   {}
func (*String) expr()   {}
func (*Vararg) expr()   {}
func (*Function) expr() {}
func (*Call) expr()     {}
func (*Index) expr()    {}
func (*Binary) expr()   {}
func (*Unary) expr()    {}
func (*Table) expr()    {}
func (*Paren) expr()    {}

func (*LocalStmt) stmt() {}
func (*LocalFunc) stmt() {}
func (*FuncStmt) stmt()  {}
func (*Assign) stmt()    {}
func (*CallStmt) stmt()  {}
func (*Do) stmt()        {}
func (*While) stmt()     {}
func (*Repeat) stmt()    {}
func (*If) stmt()        {}
func (*For) stmt()       {}
func (*ForIn) stmt()     {}
func (*Return) stmt()    {}
func (*Break) stmt()     {}
func (*Goto) stmt()      {}
func (*Label) stmt()     {}
