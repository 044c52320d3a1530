package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// prelude gives both sides the same helpers. Show writes values in the normal
// form; N, T and B make a number, a text or a boolean of anything, and I makes a
// place in a text of a number.
const prelude = `
local Show
local function show(v, depth)
  local kind = type(v)
  if kind == "number" then
    if v ~= v then return "nan" end
    if v == 0 then return "0" end
    if v >= 9007199254740992 or v <= -9007199254740992 then return "big" end
    return string.format("%.14g", v)
  elseif kind == "string" then return string.format("%q", v)
  elseif kind ~= "table" then return kind == "boolean" and tostring(v) or kind end
  if depth > 3 then return "deep" end
  local keys = {}
  for k, item in pairs(v) do keys[#keys + 1] = show(k, depth + 1) .. "=" .. show(item, depth + 1) end
  table.sort(keys)
  return "{" .. table.concat(keys, ",") .. "}"
end
function Show(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = show((select(i, ...)), 0) end
  return table.concat(parts, ";")
end
local function result(ok, ...)
  if ok then return "ok " .. Show(...) end
  local e = ...
  if type(e) == "string" then return "error" end
  return "error " .. Show(e)
end
local function N(v) if type(v) == "number" then return v end return 1 end
local function I(n) if n > -1e9 and n < 1e9 then return n end return 1 end
local function T(v) if type(v) == "string" then return string.sub(v, 1, 50) end if type(v) == "number" then return "n" end return type(v) end
local function B(v) return v and true or false end
local function id(...) return ... end
local function count(...) return select("#", ...) end
`

// runReference runs all programs in one LuaJIT process, interpreter only.
func runReference(luajit string, programs []string) ([]string, error) {
	dir, err := os.MkdirTemp("", "fuzzlua")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var b strings.Builder
	b.WriteString(prelude)
	for _, p := range programs {
		fmt.Fprintf(&b, "io.write((result(pcall(function(...)\n%s\nend, 1, 'two', nil, false)):gsub('\\n', ' ')), '\\n')\n", p)
	}
	file := filepath.Join(dir, "programs.lua")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, luajit, "-joff", file).Output()
	if ctx.Err() != nil {
		return nil, errors.New("luajit does not end")
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("luajit: %s%s", exit.Stderr, near(b.String(), string(exit.Stderr)))
		}
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(programs) {
		return nil, fmt.Errorf("luajit wrote %d results for %d programs", len(lines), len(programs))
	}
	return lines, nil
}

// runOurs runs one program in a VM of its own, in two instances.
func runOurs(program string) string {
	source := prelude + "return (result(pcall(function(...)\n" + program + "\nend, 1, 'two', nil, false)):gsub('\\n', ' '))"
	p, err := luavm.Compile("program", source, luavm.CompileOptions{Lenient: true})
	if err != nil {
		return "does not compile: " + err.Error()
	}
	vm := luavm.New(luavm.Options{Lenient: true, Limits: luavm.Limits{Instructions: 50_000_000, Wall: -1, AllocBytes: 1 << 30}})
	defer vm.Close()
	first := runIn(vm, p)
	if again := runIn(vm, p); again != first {
		return "first " + first + ", in another instance " + again
	}
	return first
}

// runIn runs p in an instance of its own.
func runIn(vm *luavm.VM, p *luavm.Program) string {
	if err := vm.Begin(context.Background()); err != nil {
		return err.Error()
	}
	defer vm.End()
	results, err := vm.Exec(p, vm.Env())
	if err != nil {
		return "failed: " + err.Error()
	}
	if s, ok := results[0].(lua.LString); ok {
		return string(s)
	}
	return "no result"
}

// near quotes the lines of a source around the place that a message names.
func near(source, message string) string {
	var line int
	if _, rest, ok := strings.Cut(message, "programs.lua:"); ok {
		if _, err := fmt.Sscanf(rest, "%d:", &line); err != nil {
			return ""
		}
	}
	lines := strings.Split(source, "\n")
	return strings.Join(lines[max(0, line-4):min(len(lines), line+2)], "\n")
}
