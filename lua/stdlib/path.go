package stdlib

import (
	"errors"
	"path"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/links"
)

// maxPath bounds a path, in bytes.
const maxPath = 16 << 10

func pathModule() Module {
	one := []Field{{"path", "string", ""}}
	text := []Field{{"", "string", ""}}
	return Module{
		Name: "path",
		Doc: "Paths with slashes, of at most 16 KiB. What only looks at the text does so without a disk; path.real and path.inside follow symbolic links. " +
			"A relative path is one from the session's working directory.",
		Functions: []Function{
			{Name: "clean", Doc: "Removes what says nothing: empty names, `.`, and `NAME/..`. The text alone is looked at.", Params: one, Returns: text, Call: textual(path.Clean)},
			{Name: "join", Doc: "Joins parts with slashes and cleans the result. Empty parts are left out.", Params: []Field{{"...", "string", "the parts, at least one"}}, Returns: text, Call: pathJoin},
			{Name: "base", Doc: "Returns the last name.", Params: one, Returns: text, Call: textual(path.Base)},
			{Name: "dir", Doc: "Returns all but the last name.", Params: one, Returns: text, Call: textual(path.Dir)},
			{Name: "ext", Doc: "Returns the ending of the last name from its last dot on, or an empty string.", Params: one, Returns: text, Call: textual(path.Ext)},
			{Name: "names", Doc: "Returns the names that a path is made of, without `.` and empty ones.", Params: one, Returns: []Field{{"", "string[]", ""}}, Call: pathParts},
			{Name: "absolute", Doc: "Makes a path absolute and cleans it; a path that begins with `~/` is one in the user's home folder. Nil if it is not known from where the path is.", Params: []Field{{"path", "string", ""}, {"base?", "string", "an absolute folder; else the session's working directory"}}, Returns: []Field{{"", "string?", ""}}, Call: pathAbsolute},
			{Name: "relative", Doc: "Returns the path from one place to another, by their text. Nil if one is absolute and the other is not, or if `..` hides where the first is.", Params: []Field{{"from", "string", "a folder"}, {"to", "string", ""}}, Returns: []Field{{"", "string?", ""}}, Call: pathRelative},
			{Name: "real", Doc: "Returns the absolute path behind all symbolic links. What does not exist yet leads to itself. Nil if it cannot be known.", Params: one, Returns: []Field{{"", "string?", ""}}, Call: pathReal},
			{Name: "inside", Doc: "Reports whether the real place of a path is a folder or below it, links followed on both sides. Nil, which is not true, if it cannot be known.", Params: []Field{{"path", "string", ""}, {"folder?", "string", "else the session's project"}}, Returns: []Field{{"", "boolean?", ""}}, Call: pathInside},
		},
	}
}

// textual is a function from a path to a text.
func textual(f func(string) string) func(*Call) error {
	return func(c *Call) error {
		p, err := c.Capped(1, maxPath)
		if err != nil {
			return err
		}
		return c.ReturnText(f(p))
	}
}

var errNoParts = errors.New("takes at least one part")

func pathJoin(c *Call) error {
	if c.Len() == 0 {
		return errNoParts
	}
	parts := make([]string, c.Len())
	for i := range parts {
		var err error
		if parts[i], err = c.Capped(i+1, maxPath); err != nil {
			return err
		}
	}
	return c.ReturnText(path.Join(parts...))
}

func pathParts(c *Call) error {
	p, err := c.Capped(1, maxPath)
	if err != nil {
		return err
	}
	return c.Return(c.Texts(links.Names(p)))
}

// absolute makes p absolute; false if it cannot be known.
func (e *Env) absolute(p, base string) (string, bool) {
	if p == "~" || strings.HasPrefix(p, "~/") {
		home := e.Services().Home
		return path.Join(home, p[1:]), path.IsAbs(home)
	}
	if path.IsAbs(p) {
		return path.Clean(p), true
	}
	if base == "" {
		base = e.session("cwd")
	}
	return path.Join(base, p), path.IsAbs(base)
}

// session returns a text that the payload holds about the session, or the call that
// the payload is about; empty if they do not.
func (e *Env) session(field string) string {
	ref := e.Payload().Get("session")
	if ref.IsAbsent() {
		ref = e.Payload().Get("call").Get("session")
	}
	text, _ := ref.Get(field).Str()
	return text
}

func pathAbsolute(c *Call) error {
	p, err := c.Capped(1, maxPath)
	if err != nil {
		return err
	}
	base, err := c.Capped(2, maxPath)
	if err != nil {
		return err
	}
	if p, ok := c.absolute(p, base); ok {
		return c.ReturnText(p)
	}
	return c.Return(lua.LNil)
}

func pathRelative(c *Call) error {
	from, err := c.Capped(1, maxPath)
	if err != nil {
		return err
	}
	to, err := c.Capped(2, maxPath)
	if err != nil {
		return err
	}
	if p, ok := relative(path.Clean(from), path.Clean(to)); ok {
		return c.ReturnText(p)
	}
	return c.Return(lua.LNil)
}

// relative returns the way from one clean path to another.
func relative(from, to string) (string, bool) {
	if path.IsAbs(from) != path.IsAbs(to) {
		return "", false
	}
	a, b := links.Names(from), links.Names(to)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	var way []string
	for _, name := range a {
		if name == ".." {
			return "", false
		}
		way = append(way, "..")
	}
	if way = append(way, b...); len(way) == 0 {
		return ".", true
	}
	return strings.Join(way, "/"), true
}

// Real returns the absolute path behind the links of p; false if it cannot be
// known. A relative p is one from the session's working directory.
func (c *Call) Real(p string) (real string, ok bool) {
	if p, ok = c.resolvable(p); !ok {
		return "", false
	}
	c.Charge(stepsPerName * strings.Count(p, "/"))
	c.vm.Outside(func() { real, ok = c.Services().Resolve(p) })
	return real, ok
}

// resolvable makes p absolute without cleaning it: what a link is followed by
// counts from where the link leads.
func (c *Call) resolvable(p string) (string, bool) {
	if _, ok := c.absolute(p, ""); !ok {
		return "", false
	}
	switch {
	case path.IsAbs(p):
		return p, true
	case p == "~" || strings.HasPrefix(p, "~/"):
		return c.Services().Home + p[1:], true
	}
	return c.session("cwd") + "/" + p, true
}

// stepsPerName is what looking at one name of the file system costs.
const stepsPerName = 50

func pathReal(c *Call) error {
	p, err := c.Capped(1, maxPath)
	if err != nil {
		return err
	}
	if real, ok := c.Real(p); ok {
		return c.ReturnText(real)
	}
	return c.Return(lua.LNil)
}

func pathInside(c *Call) error {
	p, err := c.Capped(1, maxPath)
	if err != nil {
		return err
	}
	folder, err := c.Capped(2, maxPath)
	if err != nil {
		return err
	}
	if folder == "" {
		folder = c.session("project")
	}
	if folder == "" {
		return c.Return(lua.LNil)
	}
	root, known := c.Real(folder)
	real, ok := c.Real(p)
	if !known || !ok {
		return c.Return(lua.LNil)
	}
	return c.Return(lua.LBool(below(real, root)))
}

// below reports whether p is root or in it, both clean and absolute.
func below(p, root string) bool {
	return p == root || root == "/" || strings.HasPrefix(p, root+"/")
}
