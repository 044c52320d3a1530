package luavm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func TestLimitsStopAndCannotBeCaught(t *testing.T) {
	tests := []struct {
		name, source string
		want         luavm.Limit
	}{
		{"loop", "while true do end", luavm.ErrInstructions},
		{"goto", "::a:: goto a", luavm.ErrInstructions},
		{"pattern", "while true do (('a'):rep(60)):find(('a?'):rep(30) .. ('a'):rep(30) .. 'b') end", luavm.ErrInstructions},
		{"gsub", "local s = ('x'):rep(100000) while true do s:gsub('x', 'y') end", luavm.ErrInstructions},
		{"sort", "local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t) end", luavm.ErrInstructions},
		{"pairs of a view", "while true do for _ in pairs({1}) do end end", luavm.ErrInstructions},
		{"doubling", "local s = 'x' while true do s = s .. s end", luavm.ErrString},
		{"rep", "return ('x'):rep(1e9)", luavm.ErrString},
		{"many strings", "local s = ('x'):rep(1000000) while true do local u = s .. 'y' end", luavm.ErrAlloc},
		{"holes", "local k = 262143 while true do local t = {} t[k] = 1 end", luavm.ErrAlloc},
		{"constructor holes", "local k = 262143 while true do local t = {[k] = 1} end", luavm.ErrAlloc},
		{"rawset holes", "while true do rawset({}, 262143, 1) end", luavm.ErrAlloc},
		{"long list", "local t = {} table.insert(t, 1) rawset(t, 262143, 1) t[#t + 1] = 1", luavm.ErrTable},
		{"recursion", "local function f() return 1 + f() end f()", luavm.ErrDepth},
		{"recursion of metamethods", "local t t = setmetatable({}, {__index = function(_, k) return t[k] end}) return t.x", luavm.ErrDepth},
		{"recursion with varargs", "local function f(...) return f(1, ...) + 1 end f()", luavm.ErrRegistry},
		{"tail calls with varargs", "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, ...) end return f()", luavm.ErrRegistry},
		{"deep pattern", "return (('a'):rep(1000)):find(('(a'):rep(20) .. ('a?'):rep(500))", luavm.ErrPattern},
	}
	wraps := map[string]string{
		"bare":   "%s",
		"pcall":  "while true do pcall(function() %s end) end",
		"xpcall": "while true do xpcall(function() %s end, function() return 1 end) end",
		"answer": "pcall(function() %s end) return 'allow'",
	}
	for _, tt := range tests {
		for wrap, form := range wraps {
			vm := newVM(t, luavm.Limits{Instructions: 200_000, Wall: -1, AllocBytes: 8 << 20, Registry: 8192})
			_, err := exec(t, vm, replaceOnce(form, tt.source))
			require.ErrorIs(t, err, tt.want, "%s, %s", tt.name, wrap)
			var limit luavm.Limit
			require.ErrorAs(t, err, &limit)
			require.Equal(t, tt.want, limit)
			if !vm.Broken() {
				require.Equal(t, "usable", show(must(exec(t, vm, "return 'usable'"))), tt.name)
			}
		}
	}
}

func replaceOnce(form, s string) string {
	for i := 0; i+1 < len(form); i++ {
		if form[i:i+2] == "%s" {
			return form[:i] + s + form[i+2:]
		}
	}
	return form
}

func must(results []lua.LValue, err error) []lua.LValue {
	if err != nil {
		panic(err)
	}
	return results
}

func TestInstructionCountIsTheSameEverywhere(t *testing.T) {
	const source = `local t = {} for i = 1, 200 do t[#t + 1] = ("x"):rep(i % 7) .. i end
table.sort(t) local n = 0 for _, s in ipairs(t) do n = n + #s:gsub("x", "yy") end return n`
	var counts []int64
	for range 3 {
		vm := newVM(t, luavm.Limits{})
		for range 3 {
			p := compile(t, source)
			require.NoError(t, vm.Begin(t.Context()))
			_, err := vm.Exec(p, vm.Env())
			require.NoError(t, err)
			require.Positive(t, vm.Used())
			counts = append(counts, vm.End())
		}
	}
	for _, n := range counts {
		require.Equal(t, counts[0], n)
	}
	require.Greater(t, counts[0], int64(1000))
}

func TestBudgetIsExact(t *testing.T) {
	const source = "local n = 0 for i = 1, 1000 do n = n + i end return n"
	vm := newVM(t, luavm.Limits{})
	_, err := exec(t, vm, source)
	require.NoError(t, err)
	used := vm.Used()
	_, err = exec(t, newVM(t, luavm.Limits{Instructions: used}), source)
	require.NoError(t, err)
	_, err = exec(t, newVM(t, luavm.Limits{Instructions: used - 1}), source)
	require.ErrorIs(t, err, luavm.ErrInstructions)
}

// At some depths there is room for pcall and none for what it calls: that is the same
// limit, and no pcall sees it.
func TestNoRoomForAProtectedCall(t *testing.T) {
	for _, call := range []string{
		"pcall(f)", "xpcall(f, tostring)", "pcall(pcall, f)", "pcall(string.gsub, 'x', 'x', f)",
		"pcall(setmetatable({}, {__call = f}))", "pcall(function() return setmetatable({}, {__concat = f}) .. 1 end)",
	} {
		for depth := range 8 {
			open, end := strings.Repeat("(function() ", depth), strings.Repeat(" end)()", depth)
			source := "local f f = function() " + call + " return 'x' end " + open + "f()" + end + " return 'allow'"
			vm := newVM(t, luavm.Limits{})
			_, err := exec(t, vm, source)
			require.ErrorIs(t, err, luavm.ErrDepth, "%s at depth %d", call, depth)
			require.False(t, vm.Broken())
		}
	}
}

// A function of the host as the handler of xpcall would run without one more
// instruction; one that charges for nothing would not even notice.
func TestNothingRunsAfterALimit(t *testing.T) {
	vm := newVM(t, luavm.Limits{Instructions: 10_000})
	called := false
	host := func(*lua.LState) int {
		called = true
		return 0
	}
	vm.Define("host", vm.Func("host", host))
	vm.Define("next_one", vm.State().NewFunction(host))
	for _, handler := range []string{"host", "next_one"} {
		_, err := exec(t, vm, "xpcall(function() while true do end end, "+handler+")")
		require.ErrorIs(t, err, luavm.ErrInstructions)
		require.False(t, called, handler)
	}
}

// A function of the host may hide from the script that the run was stopped, not
// from the caller of the run.
func TestALimitCannotBeHidden(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.State().NewFunction(func(L *lua.LState) int {
		defer func() { _ = recover() }()
		vm.Charge(1 << 40)
		return 0
	}))
	results, err := exec(t, vm, "return host()")
	require.ErrorIs(t, err, luavm.ErrInstructions)
	require.Nil(t, results)
}

// A handler that calls the next one, in another VM, gets no new instructions by it.
func TestNestedRunDoesNotRefillTheOuterBudget(t *testing.T) {
	limits := luavm.Limits{Instructions: 100_000, Wall: -1}
	inner := newVM(t, limits)
	outer := newVM(t, limits)
	nested := 0
	outer.Define("next_one", outer.Func("next_one", func(*lua.LState) int {
		outer.Outside(func() {
			nested++
			_, err := exec(t, inner, "local n = 0 for i = 1, 100 do n = n + i end return n")
			require.NoError(t, err)
		})
		return 0
	}))
	_, err := exec(t, outer, "while true do next_one() end")
	require.ErrorIs(t, err, luavm.ErrInstructions)
	require.Less(t, nested, 600, "the call and what runs outside both have their price")
	require.Equal(t, limits.Instructions, outer.Used())

	_, err = exec(t, outer, "next_one() while true do end")
	require.ErrorIs(t, err, luavm.ErrInstructions)
	require.Equal(t, limits.Instructions, outer.Used())
}

func TestRunsOfOneVMDoNotNest(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	require.ErrorIs(t, vm.Begin(t.Context()), luavm.ErrBusy)
	vm.End()
	_, err := vm.Call(lua.LNil)
	require.ErrorIs(t, err, luavm.ErrNoRun)
}

// slowHost runs a script whose host function takes longer than the wall limit.
func slowHost(t *testing.T, outside bool) error {
	t.Helper()
	vm := newVM(t, luavm.Limits{Wall: time.Second})
	vm.Define("host", vm.Func("host", func(*lua.LState) int {
		wait := func() {
			timer := time.NewTimer(1500 * time.Millisecond)
			<-timer.C
		}
		if outside {
			vm.Outside(wait)
		} else {
			wait()
		}
		return 0
	}))
	_, err := exec(t, vm, "for i = 1, 3000 do end host() for i = 1, 20000 do end return 1")
	return err
}

func TestSlowHostCallDoesNotTripTheClock(t *testing.T) {
	require.NoError(t, slowHost(t, true))
	require.ErrorIs(t, slowHost(t, false), luavm.ErrWall, "the clock does run otherwise")
}

func TestWallStopsWhatInstructionsDoNotSee(t *testing.T) {
	vm := newVM(t, luavm.Limits{Wall: 30 * time.Millisecond, Instructions: 1 << 50})
	_, err := exec(t, vm, "while true do pcall(function() while true do end end) end")
	require.ErrorIs(t, err, luavm.ErrWall)
}

// What a neighbour allocates meanwhile must not stop a script, unless the heap
// watch is armed, which only a process of one purpose does.
func TestNeighboursMemoryDoesNotDecide(t *testing.T) {
	run := func(limits luavm.Limits, outside bool) error {
		limits.Wall = -1
		vm := newVM(t, limits)
		var neighbour [][]byte
		grow := func() { neighbour = append(neighbour, make([]byte, 64<<20)) }
		vm.Define("host", vm.Func("host", func(*lua.LState) int {
			if outside {
				vm.Outside(grow)
			} else {
				grow()
			}
			return 0
		}))
		// The watch looks every millisecond: enough instructions before and after.
		_, err := exec(t, vm, "for i = 1, 200000 do end host() for i = 1, 400000 do end return 1")
		require.Len(t, neighbour, 1)
		return err
	}
	require.NoError(t, run(luavm.Limits{}, false))
	require.ErrorIs(t, run(luavm.Limits{HeapBytes: 32 << 20}, false), luavm.ErrHeap)
	require.NoError(t, run(luavm.Limits{HeapBytes: 32 << 20}, true), "growth in Outside is the host's")
}

func TestCancellationStopsWithItsCause(t *testing.T) {
	cause := errors.New("the human pressed escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	vm := newVM(t, luavm.Limits{Instructions: 1 << 50, Wall: -1})
	vm.Define("host", vm.Func("host", func(*lua.LState) int {
		cancel(cause)
		return 0
	}))
	p := compile(t, "while true do pcall(function() host() while true do end end) end")
	require.NoError(t, vm.Begin(ctx))
	require.Equal(t, ctx, vm.Context())
	_, err := vm.Exec(p, vm.Env())
	vm.End()
	require.ErrorIs(t, err, cause)
	require.False(t, vm.Broken())
	require.ErrorIs(t, vm.Begin(ctx), cause, "a cancelled run does not start")
	require.Equal(t, "1", show(must(exec(t, vm, "return 1"))))
}

func TestChargeAndStopEndTheRun(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	own := errors.New("own reason")
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		if L.GetTop() == 0 {
			vm.Charge(2_000_000)
		}
		vm.Stop(L, own)
		return 0
	}))
	_, err := exec(t, vm, "pcall(host) return 1")
	require.ErrorIs(t, err, luavm.ErrInstructions)
	_, err = exec(t, vm, "pcall(host, 1) return 1")
	require.ErrorIs(t, err, own)
}

// Begin and the clock need no timer and no goroutine, so short runs are cheap.
func TestRunDoesNotAllocate(t *testing.T) {
	vm := newVM(t, luavm.Limits{HeapBytes: 256 << 20})
	p := compile(t, "return function() return 1 end")
	require.NoError(t, vm.Begin(t.Context()))
	results, err := vm.Exec(p, vm.Env())
	require.NoError(t, err)
	fn := results[0]
	vm.End()
	ctx := context.Background()
	allocations := testing.AllocsPerRun(100, func() {
		if vm.Begin(ctx) == nil {
			_, _ = vm.Call(fn)
			vm.End()
		}
	})
	require.LessOrEqual(t, allocations, 2.0)
}
