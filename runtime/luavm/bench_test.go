package luavm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// loopSource is about 50,000 instructions of mixed work.
const loopSource = `local function step(t, i) t.n = t.n + i if t.n > 1000 then t.n = t.n - 999 end return t.n end
local t, s = {n = 0}, 0
for i = 1, 2400 do
  s = s + step(t, i)
  if s > 100000 then s = 0 end
  local x, y = i, s
  s = x + y - i
end
return s`

// policySource is a policy of twenty lines; its handler is what it returns.
const policySource = `
local dangerous = {
  {pattern = "%f[%w]rm%s+%-%a*r", reason = "removes recursively"},
  {pattern = "%f[%w]git%s+push%s.*%-%-force", reason = "force push"},
  {pattern = "%f[%w]curl%s.*|%s*sh", reason = "pipes the network into a shell"},
}

local function deny(reason)
  return {kind = "deny", reason = reason}
end

return function(call)
  if call.tool ~= "Bash" then return end
  local command = call.input.command
  for _, rule in ipairs(dangerous) do
    if command:find(rule.pattern) then
      return deny(command .. ": " .. rule.reason)
    end
  end
end`

const policyPayload = `{"tool":"Bash","input":{"command":"git push origin main --force","description":"push"},"session":{"id":"s","cwd":"/w","project":"/w"},"id":"t1"}`

// BenchmarkCountingBudget compares the budget with a context that counts nothing,
// on the same code in the same state. The two alternate, so that a noisy machine
// hits both; the metric "ratio" is what counts.
func BenchmarkCountingBudget(b *testing.B) {
	vm := newVM(b, luavm.Limits{Wall: -1, Instructions: 1 << 50})
	p := compile(b, "return function() "+loopSource+" end")
	require.NoError(b, vm.Begin(context.Background()))
	results, err := vm.Exec(p, vm.Env())
	require.NoError(b, err)
	fn := results[0]
	L := vm.State()
	budget := L.Context()
	call := func(ctx context.Context) time.Duration {
		L.SetContext(ctx)
		start := time.Now()
		for range 10 {
			L.Push(fn)
			L.Call(0, 0)
		}
		return time.Since(start)
	}
	var counting, plain time.Duration
	best := func(total *time.Duration, d time.Duration) {
		if *total == 0 || d < *total {
			*total = d
		}
	}
	background := context.Background()
	for b.Loop() {
		best(&counting, call(budget))
		best(&plain, call(background))
	}
	L.SetContext(budget)
	b.ReportMetric(float64(counting)/float64(plain), "ratio")
	b.ReportMetric(float64(counting.Nanoseconds())/10, "ns/loop")
}

func BenchmarkNewVM(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		luavm.New(luavm.Options{}).Close()
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := luavm.Compile("p.lua", policySource, luavm.CompileOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFreshInstance is a run in a pooled VM with a new environment, the main
// chunk and the handler, payload and answer included.
func BenchmarkFreshInstance(b *testing.B) {
	vm := newVM(b, luavm.Limits{})
	p := compile(b, policySource)
	doc := parse(b, policyPayload)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, vm.Begin(ctx))
		results, err := vm.Exec(p, vm.Env())
		if err != nil {
			b.Fatal(err)
		}
		answer(b, vm, results[0], vm.Freeze(doc, nil, nil))
		vm.End()
	}
}

// BenchmarkReusedInstance is the same where the instance may be kept.
func BenchmarkReusedInstance(b *testing.B) {
	vm := newVM(b, luavm.Limits{})
	p := compile(b, policySource)
	require.True(b, p.Reusable())
	doc := parse(b, policyPayload)
	ctx := context.Background()
	require.NoError(b, vm.Begin(ctx))
	results, err := vm.Exec(p, vm.Env())
	require.NoError(b, err)
	fn := results[0]
	vm.End()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, vm.Begin(ctx))
		answer(b, vm, fn, vm.Freeze(doc, nil, nil))
		vm.End()
	}
}

func answer(b *testing.B, vm *luavm.VM, fn, payload lua.LValue) {
	results, err := vm.Call(fn, payload)
	if err != nil {
		b.Fatal(err)
	}
	if v, err := vm.ToValue("decision", results[0]); err != nil || v.Get("kind").String() != "deny" {
		b.Fatal(v, err)
	}
}
