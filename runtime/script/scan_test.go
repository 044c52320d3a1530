package script_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
)

const guard = "dsh.on('tools/guard', function() end)\n"

// What the scanner understands, it reads off without running the file.
func TestScanKnows(t *testing.T) {
	for _, test := range []struct {
		name, source string
		lines        []int // of the registrations, all at tools/guard
	}{
		{"nothing", "local x = 1", nil},
		{"one", guard, []int{1}},
		{"two", guard + "\n" + guard, []int{1, 3}},
		{"behind a mark of byte order", "\xef\xbb\xbf" + guard, []int{1}},
		{"carriage returns", "\r\n" + strings.ReplaceAll(guard, "\n", "\r\n"), []int{2}},
		{"in comments", "-- dsh.on('x', y)\n--[[ dsh.on('x', y)\n]] --[==[ ]] dsh.on('x', y) ]==]\n" + guard, []int{4}},
		{"in strings", `local a, b, c = "dsh.on('x', y)", 'dsh', [[ dsh.on('x', y) ]]` + "\n" + guard, []int{2}},
		{"behind a quote in a comment", "-- it's\n" + guard, []int{2}},
		{"behind a comment sign in a string", "local a = '--[['\n" + guard + "-- ]]", []int{2}},
		{"behind an escaped quote", `local a = 'it\'s'` + "\n" + guard, []int{2}},
		{"long strings as names", "dsh.on([[tools/guard]], {tool = [==[Bash]==]}, function() end)", []int{1}},
		{"nested blocks in the handler", "dsh.on('tools/guard', function() if a then while b do end repeat until c end for i = 1, 2 do end return function() end end)\n" + guard, []int{1, 2}},
		{"a helper before", "local function f(x) if x then return 1 end return 2 end\n" + guard, []int{2}},
		{"a member of another table", "local a = {dsh = 1}\n", nil},
		{"a handler by name", "local function h() end dsh.on('tools/guard', h)", []int{1}},
		{"spread over lines", "dsh\n.on(\n'tools/guard',\nfunction() end\n)", []int{1}},
		{"behind a list of arguments", "local a = ...\n" + guard, []int{2}},
		{"a standard module", "local json = require 'json' local j = require('json')\n" + guard, []int{2}},
		{"constructors", "local no = dsh.deny 'x'\n" + guard, []int{2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := script.Scan(test.source)
			if test.name == "a member of another table" {
				require.False(t, got.Known) // the word alone is enough
				return
			}
			require.True(t, got.Known)
			var lines []int
			for _, r := range got.Registrations {
				require.Equal(t, "tools/guard", r.Point)
				lines = append(lines, r.Line)
			}
			require.Equal(t, test.lines, lines)
		})
	}
}

// What could register something in another way makes the index not Known: such a
// file counts as concerning everything.
func TestScanDoesNotGuess(t *testing.T) {
	for _, source := range []string{
		"local on = dsh.on on('tools/guard', function() end)",
		"local d = dsh d.on('tools/guard', function() end)",
		"local d = (dsh) d.on('tools/guard', function() end)",
		"_G.dsh.on('tools/guard', function() end)", "_G['dsh'].on('tools/guard', function() end)",
		"dsh['on']('tools/guard', function() end)", "dsh . on 'tools/guard'",
		"dsh.on('tools/' .. 'guard', function() end)", "local n = 'tools/guard' dsh.on(n, function() end)",
		"dsh.on('tools/guard', {tool = t}, function() end)", "dsh.on('tools/guard', f, function() end)",
		"dsh.on('tools/guard', {tool = 'a' .. 'b'}, function() end)", "dsh.on('tools/guard', {['tool'] = 'a'}, function() end)",
		"dsh.on('tools/guard', {tool = 'a', tool = 'b'}, function() end)", "dsh.on('tools/guard', {rule = 'a', rule = 'b'}, function() end)",
		"dsh.on('tools/guard', {rule = 'a\\n'}, function() end)", "dsh.on('tools/guard', {tool = {}}, function() end)",
		"dsh.on('tools/guard', {tool = 'a'})", "dsh.on('tools/guard', filter or function() end)",
		"dsh.on('tools/guard', function() end, {tool = 'a'})", "dsh.on('tools/guard', function() end or x)",
		"if x then " + guard + " end", "while x do " + guard + " end", "repeat " + guard + " until x", "do " + guard + " end",
		"for i = 1, 2 do " + guard + " end", "local function f() " + guard + " end", "local f = function() " + guard + " end",
		"dsh.on('tools/guard', function() " + guard + " end)", "do return end " + guard, "if x then return end " + guard,
		"goto out " + guard + " ::out::", "::top:: " + guard, "pcall(dsh.on, 'tools/guard', function() end)",
		"local dsh = {on = function() end} " + guard, "function dsh.on() end " + guard, "dsh.on = nil " + guard,
		"local a = 'x' .. " + guard, "local a = 'x' ..\n" + guard, "local a = x and " + guard, "local a = x or " + guard,
		"local a = not " + guard, "f(1, " + guard + ")", "local t = {" + guard + "}", "local a = " + guard, "return " + guard,
		"local a = #" + guard, "local a = -" + guard, "local a = b[" + guard + "]", "x = 1 == " + guard, "(" + guard + ")",
		"require 'm' " + guard, "require(n) " + guard, "require('js' .. 'on') require(m) " + guard, "local r = require r 'm' " + guard, "local m = require('m') m.on('tools/guard', function() end)",
		"#!/usr/bin/lua [[\n" + guard + "-- ]]", "-- comment\r" + guard, "local a\r" + guard,
		"local a = 'x", "local a = [[x", "--[[ x", "end", "local a = 'x\ny'",
		guard + "for k, v in pairs(dsh) do v('tools/guard', function() end) end",
		"\xef\xbb\xbf#!/usr/bin/lua [[\n" + guard + "-- ]]",
	} {
		t.Run(source, func(t *testing.T) {
			got := script.Scan(source)
			require.False(t, got.Known, "%+v", got.Registrations)
			require.True(t, got.Concerns("anything", point.Subject{}))
		})
	}
}

func TestConcerns(t *testing.T) {
	x := script.Scan("dsh.on('tools/guard', {tool = 'Bash'}, function() end) dsh.on('tools/result', {match = 'mcp__*'}, function() end)")
	require.True(t, x.Known)
	require.True(t, x.Concerns("tools/guard", point.Subject{Tool: "Bash"}))
	require.False(t, x.Concerns("tools/guard", point.Subject{Tool: "Write"}))
	require.False(t, x.Concerns("tools/pre-execute", point.Subject{Tool: "Bash"}))
	require.True(t, x.Concerns("tools/result", point.Subject{Name: "mcp__a__b"}))
}

// For any file the index is either not Known or what running the file registers.
func TestScanAgreesWithRunning(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	known, registering := 0, 0
	const files = 400
	for i := range files {
		w := writer{r: rand.New(rand.NewPCG(seed, uint64(i)))}
		w.chunk()
		source := w.String()
		x := script.Scan(source)
		s, err := script.Load(t.Context(), "f.lua", source, offered())
		if err != nil {
			require.ErrorContains(t, err, "registers nothing", "file %d of seed %d:\n%s", i, seed, source)
			if x.Known {
				require.Empty(t, x.Registrations, "file %d of seed %d:\n%s", i, seed, source)
			}
			continue
		}
		if registering++; !x.Known {
			continue
		}
		known++
		require.Equal(t, s.Registrations(), x.Registrations, "file %d of seed %d:\n%s", i, seed, source)
	}
	require.Greater(t, known, files/20, "the scanner must understand something")
	require.Less(t, known, registering, "and files must be made that it does not")
}

// A writer makes random files that run without an error.
type writer struct {
	strings.Builder
	r     *rand.Rand
	names int
	inner int // blocks and functions around, which may run more than once
}

func (w *writer) pick(options ...string) string { return options[w.r.IntN(len(options))] }

func (w *writer) add(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) gap() {
	w.WriteString(w.pick(" ", "\n", "  ", "\t", "\r\n", "\n\n", " -- dsh.on('x')\n", " --[[ ]]", " --[=[ dsh ]] ]=]\n", ";\n"))
}

func (w *writer) chunk() {
	w.WriteString(w.pick("", "", "", "", "\xef\xbb\xbf", "#!/usr/bin/lua\n"))
	for range 1 + w.r.IntN(6) {
		w.statement(0)
		w.gap()
	}
}

// common statements do not put the scanner off; rare ones may.
func (w *writer) statement(depth int) {
	if depth == 0 && w.r.IntN(2) == 0 {
		w.on("dsh.on")
		return
	}
	common := []func(int){w.local, w.function, w.block}
	rare := []func(int){w.alias, w.shadow, w.jump, w.nested, w.operand}
	if w.r.IntN(4) == 0 {
		rare[w.r.IntN(len(rare))](depth)
		return
	}
	common[w.r.IntN(len(common))](depth)
}

func (w *writer) name() string {
	w.names++
	return fmt.Sprintf("v%d", w.names)
}

func (w *writer) text() string {
	return w.pick(`"Bash"`, `'Write'`, "[[Edit]]", "[==[\nRead]==]", `"mcp__a__b"`)
}

func (w *writer) value() string {
	return w.pick("1", "0x1F", "1e5", "3 .. ''", "nil", "true", "{}", "{1, a = 2}", `"it's -- [[ no"`, `'dsh.on("x", y)'`, "[[ end ]]",
		"function() return 1 end", "function(...) local a = ... return a end", "'a' .. 'b'", "#'x'", "not nil", "1 and 2 or 3", "(1)", "dsh.deny 'no'", `"\"\\"`)
}

func (w *writer) local(int) { w.add("local %s = %s", w.name(), w.value()) }

func (w *writer) function(depth int) {
	w.add("local function %s(a, b)%s", w.name(), w.pick("", " if a then return 1 end", " while b do return a end", " repeat a = 1 until true"))
	if depth < 2 && w.r.IntN(3) == 0 {
		w.gap()
		w.function(depth + 1)
	}
	w.WriteString(" end")
}

func (w *writer) block(depth int) {
	w.WriteString(w.pick("do ", "if true then ", "if type(nil) then elseif true then ", "for i = 1, 2 do ", "for _ in pairs({1}) do local _ = 1 "))
	if depth < 2 {
		w.inner++
		w.statement(depth + 1)
		w.inner--
	}
	w.WriteString(" end")
}

func (w *writer) on(how string) {
	w.add("%s(%s,", how, w.pick("'tools/guard'", `"tools/pre-execute"`, "[[tools/result]]"))
	w.gap1()
	if w.r.IntN(2) == 0 {
		w.add("{")
		for _, field := range []string{"tool", "match"} {
			switch w.r.IntN(3) {
			case 0:
				w.add("%s = %s, ", field, w.text())
			case 1:
				w.add("%s = {%s, %s}%s", field, w.text(), w.text(), w.pick(",", ";"))
			}
		}
		last := []string{"", "raw = true", "raw = false", "action = 'shell'"}
		if w.inner == 0 {
			last = append(last, fmt.Sprintf("rule = 'r%d'", w.r.Uint64()))
		}
		w.add("%s},", w.pick(last...))
		w.gap1()
	}
	w.add("function(call, next)%s end)", w.pick("", " return next()", " if call then return nil end", " for i = 1, 2 do local x = i end", " return function() end"))
}

// gap1 is a gap that is no statement's end.
func (w *writer) gap1() { w.WriteString(w.pick("", " ", "\n", "\r\n", "--[[ , ]]")) }

func (w *writer) alias(int) {
	n := w.name()
	w.add("local %s = %s ", n, w.pick("dsh.on", "(dsh).on", "dsh['on']", "_G.dsh.on", "rawget(_G, 'dsh') and dsh.on or dsh.on"))
	w.on(n)
}

func (w *writer) shadow(int) {
	w.add("do local dsh = {on = function() end} ")
	w.on("dsh.on")
	w.add(" end")
}

func (w *writer) jump(int) {
	n := w.name()
	w.add("do goto %s ", n)
	w.on("dsh.on")
	w.add(" ::%s:: end", n)
}

func (w *writer) nested(int) {
	n := w.name()
	w.add("local function %s() ", n)
	w.inner++
	w.on("dsh.on")
	w.inner--
	w.add(" end %s", w.pick("", n+"()", n+"() "+n+"()"))
}

func (w *writer) operand(int) {
	w.add("local %s = %s ", w.name(), w.pick("false and", "nil and", "true or", "true and", "not", "type(nil) ==", "1, "))
	w.on("dsh.on")
}

func FuzzScan(f *testing.F) {
	for i := range 20 {
		w := writer{r: rand.New(rand.NewPCG(1, uint64(i)))}
		w.chunk()
		f.Add(w.String())
	}
	f.Add("dsh.on([[tools/guard")
	f.Add("dsh.on('a',{tool={")
	f.Add("--[==[")
	f.Fuzz(func(t *testing.T, source string) {
		x := script.Scan(source)
		for _, r := range x.Registrations {
			if r.Line < 1 {
				t.Errorf("%+v", r)
			}
		}
		if !x.Known || len(source) > 1<<12 {
			return
		}
		s, err := script.Load(t.Context(), "f.lua", source, offered())
		if err != nil {
			return // what does not run is told when it must
		}
		if got := s.Registrations(); fmt.Sprint(got) != fmt.Sprint(x.Registrations) {
			t.Errorf("ran: %+v, read: %+v", got, x.Registrations)
		}
	})
}
