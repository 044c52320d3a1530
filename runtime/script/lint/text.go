package lint

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

func quote(text string) string { return fmt.Sprintf("%q", text) }

// literal returns the value of a string literal.
func literal(e tree.Expr) (*tree.String, bool) {
	s, ok := tree.Bare(e).(*tree.String)
	return s, ok
}

// global reports whether e is the global of the given name.
func global(e tree.Expr, name string) bool {
	n, ok := tree.Bare(e).(*tree.Name)
	return ok && n.Local == nil && n.Text == name
}

// member returns the name in object.name and object["name"].
func member(e tree.Expr) (object tree.Expr, key *tree.String, ok bool) {
	index, ok := tree.Bare(e).(*tree.Index)
	if !ok {
		return nil, nil, false
	}
	key, ok = literal(index.Key)
	return index.Object, key, ok
}

// isConst reports whether e is nil, true or false as given.
func isConst(e tree.Expr, text string) bool {
	k, ok := tree.Bare(e).(*tree.Const)
	return ok && k.Text == text
}

// item returns the value of a named item of a table.
func item(t *tree.Table, name string) tree.Expr {
	for _, i := range t.Items {
		if i.Key == nil {
			continue
		}
		if key, ok := literal(i.Key); ok && key.Value == name {
			return i.Value
		}
	}
	return nil
}

// same reports whether two expressions are written alike, apart from blanks.
func (c *checker) same(a, b tree.Expr) bool {
	squeeze := func(n tree.Node) string { return strings.Join(strings.Fields(c.file.Text(n)), " ") }
	return squeeze(a) == squeeze(b)
}

// insert is an edit that adds a text.
func insert(at int, text string) Edit { return Edit{at, at, text} }

// removeLines is an edit that removes a node with its lines, if nothing else is on
// them.
func (c *checker) removeLines(n tree.Node) (Edit, bool) {
	from, to := n.Pos(), n.End()
	for from > 0 && strings.IndexByte(" \t", c.source[from-1]) >= 0 {
		from--
	}
	for to < len(c.source) && strings.IndexByte(" \t;", c.source[to]) >= 0 {
		to++
	}
	begins := from == 0 || c.source[from-1] == '\n'
	if !begins || to < len(c.source) && c.source[to] != '\n' {
		return Edit{}, false
	}
	return Edit{from, min(to+1, len(c.source)), ""}, true
}
