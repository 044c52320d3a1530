package rule

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command holds the simple commands of a command line against a pattern.
func command(pattern, text string, _ Call) bool {
	if line(pattern, text) {
		return true
	}
	parsed, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return true
	}
	found := false
	syntax.Walk(parsed, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if is && len(call.Args) > 0 {
			first, last := call.Args[0], call.Args[len(call.Args)-1]
			found = found || line(pattern, text[first.Pos().Offset():last.End().Offset()])
		}
		return !found
	})
	return found
}
