package lint

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// load runs the file as a host does before it asks it anything. A mistake that is
// found here on a line where one was found already is the same.
func (c *checker) load(ctx context.Context) {
	if slices.ContainsFunc(c.found, func(f Finding) bool { return f.Severity == Error }) || c.opts.Globals != nil {
		return
	}
	s, err := script.Load(ctx, c.name, c.source, script.Options{Points: c.opts.Points, Actions: c.opts.Actions, Folder: c.opts.Folder, Program: c.program})
	switch {
	case errors.Is(err, script.ErrNothing) && c.isModule():
	case errors.Is(err, script.ErrNothing):
		c.add("no-registration", tree.Span{}, "the file registers nothing: it guards nothing", "a policy calls dsh.on at file level; a file that others require is no policy")
	case err != nil:
		c.addLoad(err)
	default:
		c.checkLoaded(s)
	}
}

// checkLoaded looks at registrations that are computed.
func (c *checker) checkLoaded(s *script.Script) {
	for _, reg := range s.Registrations() {
		written := slices.ContainsFunc(c.regs, func(r *registration) bool {
			first, _ := c.file.Position(r.call.Pos())
			last, _ := c.file.Position(r.call.End())
			return r.name != nil && first <= reg.Line && reg.Line <= last
		})
		p := c.points[reg.Point]
		if written || p == nil {
			continue
		}
		at := c.lineSpan(reg.Line)
		c.checkFires(&registration{name: &tree.String{Span: at}, point: p})
		for _, name := range reg.Filter.Tool {
			c.checkTool(&tree.String{Span: at, Value: name})
		}
	}
}

// lineSpan is the text of a line.
func (c *checker) lineSpan(n int) tree.Span {
	text := c.file.Line(n)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	from := c.file.Offset(n) + indent
	return tree.Span{From: from, To: from + len(strings.TrimSpace(text))}
}

// addLoad reports why a file cannot be loaded, at its place if that is in the file.
func (c *checker) addLoad(err error) {
	message, hint, line := err.Error(), "", 1
	var fault *luavm.Error
	if errors.As(err, &fault) && fault.File == c.name {
		message, hint, line = fault.Msg, fault.Hint, max(fault.Line, 1)
	} else if rest, ok := strings.CutPrefix(message, c.name+":"); ok {
		number, text, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(number); err == nil {
			line, message = n, strings.TrimSpace(text)
		}
	}
	c.add("load", c.lineSpan(line), message, hint)
}
