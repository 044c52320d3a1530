package luavm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// matcher returns a matcher for one call of the library; release gives it back.
// There is one for all calls, except those made while it is in use: by the
// function that gsub calls.
func (vm *VM) matcher(src, pat string) *matcher {
	m := &vm.matching
	if m.inUse {
		m = &matcher{}
	}
	m.src, m.pat, m.cost, m.inUse = src, pat, vm, true
	return m
}

func (m *matcher) release() { m.inUse = false }

// forget lets go of the texts, and of steps that were not paid for: the next run
// counts from its own beginning.
func (m *matcher) forget() { m.src, m.pat, m.steps = "", "", 0 }

func (vm *VM) chargeSteps(n int64) { vm.spend(vm.state, int(n)) }
func (vm *VM) tooDeep()            { vm.Stop(vm.state, ErrPattern) }

// findFrom runs m from a position, counted from 0, and raises what is wrong with the pattern.
func findFrom(L *lua.LState, m *matcher, from int) (start, end int) {
	start, end, err := m.find(from)
	if err != nil {
		L.RaiseError("%s", err.Error())
	}
	return start, end
}

func (vm *VM) stringFind(L *lua.LState) int {
	s, pat := stringArg(L, 1), stringArg(L, 2)
	from, _ := span(len(s), optIntArg(L, 3, 1), -1)
	if from > len(s)+1 {
		from = len(s) + 1
	}
	if lua.LVAsBool(L.Get(4)) || plainPattern(pat) {
		return vm.findPlain(L, s, pat, from)
	}
	m := vm.matcher(s, pat)
	defer m.release()
	start, end := findFrom(L, m, from-1)
	if start < 0 {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(vm.count(start + 1))
	L.Push(vm.count(end))
	return 2 + vm.pushCaptures(L, m, start, end, false)
}

func (vm *VM) findPlain(L *lua.LState, s, pat string, from int) int {
	vm.spend(L, (len(s)-from+1)>>5+len(pat)>>5+1)
	i := strings.Index(s[from-1:], pat)
	if i < 0 {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(vm.count(from + i))
	L.Push(vm.count(from + i + len(pat) - 1))
	return 2
}

func (vm *VM) stringMatch(L *lua.LState) int {
	s, pat := stringArg(L, 1), stringArg(L, 2)
	from, _ := span(len(s), optIntArg(L, 3, 1), -1)
	if from > len(s)+1 {
		from = len(s) + 1
	}
	m := vm.matcher(s, pat)
	defer m.release()
	start, end := findFrom(L, m, from-1)
	if start < 0 {
		L.Push(lua.LNil)
		return 1
	}
	return vm.pushCaptures(L, m, start, end, true)
}

// pushCaptures pushes all captures, or the whole match if there are none and
// whole is set.
func (vm *VM) pushCaptures(L *lua.LState, m *matcher, start, end int, whole bool) int {
	if m.level == 0 {
		if !whole {
			return 0
		}
		L.Push(lua.LString(m.src[start:end]))
		return 1
	}
	for i := range m.level {
		L.Push(captured(L, m, i, start, end))
	}
	return m.level
}

// captured returns capture i, counted from 0; the first one is the whole match if
// the pattern has no captures.
func captured(L *lua.LState, m *matcher, i, start, end int) lua.LValue {
	if i >= m.level {
		if i > 0 {
			L.RaiseError("invalid capture index")
		}
		return lua.LString(m.src[start:end])
	}
	c := m.caps[i]
	switch c.len {
	case capUnclosed:
		L.RaiseError("%s", errPatOpen.Error())
	case capPosition:
		return lua.LNumber(c.start + 1)
	}
	return lua.LString(m.src[c.start : c.start+c.len])
}

// stringGmatch returns an iterator. In each later run of an instance it stands where
// the run that made it left it, as it does in an instance that is new.
func (vm *VM) stringGmatch(L *lua.LState) int {
	s, pat := stringArg(L, 1), stringArg(L, 2)
	pos, left := 0, 0
	made, run := vm.runs, vm.runs
	L.Push(vm.builtin(func(vm *VM, L *lua.LState) int {
		vm.spend(L, 1)
		if run != vm.runs {
			if run == made {
				left = pos
			}
			pos, run = left, vm.runs
		}
		if pos > len(s) {
			L.Push(lua.LNil)
			return 1
		}
		m := vm.matcher(s, pat)
		defer m.release()
		if strings.HasPrefix(pat, "^") { // no anchor here, as in reference Lua: it matches itself
			m.pat = "%" + pat
		}
		start, end := findFrom(L, m, pos)
		if start < 0 {
			pos = len(s) + 1
			L.Push(lua.LNil)
			return 1
		}
		if pos = end; start == end {
			pos++
		}
		return vm.pushCaptures(L, m, start, end, true)
	}))
	return 1
}

func (vm *VM) stringGsub(L *lua.LState) int {
	s, pat := stringArg(L, 1), stringArg(L, 2)
	repl := L.Get(3)
	switch repl.Type() {
	case lua.LTString, lua.LTNumber, lua.LTTable, lua.LTFunction:
	default:
		if viewOf(repl) == nil {
			typeError(L, 3, "string/function/table")
		}
	}
	most := optIntArg(L, 4, len(s)+1)
	anchor := strings.HasPrefix(pat, "^")
	m := vm.matcher(s, pat)
	defer m.release()
	var out strings.Builder
	pos, n := 0, 0
	for n < most && pos <= len(s) {
		vm.spend(L, 1)
		start, end := findFrom(L, m, pos)
		if start < 0 {
			break
		}
		n++
		out.WriteString(s[pos:start])
		vm.replace(L, &out, m, repl, start, end)
		vm.checkLength(L, out.Len())
		if pos = end; start == end {
			out.WriteString(s[start:min(start+1, len(s))])
			pos++
		}
		if anchor {
			break
		}
	}
	if pos < len(s) {
		out.WriteString(s[pos:])
	}
	vm.pushString(L, out.String())
	L.Push(lua.LNumber(n))
	return 2
}

// replace writes what stands for one match.
func (vm *VM) replace(L *lua.LState, out *strings.Builder, m *matcher, repl lua.LValue, start, end int) {
	var v lua.LValue
	switch r := repl.(type) {
	case lua.LString, lua.LNumber:
		vm.replaceByTemplate(L, out, m, plainText(r), start, end)
		return
	case *lua.LFunction:
		L.Push(r)
		saved := *m
		n := vm.pushCaptures(L, m, start, end, true)
		L.Call(n, 1)
		*m = saved
		v = L.Get(-1)
		L.Pop(1)
	default:
		v = L.GetTable(repl, captured(L, m, 0, start, end))
	}
	switch {
	case isText(v):
		out.WriteString(plainText(v))
	case lua.LVAsBool(v):
		L.RaiseError("invalid replacement value (a %s)", typeName(v))
	default:
		out.WriteString(m.src[start:end])
	}
}

func (vm *VM) replaceByTemplate(L *lua.LState, out *strings.Builder, m *matcher, template string, start, end int) {
	vm.spend(L, len(template)>>5)
	for i := 0; i < len(template); i++ {
		c := template[i]
		if c != '%' {
			out.WriteByte(c)
			continue
		}
		i++
		switch {
		case i >= len(template):
			L.RaiseError("invalid use of '%%' in replacement string")
		case template[i] == '0':
			out.WriteString(m.src[start:end])
		case isDigit(template[i]):
			out.WriteString(plainText(captured(L, m, int(template[i]-'1'), start, end)))
		case isLetter(template[i]):
			L.RaiseError("invalid use of '%%' in replacement string ('%%%%' is a percent sign)")
		default:
			out.WriteByte(template[i])
		}
		vm.checkLength(L, out.Len())
	}
}
