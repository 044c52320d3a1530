package script_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// counters are scripts that would remember something if they could.
var counters = map[string]string{
	"local":             "local n = 0\n" + pre("n = n + 1 return dsh.deny(tostring(n))"),
	"global":            "n = 0\n" + pre("n = n + 1 return dsh.deny(tostring(n))"),
	"table":             "local t = {n = 0}\n" + pre("t.n = t.n + 1 return dsh.deny(tostring(t.n))"),
	"list":              "local t = {}\n" + pre("t[#t + 1] = 1 return dsh.deny(tostring(#t))"),
	"insert":            "local t = {}\n" + pre("table.insert(t, 1) return dsh.deny(tostring(#t))"),
	"rawset":            "local t = {n = 0}\n" + pre("rawset(t, 'n', t.n + 1) return dsh.deny(tostring(t.n))"),
	"alias":             "local t, put = {}, table.insert\n" + pre("put(t, 1) return dsh.deny(tostring(#t))"),
	"closure":           "local function counter() local n = 0 return function() n = n + 1 return n end end\nlocal c = counter()\n" + pre("return dsh.deny(tostring(c()))"),
	"method":            "local t = {n = 0}\nfunction t:add() self.n = self.n + 1 return self.n end\n" + pre("return dsh.deny(tostring(t:add()))"),
	"metatable":         "local t = setmetatable({n = 0}, {__call = function(t) t.n = t.n + 1 return t.n end})\n" + pre("return dsh.deny(tostring(t()))"),
	"environment":       pre("n = 1 + (rawget(_G, 'n') or 0) return dsh.deny(tostring(n))"),
	"upvalue of helper": "local n = 0\nlocal function add() n = n + 1 return n end\n" + pre("return dsh.deny(tostring(add()))"),
	"answer":            "local t = {kind = 'deny', reason = ''}\n" + pre("t.reason = t.reason .. '1' return t"),
	"setmetatable":      "local t = {}\n" + pre("local m = getmetatable(t) setmetatable(t, {n = 1 + (m and m.n or 0)}) return dsh.deny(tostring(getmetatable(t).n))"),
	"iterator":          "local it = ('1 2 3'):gmatch('%d')\n" + pre("return dsh.deny(it() or 'none')"),
	"sort":              "local t = {2, 1}\n" + pre("local first = t[1] table.sort(t) return dsh.deny(tostring(first - 1))"),
}

// A counter at file level says the same in every run, in every host, however the
// file was loaded.
func TestHandlersRememberNothing(t *testing.T) {
	for name, source := range counters {
		t.Run(name, func(t *testing.T) {
			for _, lazy := range []bool{false, true} {
				opts := offered()
				opts.Lazy = lazy
				s := load(t, "policy.lua", source, opts)
				one, two := newDesk(t, s), newDesk(t, s)
				for range 3 {
					for _, d := range []*desk{one, two} {
						got, err := d.ask(t, rm())
						require.NoError(t, err)
						require.Equal(t, tool.Deny{Reason: "1"}, got)
					}
				}
			}
		})
	}
}

// Two handlers of one file share nothing either.
func TestHandlersOfOneFileShareNothing(t *testing.T) {
	d := desked(t, "local n = 0\n"+pre("n = n + 1 if n > 1 then return dsh.deny 'shared' end return nil")+pre("n = n + 1 return dsh.deny(tostring(n))"))
	got, err := d.ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Deny{Reason: "1"}, got)
}

// A script may be entered again while it waits for next. The inner run is one
// like any other.
func TestReentryThroughNext(t *testing.T) {
	for name, source := range map[string]string{
		"fresh":    "local n = 0\n" + pre("n = n + 1\nlocal d = next()\nif call.id == '0' then return dsh.deny(d.reason .. n) end\nreturn dsh.deny(call.id .. n)"),
		"reusable": pre("local d = next()\nif call.id == '0' then return dsh.deny(d.reason .. '1') end\nreturn dsh.deny(call.id .. '1')"),
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{}
			d.install(t, load(t, "policy.lua", source, offered()))
			d.install(t, goPolicy{"again", func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				if c.ID == "1" {
					return next(ctx)
				}
				c.ID = "1"
				return tool.PreExecute.Run(ctx, d.run(), c)
			}})
			c := rm()
			c.ID = "0"
			for range 2 {
				got, err := d.ask(t, c)
				require.NoError(t, err)
				require.Equal(t, tool.Deny{Reason: "111"}, got)
			}
		})
	}
}

// The k-th registration is handler k, in every instance.
func TestHandlersKeepTheirOrder(t *testing.T) {
	var source string
	for i := range 5 {
		source += fmt.Sprintf("dsh.on('tools/pre-execute', {tool = 'T%d', rule = 'r%d'}, function(call) return dsh.deny '%d' end)\n", i, i, i)
	}
	for _, lazy := range []bool{false, true} {
		opts := offered()
		opts.Lazy = lazy
		d := newDesk(t, load(t, "policy.lua", source, opts))
		for _, i := range []int{4, 0, 3, 1, 2, 2} {
			c := rm()
			c.Tool = fmt.Sprintf("T%d", i)
			got, err := d.ask(t, c)
			require.NoError(t, err)
			require.Equal(t, tool.Deny{Reason: fmt.Sprint(i)}, got)
			require.Equal(t, fmt.Sprintf("r%d", i), d.last(t).Rule)
		}
	}
}

// A file that registers other handlers when it runs than when it was read fails
// its runs: nobody knows which handler is meant.
func TestChangedRegistrations(t *testing.T) {
	const handler = "function() return dsh.deny 'no' end"
	on := func(args string) string { return "dsh.on('tools/pre-execute', " + args + handler + ")" }
	const another, fewer = "handler 1 is registered in another way", "registered 1 handlers when it was read and 0 when it ran"
	for name, test := range map[string]struct{ first, later, want string }{
		"the same":         {on("{tool = 'Bash', rule = 'r'}, "), on("{rule = 'r', tool = {'Bash'}}, "), ""},
		"the same list":    {on("{tool = {'Bash', 'x'}}, "), on("{tool = {'Bash', 'x'}}, "), ""},
		"no filter":        {on(""), on("{}, "), ""},
		"not raw":          {on(""), on("{raw = false}, "), ""},
		"another point":    {on(""), "dsh.on('tools/result', " + handler + ")", another},
		"a filter":         {on(""), on("{tool = 'Bash'}, "), another},
		"no filter left":   {on("{tool = 'Bash'}, "), on(""), another},
		"another tool":     {on("{tool = 'Bash'}, "), on("{tool = 'Other'}, "), another},
		"another field":    {on("{tool = 'Bash'}, "), on("{match = 'Bash'}, "), another},
		"another rule":     {on("{rule = 'a'}, "), on("{rule = 'b'}, "), another},
		"raw":              {on("{rule = 'a'}, "), on("{raw = true}, "), another},
		"not raw any more": {on("{raw = true}, "), on("{raw = false}, "), another},
		"a shorter list":   {on("{tool = {'Bash', 'x'}}, "), on("{tool = {'Bash'}}, "), another},
		"one of the list":  {on("{tool = {'Bash', 'x'}}, "), on("{tool = 'Bash'}, "), another},
		"another list":     {on("{tool = {'Bash', 'x'}}, "), on("{tool = {'Bash', 'y'}}, "), another},
		"fewer":            {on(""), "", fewer},
		"more":             {on(""), on("") + " " + on("{rule = 'second'}, "), "registered 1 handlers when it was read and 2 when it ran"},
		"not one":          {on("{tool = 'Bash'}, "), on("{tol = 'Bash'}, "), "filter.tol: no such field"},
		"no function":      {on(""), "dsh.on('tools/pre-execute', pairs)", "want a function of the policy"},
		"too much":         {on(""), "dsh.on('tools/pre-execute', " + handler + ", 1)", "and nothing behind"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := offered()
			at := time.Unix(1, 0)
			opts.Services.Clock = func(context.Context) time.Time { return at }
			s := load(t, "policy.lua", "if require('time').now() == 1 then "+test.first+" else "+test.later+" end", opts)
			at = time.Unix(2, 0)
			got, err := newDesk(t, s).ask(t, rm())
			if test.want == "" {
				require.NoError(t, err)
				require.Equal(t, tool.Deny{Reason: "no"}, got)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A file whose main chunk fails only when it is needed fails its runs.
func TestMainChunkThatFailsLate(t *testing.T) {
	opts := offered()
	opts.Lazy = true
	_, err := newDesk(t, load(t, "policy.lua", "error('late')\n"+pre("return dsh.deny 'no'"), opts)).ask(t, rm())
	require.ErrorContains(t, err, "policy.lua:1: late")
}

// What Lazy puts off comes out when the file is needed, and not before.
func TestLazyCompilesWhenItMust(t *testing.T) {
	opts := offered()
	opts.Lazy = true
	s, err := script.Load(t.Context(), "policy.lua", "dsh.on('tools/pre-execute', {tool = 'Other'}, function() end)\nlocal x = = 1", opts)
	require.NoError(t, err)
	d := newDesk(t, s)
	_, err = d.ask(t, rm())
	require.NoError(t, err, "the file does not concern this call")
	c := rm()
	c.Tool = "Other"
	_, err = d.ask(t, c)
	require.ErrorContains(t, err, "policy.lua:2")
	require.ErrorContains(t, s.Compile(), "policy.lua:2")

	opts.Lazy = false
	_, err = script.Load(t.Context(), "policy.lua", "local x = = 1", opts)
	require.ErrorContains(t, err, "policy.lua:1")
}

// One script in many registries is one script: each run is its own.
func TestOneScriptInTwoHosts(t *testing.T) {
	s := load(t, "policy.lua", "local n = 0\n"+pre("n = n + 1\nlocal d = next()\nreturn dsh.with(d, {reason = (d.reason or '') .. n})"), offered())
	one := newDesk(t, s, says(tool.Deny{Reason: "one"}))
	two := newDesk(t, s, goPolicy{"bridge", func(ctx context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
		return tool.PreExecute.Run(ctx, one.run(), c)
	}})
	got, err := two.ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Deny{Reason: "one11"}, got)
}

// A state that an overflow has damaged is thrown away: the call that did it
// fails, and the next one is decided as if nothing had been.
func TestDamagedStatesAreNotUsedAgain(t *testing.T) {
	opts := offered()
	opts.Limits.Registry = 4096
	const body = `if call.tool == "Other" then
  local function f(...) return f(1, 2, 3, ...) end
  return f()
end
return dsh.deny "no"`
	d := newDesk(t, load(t, "policy.lua", pre(body), opts))
	for range 3 {
		c := rm()
		c.Tool = "Other"
		_, err := d.ask(t, c)
		require.ErrorIs(t, err, luavm.ErrRegistry)
		got, err := d.ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, tool.Deny{Reason: "no"}, got)
	}
}

// Scripts that share a pool keep their own limits.
func TestLimitsAreThoseOfTheScript(t *testing.T) {
	loose, strict := offered(), offered()
	loose.Pool = new(script.Pool)
	strict.Pool, strict.Limits.Instructions = loose.Pool, 5000
	const body = "for i = 1, 5000 do end return next()"
	_, err := newDesk(t, load(t, "loose.lua", pre(body), loose)).ask(t, rm())
	require.NoError(t, err)
	_, err = newDesk(t, load(t, "strict.lua", pre(body), strict)).ask(t, rm())
	require.ErrorIs(t, err, luavm.ErrInstructions)
	_, err = newDesk(t, load(t, "loose.lua", pre(body), loose)).ask(t, rm())
	require.NoError(t, err)
}
