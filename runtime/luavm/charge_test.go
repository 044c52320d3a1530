package luavm_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// TestWorkIsPaidInInstructions: whatever a script repeats, the run ends because
// its instructions or its memory are used up, with the same count every time. No
// clock runs here: what is not charged for makes the test hang.
func TestWorkIsPaidInInstructions(t *testing.T) {
	const long = `local a = ("x"):rep(4000000) local b = ("x"):rep(3999999) .. "x" `
	const many = `local t = {} for i = 1, 8000 do t[i] = i end `
	for name, source := range map[string]string{
		"precise float":     `while true do string.format("%.99f", 2^-100) end`,
		"large float":       `while true do string.format("%.99f", 1e308) end`,
		"constructor":       many + `local function f(...) while true do local a = {...} end end f(unpack(t))`,
		"constructor kept":  many + `local k = {} local function f(...) while true do k[#k + 1] = {...} end end f(unpack(t))`,
		"arguments":         many + `local function g() end local function f(...) while true do g(...) end end f(unpack(t))`,
		"select":            many + `local function f(...) while true do local a = select(-1, ...) end end f(unpack(t))`,
		"select all":        many + `local function f(...) while true do local a = select(1, ...) end end f(unpack(t))`,
		"bytes":             long + `while true do local x = a:byte(1, 8000) end`,
		"key":               long + `local t = {} while true do t[a] = 1 end`,
		"key read":          long + `local t = {[a] = 1} while true do local x = t[b] end`,
		"set":               `local p = "[" .. ("a"):rep(3000000) .. "]" while true do (""):find(p) end`,
		"equal":             long + `while true do local x = a == b end`,
		"less":              long + `while true do local x = a < b end`,
		"raw equal":         long + `while true do rawequal(a, b) end`,
		"white space":       `local s = (" "):rep(4000000) .. "1" while true do tonumber(s) end`,
		"white space added": `local s = (" "):rep(4000000) .. "1" while true do local x = s + 1 end`,
		"numeral":           `local s = ("1"):rep(390) while true do tonumber(s) end`,
		"numeral in base 3": `local s = ("1"):rep(390) while true do tonumber(s, 3) end`,
		"remainder":         `while true do math.fmod(1e308, 1e-308) end`,
	} {
		t.Run(name, func(t *testing.T) {
			var counts [2]int64
			for i := range counts {
				vm := luavm.New(luavm.Options{Limits: luavm.Limits{Wall: -1}})
				p, err := luavm.Compile("a.lua", source, luavm.CompileOptions{})
				require.NoError(t, err)
				require.NoError(t, vm.Begin(t.Context()))
				_, err = vm.Exec(p, vm.Env())
				counts[i] = vm.End()
				vm.Close()
				require.True(t, isLimit(err), "%v", err)
			}
			require.Equal(t, counts[0], counts[1])
		})
	}
}

// TestInstructionsBoundMemory of tables that get one member each, where no limit of
// the heap is set.
func TestInstructionsBoundMemory(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := exec(t, vm, "local kept = {} for i = 1, 1e6 do local t = {} t.x = 1 kept[i] = t end")
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, luavm.ErrInstructions)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
}

func isLimit(err error) bool {
	for _, limit := range []error{luavm.ErrInstructions, luavm.ErrAlloc} {
		if errors.Is(err, limit) {
			return true
		}
	}
	return false
}
