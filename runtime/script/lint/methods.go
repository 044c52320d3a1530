package lint

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// liveMethods are the methods of a live handle.
var liveMethods = script.LiveMethods()

// stringHabits are methods that strings of other languages have.
var stringHabits = []struct{ names, hint string }{
	{"startswith starts_with startsWith has_prefix hasprefix", "write text:sub(1, #prefix) == prefix; for paths path.inside"},
	{"endswith ends_with endsWith has_suffix hassuffix", "write text:sub(-#suffix) == suffix; for files path.ext"},
	{"contains includes include indexOf index", "write text:find(part, 1, true)"},
	{"split explode tokenize", `write for word in text:gmatch("%S+"), or re.split`},
	{"trim strip lstrip rstrip", `write text:match("^%s*(.-)%s*$")`},
	{"length size count", "the length of a text is #text"},
	{"toLowerCase tolower lowercase casefold", "write text:lower()"},
	{"toUpperCase toupper uppercase", "write text:upper()"},
	{"replace replaceAll", "write text:gsub(pattern, replacement)"},
	{"substring substr slice", "write text:sub(first, last)"},
	{"test search matches regex", "write text:find(pattern), or re.match for regular expressions"},
	{"push append add", "write list[#list + 1] = item"},
	{"join", "write table.concat(list, separator)"},
	{"charAt at", "write text:sub(i, i)"},
}

func stringHabit(name string) string {
	for _, h := range stringHabits {
		if slices.Contains(strings.Fields(h.names), name) {
			return h.hint
		}
	}
	return ""
}

// checkMethod reports methods that their object does not have.
func (c *checker) checkMethod(call *tree.Call) {
	t := c.typeOf(call.Fun)
	name := call.Method.Value
	switch {
	case t.isText():
		if !slices.Contains(c.members["string"], name) {
			hint := stringHabit(name)
			if hint == "" {
				hint = schema.Hint(name, c.members["string"])
			}
			c.add("unknown-member", call.Method, "a string has no method "+quote(name), hint)
		}
	case t.sort == unknown:
		if hint := stringHabit(name); hint != "" && !c.definesMember(name) {
			c.add("foreign-method", call.Method, "Lua's strings and lists have no method "+quote(name), hint)
		}
	case t.sort == liveHandle:
		if !slices.Contains(liveMethods, name) {
			c.add("unknown-member", call.Method, "a live handle has no method "+quote(name), schema.Hint(name, liveMethods))
		}
	case t.sort == class:
		if _, ok := findFunction(c.classOf(t).Methods, name); !ok {
			c.add("unknown-member", call.Method, t.name+" has no method "+quote(name), schema.Hint(name, classNames(c.classOf(t))))
		}
	case t.sort == data && t.data.Kind() != schema.JSON && !t.data.TakesText():
		c.add("unknown-member", call.Method, "a payload has no methods", "fields are read with a dot")
	case t.sort == module, t.sort == library && t.name == "dsh":
		at := call.Fun.End()
		c.add("dot-call", call.Method, "functions of "+t.name+" are called with a dot", "write "+t.name+"."+name+"(…)",
			Edit{at, at + strings.IndexByte(c.source[at:], ':') + 1, "."})
	}
}

// definesMember reports whether the file makes members of that name itself.
func (c *checker) definesMember(name string) bool {
	found := false
	c.walk(func(n tree.Node) {
		switch n := n.(type) {
		case *tree.FuncStmt:
			_, key, ok := member(n.Target)
			found = found || ok && key.Value == name
		case *tree.Table:
			value := item(n, name)
			found = found || value != nil
		}
	})
	return found
}

// checkLiveDot reports methods of a live handle that are called with a dot.
func (c *checker) checkLiveDot(n *tree.Index, key *tree.String) {
	if !slices.Contains(liveMethods, key.Value) {
		c.add("unknown-member", key, "a live handle has no method "+quote(key.Value), schema.Hint(key.Value, liveMethods))
		return
	}
	call, ok := c.parents[n].(*tree.Call)
	if !ok || call.Fun != tree.Expr(n) || len(call.Args) == 0 || c.typeOf(call.Args[0]).sort == liveHandle {
		return
	}
	c.add("dot-call", key, "methods of the live handle are called with a colon", "write live:"+key.Value+"(…)", Edit{n.At, n.At + 1, ":"})
}

func constructorOf(tag string) string { return strings.ReplaceAll(tag, "-", "_") }

func names(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

func fields(text string) []string { return strings.Fields(text) }

func itoa(n int) string { return strconv.Itoa(n) }

// siblings lists the names that the file can require from its folder.
func (c *checker) siblings() (list []string) {
	if c.opts.Folder == nil {
		return nil
	}
	entries, err := fs.ReadDir(c.opts.Folder, ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), ".lua"); ok {
			list = append(list, base)
		}
	}
	return list
}
