package luavm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var stringFunctions = []named[builtin]{
	{"byte", (*VM).stringByte},
	{"char", (*VM).stringChar},
	{"find", (*VM).stringFind},
	{"format", (*VM).stringFormat},
	{"gmatch", (*VM).stringGmatch},
	{"gsub", (*VM).stringGsub},
	{"len", (*VM).stringLen},
	{"lower", (*VM).stringLower},
	{"match", (*VM).stringMatch},
	{"rep", (*VM).stringRep},
	{"reverse", (*VM).stringReverse},
	{"sub", (*VM).stringSub},
	{"upper", (*VM).stringUpper},
}

func (vm *VM) fillString(lib *lua.LTable) { vm.register(lib, stringFunctions) }

// openStringMeta makes the metatable of strings. The library itself, not the
// proxy of it, is where s:method() looks.
func (vm *VM) openStringMeta(lib *lua.LTable) {
	meta := vm.state.CreateTable(0, 16)
	meta.RawSetString("__index", lib)
	meta.RawSetString("__metatable", lua.LFalse)
	vm.openArithmetic(meta)
	vm.state.SetMetatable(lua.LString(""), meta)
}

// span turns Lua positions into a range of a string of length n: from 1,
// negative ones from the end, both ends included.
func span(n, i, j int) (int, int) {
	switch {
	case i < 0:
		i = max(1, n+i+1)
	case i == 0:
		i = 1
	}
	switch {
	case j < 0:
		j = n + j + 1
	case j > n:
		j = n
	}
	return i, j
}

func (vm *VM) stringLen(L *lua.LState) int {
	L.Push(lua.LNumber(len(stringArg(L, 1))))
	return 1
}

func (vm *VM) stringSub(L *lua.LState) int {
	s := stringArg(L, 1)
	i, j := span(len(s), intArg(L, 2), optIntArg(L, 3, -1))
	if i > j {
		L.Push(lua.LString(""))
		return 1
	}
	L.Push(lua.LString(s[i-1 : j])) // shares memory, so it is not charged for
	return 1
}

func (vm *VM) stringByte(L *lua.LState) int {
	s := stringArg(L, 1)
	first := optIntArg(L, 2, 1)
	i, j := span(len(s), first, optIntArg(L, 3, first))
	if i > j {
		return 0
	}
	if j-i >= maxUnpack {
		L.RaiseError("string slice too long (%d bytes at most)", maxUnpack)
	}
	vm.passed(L, j-i+1)
	for k := i; k <= j; k++ {
		L.Push(lua.LNumber(s[k-1]))
	}
	return j - i + 1
}

func (vm *VM) stringChar(L *lua.LState) int {
	b := make([]byte, L.GetTop())
	for i := range b {
		n := intArg(L, i+1)
		if n < 0 || n > 255 {
			argError(L, i+1, "value out of range")
		}
		b[i] = byte(n)
	}
	vm.pushString(L, string(b))
	return 1
}

func (vm *VM) stringReverse(L *lua.LState) int {
	s := stringArg(L, 1)
	vm.built(L, len(s))
	b := make([]byte, len(s))
	for i := range b {
		b[len(s)-1-i] = s[i]
	}
	L.Push(lua.LString(b))
	return 1
}

// Case is that of ASCII, as in the C locale: bytes beyond it are left alone.
func (vm *VM) stringLower(L *lua.LState) int { return vm.mapBytes(L, 'A', 'Z') }
func (vm *VM) stringUpper(L *lua.LState) int { return vm.mapBytes(L, 'a', 'z') }

func (vm *VM) mapBytes(L *lua.LState, from, to byte) int {
	s := stringArg(L, 1)
	vm.built(L, len(s))
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = c ^ 0x20
		}
	}
	L.Push(lua.LString(b))
	return 1
}

func (vm *VM) stringRep(L *lua.LState) int {
	s, n, sep := stringArg(L, 1), intArg(L, 2), optStringArg(L, 3, "")
	if n <= 0 {
		L.Push(lua.LString(""))
		return 1
	}
	if l := len(s) + len(sep); l > 0 && n > vm.limits.StringBytes/l+1 {
		vm.Stop(L, ErrString)
	}
	total := n*len(s) + (n-1)*len(sep)
	if total == 0 {
		L.Push(lua.LString(""))
		return 1
	}
	vm.checkLength(L, total)
	vm.built(L, total)
	if sep == "" {
		L.Push(lua.LString(strings.Repeat(s, n)))
	} else {
		L.Push(lua.LString(strings.Repeat(s+sep, n-1) + s))
	}
	return 1
}

// concat is the hidden function behind the .. operator.
func (vm *VM) concat(L *lua.LState) int {
	n := L.GetTop()
	total, texts := 0, true
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			total += len(v)
		case lua.LNumber:
			total += maxNumberText
		default:
			texts = false
		}
	}
	if !texts {
		return vm.concatObjects(L)
	}
	vm.checkLength(L, total)
	vm.built(L, total)
	if n == 2 {
		L.Push(lua.LString(plainText(L.Get(1)) + plainText(L.Get(2))))
		return 1
	}
	var b strings.Builder
	b.Grow(total)
	for i := 1; i <= n; i++ {
		b.WriteString(plainText(L.Get(i)))
	}
	L.Push(lua.LString(b.String()))
	return 1
}

const maxNumberText = 24

// concatObjects concatenates from the right, with metamethods.
func (vm *VM) concatObjects(L *lua.LState) int {
	n := L.GetTop()
	right := L.Get(n)
	for i := n - 1; i >= 1; i-- {
		left := L.Get(i)
		if isText(left) && isText(right) {
			s := plainText(left) + plainText(right)
			vm.checkLength(L, len(s))
			vm.built(L, len(s))
			right = lua.LString(s)
			continue
		}
		handler := metaField(left, "__concat")
		if handler == lua.LNil {
			handler = metaField(right, "__concat")
		}
		if handler == lua.LNil {
			culprit := right
			if !isText(left) {
				culprit = left
			}
			L.RaiseError("attempt to concatenate a %s value", typeName(culprit))
		}
		L.Push(handler)
		L.Push(left)
		L.Push(right)
		L.Call(2, 1)
		right = L.Get(-1)
		L.Pop(1)
	}
	L.Push(right)
	return 1
}
