package luavm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// TestFindTriesEveryPlace holds the place that find names against the first at
// which the same pattern matches when it may begin nowhere else.
func TestFindTriesEveryPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	word := func(from string, most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteByte(from[random.IntN(len(from))])
		}
		return b.String()
	}
	p := compile(t, `return function() return nil end, function(s, p)
  local function find(...)
    local ok, from, to = pcall(string.find, ...)
    return ok, tostring(ok) .. tostring(from) .. tostring(to), from
  end
  local _, found = find(s, p)
  for i = 1, #s + 1 do
    local ok, there, from = find(s, "^" .. p, i)
    if not ok or from then return found, there end
  end
  return found, "truenilnil"
end`)
	vm := newVM(t, luavm.Limits{})
	for range 20_000 {
		s, pattern := word("ab-. %", 9), word("ab-.%%+*?([])$f^", 6)
		if strings.HasPrefix(pattern, "^") || !strings.ContainsAny(pattern, "^$*+?.([%-") {
			continue
		}
		require.NoError(t, vm.Begin(t.Context()))
		results, err := vm.Exec(p, vm.Env())
		require.NoError(t, err)
		results, err = vm.Call(results[1], lua.LString(s), lua.LString(pattern))
		require.NoError(t, err)
		require.Equal(t, results[1], results[0], "%q %q", s, pattern)
		vm.End()
	}
}

// Where a pattern can only begin at one character, the others are skipped; they
// are paid for like attempts.
func TestSkippedPlacesArePaidFor(t *testing.T) {
	used := func(word, pattern string) int64 {
		vm := newVM(t, luavm.Limits{})
		_, err := exec(t, vm, "return (('"+word+"'):rep(10000)):find('"+pattern+"')")
		require.NoError(t, err)
		return vm.Used()
	}
	for _, word := range []string{"aaaaaaaa", "aaaaaaab"} {
		require.InEpsilon(t, used(word, "[b]c[d]"), used(word, "bc[d]"), 0.5)
		require.Greater(t, used(word, "bc[d]"), int64(20_000))
	}
}
