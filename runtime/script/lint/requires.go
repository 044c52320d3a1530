package lint

import (
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// Requires lists the names that a source requires where they are written out,
// whether it is well-formed or not.
func Requires(source string) (list []string) {
	tokens := luavm.Tokens(source)
	for i, t := range tokens {
		if t.Kind != luavm.TokenName || t.Text != "require" {
			continue
		}
		rest := tokens[i+1:]
		if len(rest) > 0 && rest[0].Text == "(" {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0].Kind != luavm.TokenString {
			continue
		}
		if f, err := tree.Parse("return " + rest[0].Text); err == nil {
			if s, ok := f.Body.Stmts[0].(*tree.Return).Values[0].(*tree.String); ok {
				list = append(list, s.Value)
			}
		}
	}
	return list
}
