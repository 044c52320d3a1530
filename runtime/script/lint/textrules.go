package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// A reader is a module that understands a text which is more than its characters.
type reader struct {
	owner, field string // where a payload has such a text
	module       string
	why          string
}

// readers are the texts of payloads that modules read.
var readers = []reader{
	{"tool.Shell", "command", "shell", "the same command can be written in many ways, and the words may stand in a string or a comment"},
	{"tool.Fetch", "url", "url", "the words may stand in any part of the address"},
}

// paths are the fields of payloads that are paths.
var paths = []struct{ owner, field string }{{"tool.File", "path"}, {"tool.File", "real"}}

// checkTextRules finds rules on the characters of a text that a module reads.
func (c *checker) checkTextRules() {
	c.walk(func(n tree.Node) {
		switch n := n.(type) {
		case *tree.Call:
			c.checkSearch(n)
		case *tree.String:
			c.checkTemplate(n)
		case *tree.Binary:
			if n.Op == "==" || n.Op == "~=" {
				c.checkPrefix(n.Left, n.Right)
				c.checkPrefix(n.Right, n.Left)
			}
		}
	})
}

// templated is how other languages name a value within a text.
var templated = regexp.MustCompile(`\$\{(\w+)`)

// checkTemplate finds a text that names a local of the file. Other names are those of
// a shell or of nothing here.
func (c *checker) checkTemplate(s *tree.String) {
	for _, found := range templated.FindAllStringSubmatch(s.Value, -1) {
		if slices.ContainsFunc(c.file.Locals, func(l *tree.Local) bool { return l.Name == found[1] && l.Pos() < s.Pos() }) {
			c.add("unfilled-text", s, found[0]+"} is not replaced in a text", `write "…" .. `+found[1])
			return
		}
	}
}

func (c *checker) checkSearch(call *tree.Call) {
	lib, name, subject := c.callee(call)
	args := textArgs(call)
	if lib != "string" || !slices.Contains(patternFunctions, name) || len(args) == 0 || subject == nil {
		return
	}
	t := c.typeOf(subject)
	words := c.stringIs(args[0])
	if t.sort != data || words == nil {
		return
	}
	for _, r := range readers {
		if t.owner == r.owner && t.field == r.field && stdlib.Has(r.module) && hasWord(words.Value) {
			c.add("text-rule", call, quote(words.Value)+" is looked for in the text of a "+r.field+": "+r.why, "the module "+r.module+" reads it")
		}
	}
	if isPath(t) {
		c.checkPathPattern(words)
	}
}

func isPath(t typ) bool {
	return slices.ContainsFunc(paths, func(p struct{ owner, field string }) bool {
		return t.sort == data && t.owner == p.owner && t.field == p.field && t.data.Kind() == schema.String
	})
}

// hasWord reports whether a pattern has two letters in a row that stand for
// themselves.
func hasWord(pattern string) bool {
	items := patternItems(pattern)
	for k := 1; k < len(items); k++ {
		if letter(items[k-1]) && letter(items[k]) {
			return true
		}
	}
	return false
}

func letter(i patternItem) bool { return i.class == 'l' && len(i.text) == 1 && isLetter(i.text[0]) }

const prefixHint = "path.inside(path, folder) knows where a folder ends"

// checkPathPattern finds patterns for paths that begin with a folder and do not say
// where its name ends.
func (c *checker) checkPathPattern(s *tree.String) {
	if strings.HasPrefix(s.Value, "^/") && letterOrDigit(s.Value[len(s.Value)-1]) {
		c.add("path-prefix", s, "this fits "+strings.TrimPrefix(s.Value, "^")+"-other too", prefixHint)
	}
}

func letterOrDigit(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// checkPrefix finds path:sub(1, n) == folder and path:find(folder, 1, true) == 1.
func (c *checker) checkPrefix(e, other tree.Expr) {
	call, ok := tree.Bare(e).(*tree.Call)
	if !ok {
		return
	}
	lib, name, subject := c.callee(call)
	args := textArgs(call)
	if lib != "string" || subject == nil || !isPath(c.typeOf(subject)) || len(args) == 0 {
		return
	}
	first, one := args[0].(*tree.Number)
	whole, number := tree.Bare(other).(*tree.Number)
	switch {
	case name == "sub" && one && first.Text == "1" && len(args) > 1 && !endsInSlash(other):
	case name == "find" && number && whole.Text == "1" && !endsInSlash(args[0]):
	default:
		return
	}
	c.add("path-prefix", call, "a path that begins with a folder's name need not be in it", prefixHint)
}

// endsInSlash reports whether a text is known to end in a slash.
func endsInSlash(e tree.Expr) bool {
	switch e := tree.Bare(e).(type) {
	case *tree.String:
		return strings.HasSuffix(e.Value, "/")
	case *tree.Binary:
		return e.Op == ".." && endsInSlash(e.Right)
	}
	return false
}
