package stdlib

import (
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxText  = 1 << 20
	maxLines = 20_000 // that text.lines returns
)

func textModule() Module {
	one := []Field{{"text", "string", ""}}
	return Module{
		Name: "text",
		Doc:  "What rules ask of a text of at most 1 MiB: its lines, how it differs from another, and whether it says something else than a reader sees.",
		Classes: []Class{
			{Name: "dsh.text.Change", Doc: "One line of a comparison.", Fields: []Field{
				{"kind", `"same"|"removed"|"added"`, "where the line stands: in both texts, only in the first, only in the second"},
				{"line", "string", "without its end"},
				{"before", "integer?", "its number in the first text"},
				{"after", "integer?", "its number in the second text"},
			}},
			{Name: "dsh.text.Mark", Doc: "A letter that is not what it seems.", Fields: []Field{
				{"at", "integer", "its first byte"},
				{"code", "string", "such as `U+200B`"},
				{"kind", `"zero-width"|"direction"|"tag"|"selector"|"control"|"confusable"`, "why it is reported"},
				{"like", "string?", "the ASCII letters that a confusable one looks like"},
			}},
		},
		Functions: []Function{
			{Name: "lines", Doc: "Splits a text into its lines, at most 20,000, without their ends. A last line without an end counts; nothing behind the last end does not.", Params: one, Returns: []Field{{"", "string[]", ""}}, Call: textLines},
			{Name: "trim", Doc: "Removes white space from both ends.", Params: one, Returns: []Field{{"", "string", ""}}, Call: textTrim},
			{Name: "diff", Doc: "Compares two texts by lines, with the fewest changes. Texts of more than 5,000 lines, or that differ in more than 500, are compared by their common beginning and end alone.", Params: []Field{{"before", "string", ""}, {"after", "string", ""}}, Returns: []Field{{"", "dsh.text.Change[]", ""}}, Call: textDiff},
			{Name: "invisible", Doc: "Returns the letters that nobody sees: of no width, that change the direction of reading, tags, variation selectors, and control characters other than tab and line ends. At most 100.", Params: one, Returns: []Field{{"", "dsh.text.Mark[]", ""}}, Call: marks((*Env).invisible)},
			{Name: "confusable", Doc: "Returns the letters that look like ASCII ones and are none: Cyrillic, Greek, full width, mathematical. At most 100.", Params: one, Returns: []Field{{"", "dsh.text.Mark[]", ""}}, Call: marks((*Env).confusable)},
			{Name: "skeleton", Doc: "Returns the text as a reader takes it: invisible letters left out, confusable ones replaced by ASCII. Compare skeletons to find names that are made to look alike.", Params: one, Returns: []Field{{"", "string", ""}}, Call: textSkeleton},
		},
	}
}

func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

func textLines(c *Call) error {
	text, err := c.Capped(1, maxText)
	if err != nil {
		return err
	}
	lines := splitLines(text)
	return c.Return(c.Texts(lines[:min(len(lines), maxLines)]))
}

func textTrim(c *Call) error {
	text, err := c.Capped(1, maxText)
	if err != nil {
		return err
	}
	return c.ReturnText(strings.TrimSpace(text))
}

// stepsPerLine is what comparing and copying one line costs.
const stepsPerLine = 16

func textDiff(c *Call) error {
	before, err := c.Capped(1, maxText)
	if err != nil {
		return err
	}
	after, err := c.Capped(2, maxText)
	if err != nil {
		return err
	}
	changes := diffLines(splitLines(before), splitLines(after), c.Charge)
	c.Charge(stepsPerLine * len(changes))
	out := c.vm.Table(len(changes), 0)
	for i, change := range changes {
		row := map[string]lua.LValue{"kind": lua.LString(change.kind), "line": c.vm.Text(change.line)}
		if change.before > 0 {
			row["before"] = lua.LNumber(change.before)
		}
		if change.after > 0 {
			row["after"] = lua.LNumber(change.after)
		}
		out.RawSetInt(i+1, c.Table(row))
	}
	c.vm.MarkList(out)
	return c.Return(out)
}

// maxMarks is how many letters are reported.
const maxMarks = 100

// marks is a function that reports letters.
func marks(judge func(e *Env, r rune, size int) (kind, like string)) func(*Call) error {
	return func(c *Call) error {
		text, err := c.Capped(1, maxText)
		if err != nil {
			return err
		}
		out := c.vm.Table(0, 0)
		c.vm.MarkList(out)
		c.Charge(len(text))
		for at := 0; at < len(text) && out.Len() < maxMarks; {
			r, size := utf8.DecodeRuneInString(text[at:])
			if kind, like := judge(c.Env, r, size); kind != "" {
				row := map[string]lua.LValue{"at": lua.LNumber(at + 1), "code": lua.LString(codePoint(r)), "kind": lua.LString(kind)}
				if like != "" {
					row["like"] = lua.LString(like)
				}
				out.Append(c.Table(row))
			}
			at += size
		}
		return c.Return(out)
	}
}

func textSkeleton(c *Call) error {
	text, err := c.Capped(1, maxText)
	if err != nil {
		return err
	}
	c.Charge(len(text))
	return c.ReturnText(c.skeleton(text))
}
