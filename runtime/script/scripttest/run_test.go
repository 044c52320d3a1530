package scripttest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// names lists the tests of a file that ran, with a mark for those that failed.
func names(f scripttest.File) (list []string) {
	for _, t := range f.Tests {
		mark := ""
		if t.Failure != nil {
			mark = "!"
		}
		list = append(list, mark+t.Name())
	}
	return list
}

func TestGroupsAndHooks(t *testing.T) {
	const file = `
local trace = {}
local function note(what) return function() trace[#trace + 1] = what end end
test.before(note "before")
test.after(note "after")
test.describe("outer", function()
  test.before(note "outer before")
  test.after(note "outer after")
  test.it("one", function() note "one"() test.expect(1):equals(2) end)
  test.describe("inner", function() test.it("two", function() note "two"() test.expect(1):truthy() end) end)
end)
test.it("last", function()
  test.expect(table.concat(trace, " ")):equals "before outer before one outer after after before outer before two outer after after before"
end)
test.cases({ "a", { "b", 2 }, { name = "c" }, 4 }, function(entry) test.expect(entry):truthy() end)`
	require.Equal(t, []string{"!outer > one", "outer > inner > two", "last", "a", "b", "c", "case 4"}, names(run(t, file, nil)))
}

const three = `
for _, name in ipairs { "a", "b", "c" } do
  test.it(name, function() test.expect(name):differs "b" end)
end`

func TestSelection(t *testing.T) {
	f := run(t, three, func(o *scripttest.Options) { o.Run = regexp.MustCompile("^[ac]$") })
	require.Equal(t, []string{"a", "c"}, names(f))
	require.Equal(t, 1, f.Left)

	f = run(t, three, func(o *scripttest.Options) { o.FailFast = true })
	require.Equal(t, []string{"a", "!b"}, names(f))
	require.Equal(t, 1, f.Left)
}

// TestShuffle: a seed is an order, and the report has the order of the text.
func TestShuffle(t *testing.T) {
	const file = `
local order = {}
for i = 1, 9 do test.it("t" .. i, function() order[#order + 1] = i test.log(table.concat(order)) test.expect(i):truthy() end) end`
	order := func(seed uint64) string {
		f := run(t, file, func(o *scripttest.Options) { o.Shuffle, o.Seed = true, seed })
		longest := ""
		for i, test := range f.Tests {
			require.Equal(t, "t"+string(rune('1'+i)), test.Name())
			if len(test.Log[0]) > len(longest) {
				longest = test.Log[0]
			}
		}
		return longest
	}
	first := order(1)
	require.Equal(t, first, order(1))
	require.NotEqual(t, first, order(2))
}

// TestWorlds: every test begins with the same invented world, and policies see it.
func TestWorlds(t *testing.T) {
	const file = `
local function pre(line) return test.fire("tools/pre-execute", test.shell(line)) end
for _, name in ipairs { "one", "two" } do
  test.it(name, function()
    test.expect(pre "count"):denies "number 1"
    test.expect(pre "count"):denies "number 2"
    test.expect(test.kept("session", "n")):equals(2)
    test.keep("session", "n", 40)
    test.expect(pre "count"):denies "number 41"
    test.expect(pre "time"):reason "2026-01-05T09:00:00Z"
    test.advance(90)
    test.expect(pre "time"):reason "2026-01-05T09:01:30Z"
    test.clock "2027-02-03T04:05:06Z"
    test.expect(pre "time"):reason "2027-02-03T04:05:06Z"
    test.files { ["src/real.lua"] = "text", link = { link = "src/real.lua" }, ["/etc"] = true, out = { link = "/etc" } }
    test.expect(test.fire("tools/pre-execute", test.write "link")):reason "/home/dev/app/src/real.lua"
    test.expect(test.hook("claude-code", test.write "out/hosts")):denies "/etc/hosts"
    test.expect(test.hook("codex", test.write "out/hosts")):denies "/etc/hosts"
    test.expect(test.fire("tools/pre-execute", test.write "~/x")):reason "/home/dev/x"
  end)
end`
	for _, test := range run(t, file, nil).Tests {
		require.Nil(t, test.Failure, "%+v", test.Failure)
	}
}

// TestPayloadsOfEveryPoint: what is typical fits.
func TestPayloadsOfEveryPoint(t *testing.T) {
	for _, name := range catalog.Names() {
		t.Run(name, func(t *testing.T) {
			code := `expect(fire("` + name + `").kind):truthy() expect(test.payload("` + name + `")):truthy()`
			require.Nil(t, only(t, run(t, body(code), func(o *scripttest.Options) {})).Failure)
		})
	}
}

// TestEventsOfEveryClient: the name of an event is enough of a payload.
func TestEventsOfEveryClient(t *testing.T) {
	for client, names := range map[string][]string{claudecode.Name: claudecode.Events(), codex.Name: codex.Events()} {
		for _, name := range names {
			t.Run(client+" "+name, func(t *testing.T) {
				code := `expect(test.hook("` + client + `", { hook_event_name = "` + name + `" }).fault):equals(nil)`
				require.Nil(t, only(t, run(t, body(code), nil)).Failure)
			})
		}
	}
}

func TestBuildersReachTheirPlace(t *testing.T) {
	for code, want := range map[string]string{
		`test.payload("tools/pre-execute", test.shell "x").action.command`:             "x",
		`test.payload("tools/post-execute", test.shell "x").call.arguments.command`:    "x",
		`test.payload("tools/pre-execute", test.edit("a", "b")).action.files[2].path`:  "/home/dev/app/b",
		`test.payload("tools/pre-execute", test.read "a").action.files[1].change`:      "read",
		`test.payload("tools/pre-execute", test.search("x", "a")).arguments.path`:      "/home/dev/app/a",
		`test.payload("tools/pre-execute", test.search("x")).action.files[1].path`:     "/home/dev/app",
		`test.payload("tools/pre-execute", test.search("x", "a", "b")).action.pattern`: "x",
		`test.payload("tools/pre-execute", test.fetch "http://x").action.url`:          "http://x",
		`test.payload("tools/pre-execute", test.agent "do").action.prompt`:             "do",
		`test.payload("tools/pre-execute", test.mcp("s", "n")).tool`:                   "mcp__s__n",
		`test.payload("tools/guard", { session = { mode = "plan" } }).session.mode`:    "plan",
		`test.payload("tools/guard", { session = { mode = "plan" } }).session.project`: "/home/dev/app",
	} {
		require.Nil(t, only(t, run(t, body(`expect(`+code+`):equals "`+want+`"`), nil)).Failure, code)
	}
}

func TestCapturedPayloads(t *testing.T) {
	report := runFiles(t, map[string]string{
		"p.lua": policy, "calls/one.json": `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/x","tool_name":"Bash","tool_input":{"command":"deny"},"tool_use_id":"t"}`,
		"p_test.lua": body(`local o = test.hook("claude-code", test.captured "calls/one.json")
expect(o):denies "no such command"
expect(o.stdout):contains "permissionDecision"
expect(function() test.captured "../x" end):raises "at or below"`),
	}, nil)
	require.Nil(t, only(t, report.Files[0]).Failure)
}

func TestGrants(t *testing.T) {
	const code = `test.it("x", function() test.expect(test.fire("tools/pre-execute", test.shell "preapprove")):%s end)`
	require.Nil(t, only(t, run(t, "test.grant 'preapprove'\n"+strings.Replace(code, "%s", "allows()", 1), nil)).Failure)
	require.Nil(t, only(t, run(t, strings.Replace(code, "%s", "faults 'preapprove'", 1), nil)).Failure)
}

// TestSeveralPolicies: they are asked together, in the order in which they are
// named.
func TestSeveralPolicies(t *testing.T) {
	report := runFiles(t, map[string]string{
		"a.lua": policy, "b/c.lua": `dsh.on("tools/guard", { rule = "all" }, function() return dsh.forbid "nothing at all" end)`,
		"p_test.lua": `test.policy("a.lua", "b/c.lua")` + "\n" + body(`expect(fire "tools/guard"):forbids "nothing at all" :rule "all"`),
	}, nil)
	require.Nil(t, only(t, report.Files[0]).Failure)
}

func TestSnapshots(t *testing.T) {
	const file = `test.it("x", function() test.expect(test.fire("tools/pre-execute", test.shell "%s")):snapshot "the answer" end)`
	t.Chdir(t.TempDir())
	write := func(line string) {
		require.NoError(t, os.WriteFile("p.lua", []byte(policy), 0o644))
		require.NoError(t, os.WriteFile("p_test.lua", []byte(strings.Replace(file, "%s", line, 1)), 0o644))
	}
	run := func(update bool) *scripttest.Failure {
		report, err := scripttest.Run(t.Context(), []string{"p_test.lua"}, scripttest.Options{Update: update})
		require.NoError(t, err)
		return only(t, report.Files[0]).Failure
	}
	write("deny")
	require.Contains(t, run(false).Text, "there is no snapshot")
	require.Nil(t, run(true))
	require.FileExists(t, "p_test.snap")
	require.Nil(t, run(false))
	write("ask")
	failed := run(false)
	require.Contains(t, failed.Text, `other than the snapshot "the answer"`)
	require.Contains(t, strings.Join(failed.Diff, "\n"), `-   "kind": "deny"`)
	require.Nil(t, run(true))
	require.Nil(t, run(false))
}

// TestSnapshotsAreNotWrittenBesideAFailure, which is told.
func TestSnapshotsAreNotWrittenBesideAFailure(t *testing.T) {
	f := run(t, `
test.it("x", function() test.expect(1):snapshot "one" end)
test.it("y", function() test.expect(1):equals(2) end)`, func(o *scripttest.Options) { o.Update = true })
	require.True(t, f.Failed())
	require.Len(t, f.Warnings, 1)
	require.Contains(t, f.Warnings[0], "is left as it is, because a test failed")
	require.NoFileExists(t, strings.TrimSuffix(f.Path, ".lua")+".snap")
}

// TestProperty: a failure is shown in its simplest form, the same for a seed.
func TestProperty(t *testing.T) {
	const file = `test.property("p", { "git push" }, function(command) test.expect(command:find("bash", 1, true)):falsy() end)`
	failed := only(t, run(t, file, func(o *scripttest.Options) { o.Seed = 7 })).Failure
	require.NotNil(t, failed)
	require.Contains(t, strings.Join(failed.Notes, "\n"), `with the command "bash -c 'git push'"`)
	require.Contains(t, strings.Join(failed.Notes, "\n"), "seed 7, written as: shell")

	require.Nil(t, only(t, run(t, `test.property("p", { "git push" }, function(command, base) test.expect(base):equals "git push" end)`, nil)).Failure)
}

func TestCoverage(t *testing.T) {
	counted := new(luavm.Coverage)
	report := runFiles(t, map[string]string{"p.lua": `
dsh.on("tools/guard", { rule = "one" }, function(call)
  if call.tool == "Bash" then
    return dsh.forbid "one"
  end
  return nil
end)
dsh.on("tools/guard", { rule = "two", tool = "Other" }, function()
  return dsh.forbid "two"
end)`, "p_test.lua": body(`expect(fire "tools/guard"):forbids "two"`)}, func(o *scripttest.Options) { o.Coverage = counted })
	require.NotNil(t, only(t, report.Files[0]).Failure, "what ran counts also if the test failed")
	c := scripttest.Measure(counted, report)
	require.Equal(t, "p.lua", c.Files[0].Path)
	require.Equal(t, []scripttest.Branch{{Line: 3, True: 1, False: 0}}, c.Files[0].Branches)
	require.Zero(t, c.Files[0].Lines[6])
	require.Zero(t, c.Files[0].Lines[9])
	require.Positive(t, c.Files[0].Lines[4])
	require.Equal(t, []scripttest.Rule{{Name: "one", At: "p.lua:2", Spoke: 1}, {Name: "two", At: "p.lua:8"}}, c.Rules)
	require.Less(t, c.Percent(), 100.0)
}

// TestParallel: files do not see each other.
func TestParallel(t *testing.T) {
	t.Chdir(t.TempDir())
	var files []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		require.NoError(t, os.WriteFile(name+".lua", []byte(policy), 0o644))
		file := name + scripttest.Suffix
		require.NoError(t, os.WriteFile(file, []byte(body(`for i = 1, 20 do expect(pre "count"):denies("number " .. i) end`)), 0o644))
		files = append(files, filepath.Clean(file))
	}
	report, err := scripttest.Run(t.Context(), files, scripttest.Options{Parallel: 4, Coverage: new(luavm.Coverage)})
	require.NoError(t, err)
	passed, failed, _ := report.Count()
	require.Equal(t, 6, passed)
	require.Zero(t, failed)
	for i, f := range report.Files {
		require.Equal(t, files[i], f.Path)
	}
}
