package policies_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

const (
	denies    = `dsh.on("tools/pre-execute", { rule = "no" }, function() return dsh.deny("no") end)`
	passes    = `dsh.on("tools/pre-execute", { rule = "pass" }, function() end)`
	preallows = `dsh.on("tools/pre-execute", { rule = "yes" }, function() return dsh.allow{preapproved = true} end)`
)

// load installs the files of a folder by name.
func load(t *testing.T, set *policies.Set, opts policies.Options, dir string, names ...string) error {
	t.Helper()
	t.Cleanup(set.Close)
	files := make([]policies.File, len(names))
	for i, name := range names {
		files[i] = policies.File{Name: name, Path: filepath.Join(dir, name)}
	}
	return set.Add(context.Background(), files, opts)
}

// decide asks the installed policies about a call.
func decide(t *testing.T, set *policies.Set) host.Outcome[tool.PreDecision] {
	t.Helper()
	h := host.Host{Run: point.Run{Handlers: &set.Registry}}
	return host.Fire(context.Background(), h, tool.PreExecute, tool.Call{ID: "c", Tool: "bash", Action: tool.Shell{Command: "ls"}},
		func(error) tool.PreDecision { return tool.Deny{Reason: "fault"} })
}

func TestAdd(t *testing.T) {
	dir := tree(t, map[string]string{"a.lua": passes, "b.lua": denies})
	var set policies.Set
	require.NoError(t, load(t, &set, policies.Options{}, dir, "a.lua", "b.lua"))
	require.Empty(t, set.Warnings)
	require.Equal(t, tool.Deny{Reason: "no"}, decide(t, &set).Decision)
}

// A file that cannot be used is an error that names it, and the others count.
func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := tree(t, map[string]string{
		"good.lua": denies, "syntax.lua": "x x", "utf8.lua": "-- ok\n-- \xff", "nothing.lua": "local x = 1", "folder.lua/": "",
		"point.lua": `dsh.on("tools/none", function() end)`, "big.lua": strings.Repeat("-", 256<<10+1),
	})
	for name, want := range map[string]string{
		"syntax.lua": "syntax.lua:1", "utf8.lua": "utf8.lua:2: is not UTF-8", "nothing.lua": "nothing.lua: the file registers nothing",
		"folder.lua": "folder.lua: is a folder", "point.lua": `point.lua:1: no extension point "tools/none"`,
		"big.lua": "big.lua: is 262145 bytes long; a policy may have 262144", "none.lua": "no such file",
	} {
		t.Run(name, func(t *testing.T) {
			var set policies.Set
			require.ErrorContains(t, load(t, &set, policies.Options{}, dir, name, "good.lua"), want)
			require.Equal(t, tool.Deny{Reason: "no"}, decide(t, &set).Decision)
		})
	}
	null, err := filepath.Rel(dir, os.DevNull)
	require.NoError(t, err)
	require.ErrorContains(t, load(t, new(policies.Set), policies.Options{}, dir, null), "is no file")
}

// What there is no time left for counts as what cannot be used.
func TestAddInTime(t *testing.T) {
	late := errors.New("late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	dir := tree(t, map[string]string{"a.lua": passes})
	var set policies.Set
	t.Cleanup(set.Close)
	err := set.Add(ctx, []policies.File{{Name: "a.lua", Path: filepath.Join(dir, "a.lua")}}, policies.Options{Lazy: true})
	require.ErrorIs(t, err, late)
	require.Empty(t, set.Scripts())
}

// A file that only other policies use is no mistake. What a policy requires lies
// beside it, and nothing leads out of there.
func TestRequire(t *testing.T) {
	const uses = `local m = require("helper") dsh.on("tools/pre-execute", function() return dsh.deny(m.reason) end)`
	dir := tree(t, map[string]string{"in/p.lua": uses, "in/helper.lua": `return { reason = "helped" }`, "out/p.lua": uses, "secret.lua": `return {}`})
	var set policies.Set
	require.NoError(t, load(t, &set, policies.Options{}, filepath.Join(dir, "in"), "helper.lua", "p.lua"))
	require.Equal(t, tool.Deny{Reason: "helped"}, decide(t, &set).Decision)

	require.NoError(t, os.Symlink("../secret.lua", filepath.Join(dir, "out", "helper.lua")))
	require.ErrorContains(t, load(t, new(policies.Set), policies.Options{}, filepath.Join(dir, "out"), "p.lua"), "helper")
}

// Grants are those of the call of Add, and of no other.
func TestGrants(t *testing.T) {
	dir := tree(t, map[string]string{"a.lua": preallows, "b.lua": preallows})
	var granted policies.Set
	require.NoError(t, load(t, &granted, policies.Options{Grants: []point.Grant{tool.Preapprove}}, dir, "a.lua"))
	require.Equal(t, tool.Allow{Preapproved: true}, decide(t, &granted).Decision)
	require.NoError(t, load(t, &granted, policies.Options{}, dir, "b.lua"))
	require.Equal(t, tool.Deny{Reason: "fault"}, decide(t, &granted).Decision)
}

// What is doubtful is told: names that two rules share, and points that nobody
// asks at.
func TestWarnings(t *testing.T) {
	dir := tree(t, map[string]string{"a.lua": denies, "b.lua": "\n" + denies})
	var set policies.Set
	require.NoError(t, load(t, &set, policies.Options{Fires: []point.Point{tool.OnResult}}, dir, "a.lua", "b.lua"))
	told := strings.Join(set.Warnings, "\n")
	require.Contains(t, told, `b.lua:2: rule "no" has the name of the one at a.lua:1`)
	require.Contains(t, told, "a.lua:1: this host never fires tools/pre-execute")
}

// A file that was put off is compiled when it is asked, or looked at by Misfits.
func TestLazy(t *testing.T) {
	dir := tree(t, map[string]string{"good.lua": denies, "bad.lua": `dsh.on("tools/pre-execute", function() x x end)`})
	var set policies.Set
	require.NoError(t, load(t, &set, policies.Options{Lazy: true}, dir, "good.lua", "bad.lua"))
	misfits := set.Misfits()
	require.Len(t, misfits, 1)
	require.ErrorContains(t, misfits[0], "bad.lua:1")
	require.Equal(t, tool.Deny{Reason: "no"}, decide(t, &set).Decision)
}

func TestNamed(t *testing.T) {
	require.Equal(t, []policies.File{{Name: "x/p.lua", Path: "x/p.lua"}}, policies.Named([]string{"x/p.lua"}))
	require.Empty(t, policies.Named(nil))
}
