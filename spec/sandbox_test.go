package spec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An attack on the sandbox is a Lua file whose head says what it tries and what
// counts as safe ("-- expect: "): load-error, stop, SAFE (the text that it then
// returns, or an error), any-error-or-SAFE, any. "-- gen: text|count|..." makes a
// large source of a short line. Each attack runs in a process of its own, and
// afterwards a victim script in the same VM must find nothing changed.
//
// What an attack took is measured by its own process: the time on the clock or
// the time on processors, whichever is less. On an idle machine that is the clock,
// as scripts cannot wait for anything. On a busy one the clock also counts the
// work of others, which is no fault of the attack.
const (
	attackVariable  = "DSH_SANDBOX_ATTACK"
	outcomeVariable = "DSH_SANDBOX_OUTCOME"

	attackTime   = 1500 * time.Millisecond * slowdown
	attackMemory = 400 * slowdown // MB
	attackKill   = time.Minute    // waits for something, however busy the machine is
)

// attackPayload is what attacks and victim get as "...".
const attackPayload = `{"tool":"Bash","input":{"command":"rm -rf build","args":["a","b","c"],"env":{"PATH":"/bin"},"timeout":30,"flag":true},"list":[10,20,30],"nul":null,"empty":{},"none":[]}`

const victim = `
local p = ...
if string.len("abc") ~= 3 or ("x"):upper() ~= "X" then return "string library changed" end
if type(1) ~= "number" or tostring(5) ~= "5" then return "base library changed" end
local n = 0 for _ in pairs({a=1,b=2}) do n = n + 1 end
if n ~= 2 then return "pairs changed" end
if math.floor(1.5) ~= 1 or table.concat({1,2}) ~= "12" then return "library changed" end
if LEAK ~= nil then return "global leaked: LEAK" end
if rawget(_G, "leaked") ~= nil or leaked ~= nil then return "global leaked" end
if p.input.command ~= "rm -rf build" or p.input.args[1] ~= "a" or #p.list ~= 3 then return "payload changed" end
if ("").leaked ~= nil then return "string metatable changed" end
return "clean"`

// An outcome is what an attack led to.
type outcome struct {
	Returned string  `json:"returned"`
	Err      string  `json:"err"`
	Limit    bool    `json:"limit"`
	LoadErr  bool    `json:"load_err"`
	GoPanic  string  `json:"go_panic"`
	Payload  bool    `json:"payload_intact"`
	Victim   string  `json:"victim"`
	Ms       float64 `json:"ms"`
	MB       float64 `json:"mb"`
}

func loadSandbox(dir string) ([]testCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "sandbox", "holes", "*.lua"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var cases []testCase
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".lua")
		source, err := os.ReadFile(file)
		if err != nil {
			cases = append(cases, unreadable(id, err))
			continue
		}
		cases = append(cases, testCase{
			id:         id,
			traits:     map[string]string{"category": attackHeader(string(source), "category")},
			applicable: true,
			run:        func() error { return runSandbox(file, attackHeader(string(source), "expect")) },
		})
	}
	return cases, nil
}

// attackHeader returns a field of the comment at the head of an attack.
func attackHeader(source, key string) string {
	for _, line := range strings.Split(source, "\n") {
		if !strings.HasPrefix(line, "--") {
			break
		}
		if v, ok := strings.CutPrefix(line, "-- "+key+": "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// attackSource expands "-- gen: a|n|b|n", texts with their counts.
func attackSource(source string) (string, error) {
	gen := attackHeader(source, "gen")
	if gen == "" {
		return source, nil
	}
	parts := strings.Split(gen, "|")
	if len(parts)%2 != 0 {
		return "", fmt.Errorf("gen: want texts with their counts, got %q", gen)
	}
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		n, err := strconv.ParseUint(parts[i+1], 10, 24)
		if err != nil {
			return "", fmt.Errorf("gen: %w", err)
		}
		b.WriteString(strings.Repeat(parts[i], int(n)))
	}
	return b.String(), nil
}

// expectations are what the head of an attack can expect.
var expectations = []string{"load-error", "stop", "SAFE", "any-error-or-SAFE", "any"}

// runSandbox runs one attack in a child process and judges what became of it.
func runSandbox(file, expect string) error {
	if !slices.Contains(expectations, expect) {
		return fmt.Errorf("the file expects %q, not one of %s", expect, strings.Join(expectations, ", "))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	result := filepath.Join(dir, "outcome.json")
	ctx, cancel := context.WithTimeout(context.Background(), attackKill)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), attackVariable+"="+file, outcomeVariable+"="+result)
	var stdout, stderr bytes.Buffer
	child.Stdout, child.Stderr = &stdout, &stderr
	if err := child.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("hangs: killed after %v", attackKill)
		}
		first, _, _ := strings.Cut(stderr.String(), "\n")
		return fmt.Errorf("the process died (%w): %s", err, first)
	}
	var o outcome
	text, err := os.ReadFile(result)
	if err != nil || json.Unmarshal(text, &o) != nil {
		return errors.New("the process ended without a result")
	}
	return judge(expect, o, stdout.String())
}

// judge returns what is unsafe about an outcome.
func judge(expect string, o outcome, stdout string) error {
	safe := expect == "SAFE" || expect == "any-error-or-SAFE"
	mayNotLoad := expect == "load-error" || expect == "any" || expect == "any-error-or-SAFE"
	switch {
	case o.GoPanic != "":
		return fmt.Errorf("a Go panic reached the host: %s", o.GoPanic)
	case stdout != "":
		return errors.New("wrote to the standard output of the host")
	case time.Duration(o.Ms*float64(time.Millisecond)) > attackTime:
		return fmt.Errorf("ran %.0f ms", o.Ms)
	case o.MB > attackMemory:
		return fmt.Errorf("used %.0f MB", o.MB)
	case expect == "load-error" && !o.LoadErr:
		return errors.New("the source was accepted")
	case expect == "stop" && !o.Limit && o.Err == "":
		return fmt.Errorf("was not stopped: returned %s", o.Returned)
	case safe && o.Err == "" && !strings.HasPrefix(o.Returned, "SAFE"):
		return fmt.Errorf("returned %s", o.Returned)
	case o.LoadErr && !mayNotLoad:
		return fmt.Errorf("did not load: %s", o.Err)
	case !o.LoadErr && (!o.Payload || o.Victim != "clean"):
		return fmt.Errorf("the next script sees damage: %s", o.Victim)
	}
	return nil
}

// serveAttack is the child process: it runs one attack and writes its outcome.
func serveAttack(file, result string) error {
	limitProcess()
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	generated, err := attackSource(string(source))
	if err != nil {
		return err
	}
	text, err := json.Marshal(attack(generated))
	if err != nil {
		return err
	}
	return os.WriteFile(result, text, 0o600)
}

func attack(source string) (o outcome) {
	payload, err := value.ParseString(attackPayload)
	if err != nil {
		return outcome{GoPanic: err.Error()}
	}
	pristine := payload.String()
	taken := stopwatch()
	defer func() {
		if r := recover(); r != nil {
			o.GoPanic = fmt.Sprint(r)
		}
		o.Ms = float64(taken().Microseconds()) / 1000
		o.MB = peakMemory()
	}()
	// Unknown globals are nil here: a script that asks what exists must find nothing.
	opts := luavm.Options{Lenient: true, Limits: luavm.Limits{HeapBytes: 256 << 20}}
	vm := luavm.New(opts)
	program, err := luavm.Compile("policy.lua", source, luavm.CompileOptions{Lenient: true})
	if err != nil {
		return outcome{LoadErr: true, Err: err.Error()}
	}
	o.Returned, err = runOnce(vm, program, payload)
	if err != nil {
		o.Err = err.Error()
		var limit luavm.Limit
		o.Limit = errors.As(err, &limit)
	}
	o.Payload = payload.String() == pristine
	if vm.Broken() {
		vm = luavm.New(opts)
	}
	next, err := luavm.Compile("victim.lua", victim, luavm.CompileOptions{Lenient: true})
	if err != nil {
		o.Victim = err.Error()
		return o
	}
	if o.Victim, err = runOnce(vm, next, payload); err != nil {
		o.Victim = err.Error()
	}
	return o
}

// runOnce runs a main chunk with the payload and returns its first result as text.
func runOnce(vm *luavm.VM, program *luavm.Program, payload value.Value) (string, error) {
	if err := vm.Begin(context.Background()); err != nil {
		return "", err
	}
	defer vm.End()
	results, err := vm.Exec(program, vm.Env(), vm.Freeze(payload, nil, nil))
	if err != nil {
		return "", err
	}
	if len(results) == 0 {
		return "nil", nil
	}
	if _, err := vm.ToValue("result", results[0]); err != nil { // what a host does next
		return "no data: " + err.Error(), nil
	}
	return results[0].String(), nil
}
