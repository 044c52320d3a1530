package lint

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// ignoreMark begins a comment that drops findings.
const ignoreMark = "dsh: ignore"

// ignore drops the findings that comments of the file name, and reports the
// comments that name none.
func (c *checker) ignore() {
	if c.file == nil {
		return
	}
	for _, comment := range c.file.Comments {
		text := strings.TrimSpace(strings.TrimLeft(comment.Text, "-"))
		if rest, ok := strings.CutPrefix(text, ignoreMark); ok {
			c.ignoreOne(comment, strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }))
		}
	}
}

func (c *checker) ignoreOne(comment tree.Comment, ids []string) {
	if len(ids) == 0 {
		c.add("unused-ignore", comment, "the comment names no finding to ignore", "write -- dsh: ignore ID")
	}
	line, column := c.file.Position(comment.From)
	alone := strings.TrimSpace(c.file.Line(line)[:column-1]) == ""
	for _, id := range ids {
		if !slices.Contains(kindIDs(), id) {
			c.add("unused-ignore", comment, "no finding is called "+quote(id), schema.Hint(id, kindIDs()))
			continue
		}
		before := len(c.found)
		c.found = slices.DeleteFunc(c.found, func(f Finding) bool {
			here := f.Line == line || alone && (f.Line == line+1 || line == 1)
			return f.ID == id && here
		})
		if len(c.found) == before && !slices.Contains(c.opts.Disable, id) {
			c.add("unused-ignore", comment, "there is no finding "+id+" to ignore here", "")
		}
	}
}
