package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

//go:embed policy.lua
var policy string

// counter is what keeps the policy's instance from being used again.
const counter = "\nlocal count = 0\ndsh.on('tools/result', function() count = count + 1 end)\n"

// decide is how many decisions are timed at once.
const decide = 400

// decisions are the entries that ask the policy.
func decisions(ctx context.Context) ([]entry, error) {
	var entries []entry
	for _, e := range []struct {
		name, source, command string
		denies                bool
	}{
		{freshDeny, policy + counter, "git push --force origin main", true},
		{freshNothing, policy + counter, "ls -l", false},
		{reusedDeny, policy, "git push --force origin main", true},
		{reusedNothing, policy, "ls -l", false},
	} {
		opts := script.Options{Points: catalog.Points(), Actions: tool.ActionKinds()}
		loaded, err := script.Load(ctx, "policy.lua", e.source, opts)
		if err != nil {
			return nil, err
		}
		registry := new(point.Registry)
		if _, err := registry.Install(loaded); err != nil {
			return nil, err
		}
		payload, run := call(e.command), point.Run{Handlers: registry}
		entries = append(entries, entry{e.name, decide, func() error {
			answer, err := tool.PreExecute.Run(ctx, run, payload)
			if _, denied := answer.(tool.Deny); err == nil && denied != e.denies {
				err = fmt.Errorf("answered %#v", answer)
			}
			return err
		}})
	}
	return entries, nil
}

// call is a call of a shell, as a client makes it.
func call(command string) tool.Call {
	arguments := value.OfObject(
		value.Member{Key: "command", Value: value.OfString(command)},
		value.Member{Key: "description", Value: value.OfString("Work on the branch")},
		value.Member{Key: "timeout", Value: value.OfInt(120_000)},
	)
	return tool.Call{
		ID: "toolu_01", Tool: "Bash", Arguments: arguments, Action: tool.Shell{Command: command, Cwd: "/home/dev/project"},
		Session: session.Ref{ID: "0b1e", Cwd: "/home/dev/project", Project: "/home/dev/project", Mode: "default", Client: "claude-code"},
	}
}

// loopSource is about 50,000 instructions of mixed work.
const loopSource = `return function()
  local function step(t, i) t.n = t.n + i if t.n > 1000 then t.n = t.n - 999 end return t.n end
  local t, s = {n = 0}, 0
  for i = 1, 2400 do
    s = s + step(t, i)
    if s > 100000 then s = 0 end
    local x, y = i, s
    s = x + y - i
  end
  return s
end`

// loops are the entries that run a loop in one machine: with the context that
// counts its instructions, and with one that counts nothing.
func loops(ctx context.Context) ([]entry, error) {
	vm := luavm.New(luavm.Options{Limits: luavm.Limits{Wall: -1, Instructions: 1 << 50}})
	program, err := luavm.Compile("loop.lua", loopSource, luavm.CompileOptions{})
	if err != nil {
		return nil, err
	}
	if err := vm.Begin(ctx); err != nil {
		return nil, err
	}
	results, err := vm.Exec(program, vm.Env())
	if err != nil || len(results) == 0 {
		return nil, errors.Join(err, errors.New("the loop is missing"))
	}
	loop, state := results[0], vm.State()
	under := func(name string, meter context.Context) entry {
		return entry{name, 1, func() error {
			state.SetContext(meter)
			state.Push(loop)
			state.Call(0, 0)
			return nil
		}}
	}
	return []entry{under(counting, state.Context()), under(plain, context.Background())}, nil
}
