package luavm

import (
	"fmt"
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// Jumps are checked here by the rules of reference Lua, because the code
// generator panics on some wrong ones and accepts others.

func (f *facts) label(s *ast.LabelStmt, last bool) {
	fn := f.function
	if fn.labels++; fn.labels > maxJumps {
		f.fail(s, "", "more than %d labels in one function", maxJumps)
	}
	for b := fn.block; b != nil; b = b.outer {
		if old, ok := b.labels[s.Name]; ok {
			f.fail(s, "", "label '%s' is already defined on line %d", s.Name, old.line)
		}
	}
	if fn.block.labels == nil {
		fn.block.labels = map[string]labelMark{}
	}
	fn.block.labels[s.Name] = labelMark{line: s.Line(), vars: len(fn.block.vars), last: last && !f.untilFollows()}
}

// untilFollows reports whether the current block is the body of a repeat, whose
// condition still sees its variables.
func (f *facts) untilFollows() bool {
	if len(f.loops) == 0 || f.loops[len(f.loops)-1].block != f.function.block {
		return false
	}
	_, ok := f.loops[len(f.loops)-1].stmt.(*ast.RepeatStmt)
	return ok
}

func (f *facts) gotoStmt(s *ast.GotoStmt) {
	fn := f.function
	if fn.gotos++; fn.gotos > maxJumps {
		f.fail(s, "", "more than %d gotos in one function", maxJumps)
	}
	for b := fn.block; b != nil; b = b.outer {
		if _, ok := b.labels[s.Label]; ok {
			return // backwards
		}
	}
	fn.pending = append(fn.pending, pendingGoto{s.Label, s.Line(), fn.block, len(fn.block.vars)})
}

// resolveGotos matches the gotos of block b with its labels and hands the rest
// to the block around it.
func (f *facts) resolveGotos(b *block) {
	pending := f.function.pending
	first := slices.IndexFunc(pending, func(g pendingGoto) bool { return g.block == b })
	if first < 0 {
		return
	}
	rest := pending[:first]
	for _, g := range pending[first:] {
		if g.block != b {
			rest = append(rest, g)
			continue
		}
		mark, found := b.labels[g.name]
		switch {
		case found && mark.vars > g.vars && !mark.last:
			if f.fault == nil {
				f.fault = &Error{
					File: f.file, Line: g.line,
					Msg: fmt.Sprintf("goto %s jumps into the scope of local '%s'", g.name, b.vars[g.vars].name),
				}
			}
		case !found && b.outer != nil:
			g.block = b.outer
			g.vars = len(b.outer.vars)
			rest = append(rest, g)
		case !found:
			rest = append(rest, g)
		}
	}
	f.function.pending = rest
}
