package luavm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// count runs a source and returns what it cost and what came of it.
func count(t *testing.T, source string, cover *luavm.Coverage) (used int64, result string) {
	t.Helper()
	p, err := luavm.Compile("p", source, luavm.CompileOptions{Coverage: cover})
	require.NoError(t, err)
	vm := luavm.New(luavm.Options{Limits: luavm.Limits{Instructions: 20_000, Wall: -1}})
	defer vm.Close()
	require.NoError(t, vm.Begin(context.Background()))
	rets, err := vm.Exec(p, vm.Env())
	if errors.As(err, new(luavm.Limit)) {
		return vm.Used() - vm.End(), "" // the counting may be what went over the limit
	}
	text := fmt.Sprint(err)
	for _, v := range rets {
		text += " " + v.Type().String()
	}
	return vm.End(), text
}

const everyStatement = `
local total = 0
local function add(n)
  if n > 3 then
    total = total + n
  elseif n == 2 then
    return n
  else
    total = total - 1
  end
end
for i = 1, 5 do add(i) end
for _, v in ipairs { 1, 2 } do
  if v == 1 then goto continue end
  total = total + v
  ::continue::
end
local n = 3
while n > 0 do n = n - 1 if n == 1 then break end end
repeat
  n = n + 1
  local stop = n > 3
until stop
do
  local t = { f = function(self) return self and 1 or 2 end }
  total = total + t:f()
end
while true do
  repeat if total then break end until true
  break
end
return total`

// TestCoverageCostsNothing compares the instructions of programs that are counted
// with those of the same that are not, up to the limit and beyond.
func TestCoverageCostsNothing(t *testing.T) {
	sources := []string{
		everyStatement, "", "return 1", "local x", "while true do end", "::a:: goto a", "error 'x'",
		"for i = 1, 1e6 do if i % 2 == 0 then local x = i end end",
	}
	holes, err := filepath.Glob("../../spec/sandbox/holes/*.lua")
	require.NoError(t, err)
	require.NotEmpty(t, holes)
	for _, file := range holes {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if _, err := luavm.Compile("p", string(text), luavm.CompileOptions{}); err == nil {
			sources = append(sources, string(text))
		}
	}
	for i, source := range sources {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			plain, want := count(t, source, nil)
			counted, got := count(t, source, new(luavm.Coverage))
			require.Equal(t, want, got, "%s", source)
			require.Equal(t, plain, counted, "%s", source)
		})
	}
}

func TestCoverageTellsLinesAndBranches(t *testing.T) {
	cover := new(luavm.Coverage)
	count(t, everyStatement, cover)
	p := cover.Programs()[0]
	lines := p.LineHits()
	for line, want := range map[int]int64{2: 1, 3: 1, 4: 5, 5: 2, 6: 3, 7: 1, 9: 2, 12: 5, 15: 1, 24: 1, 26: 1} {
		require.Equal(t, want, lines[line], "line %d", line)
	}
	require.NotContains(t, lines, 8)

	taken := map[int][2]int64{}
	for _, b := range p.Branches {
		yes, no := p.Taken(b)
		taken[b.Line] = [2]int64{yes, no}
	}
	require.Equal(t, [2]int64{2, 3}, taken[4])
	require.Equal(t, [2]int64{1, 2}, taken[6])
	require.Equal(t, [2]int64{1, 1}, taken[14])
}

// TestCoverageTellsFunctionsOnALineApart counts a line as the function on it that
// ran least.
func TestCoverageTellsFunctionsOnALineApart(t *testing.T) {
	for source, want := range map[string]int64{
		"local f = function() return 1 end":                                                0,
		"local f = function() return 1 end f() f()":                                        1,
		"local f, g = function() return 1 end, function() return 2 end f() f()":            0,
		"local f = function() return function() return 1 end end f()":                      0,
		"local f = function() return function() return 1 end end f()()":                    1,
		"local f = function() end":                                                         1,
		"for _ = 1, 3 do local f = function(x) if x then return 1 end end f() end":         3,
		"local function f() return 1 end local function g() return f() end return g() + 1": 1,
	} {
		cover := new(luavm.Coverage)
		count(t, source, cover)
		require.Equal(t, want, cover.Programs()[0].LineHits()[1], source)
	}
}

// TestCoverageAddsUp counts what several compilations of one source do together.
func TestCoverageAddsUp(t *testing.T) {
	cover := new(luavm.Coverage)
	for range 3 {
		count(t, "return 1", cover)
	}
	require.Len(t, cover.Programs(), 1)
	require.EqualValues(t, 3, cover.Programs()[0].Hits(0))
}
