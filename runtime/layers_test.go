package runtime_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/dsh-lua/dsh"

// everything is the column entry of packages that wire the others together.
const everything = "*"

// layer is what one package may import. Lists are separated by blanks.
type layer struct {
	pkg string
	// own lists packages of this module. Each must stand above the row that
	// names it, so the table has no cycles.
	own string
	// outside lists paths beyond the standard library; what is below a listed
	// path is allowed too.
	outside string
	// closed holds the tests of the package to own as well. Other tests may
	// import every package of the module that is not a program.
	closed bool
}

// layers is the dependency rule, lowest layer first. A package without a row fails.
var layers = []layer{
	{pkg: "runtime"},
	{pkg: "runtime/internal/nearest"},
	{pkg: "runtime/internal/box"},
	{pkg: "internal/visible"},
	{pkg: "runtime/internal/raw"},
	{pkg: "runtime/value", own: "runtime/internal/raw"},
	{pkg: "runtime/links"},
	{pkg: "runtime/schema", own: "runtime/internal/nearest runtime/internal/raw runtime/value"},
	{pkg: "runtime/point", own: "runtime/internal/box runtime/value runtime/schema"},
	{pkg: "runtime/session", own: "runtime/internal/raw runtime/value", outside: "golang.org/x/sys/windows"},
	{pkg: "runtime/host", own: "runtime/value runtime/schema runtime/point runtime/session"},
	{pkg: "runtime/tool/jsonschema", own: "runtime/value"},
	{pkg: "runtime/tool", own: "runtime/internal/box runtime/tool/jsonschema runtime/value runtime/schema runtime/point runtime/session runtime/host internal/visible"},
	{pkg: "runtime/tool/wrap", own: "runtime/value runtime/point runtime/session runtime/tool"},
	{pkg: "runtime/model", own: "runtime/internal/nearest runtime/internal/raw runtime/value runtime/session"},
	{pkg: "runtime/agent", own: "runtime/value runtime/schema runtime/point runtime/session runtime/host runtime/tool runtime/model"},
	{pkg: "runtime/subagent", own: "runtime/value runtime/schema runtime/point runtime/session runtime/host runtime/tool runtime/model runtime/agent"},
	{pkg: "runtime/otel", own: "runtime/point runtime/tool", outside: "go.opentelemetry.io/otel/attribute go.opentelemetry.io/otel/codes go.opentelemetry.io/otel/metric go.opentelemetry.io/otel/trace"},
	{pkg: "runtime/catalog", own: "runtime/internal/nearest runtime/point runtime/host runtime/tool runtime/agent runtime/subagent"},
	{pkg: "runtime/catalog/document", own: "runtime/value runtime/schema runtime/point"},
	{pkg: "runtime/luavm", own: "runtime/internal/nearest runtime/value", outside: "github.com/yuin/gopher-lua"},
	{pkg: "runtime/luavm/internal/fuzzlua", own: "runtime/value runtime/luavm", outside: "github.com/yuin/gopher-lua"},
	{pkg: "lua/stdlib/shell", outside: "mvdan.cc/sh/v3/syntax"},
	{pkg: "lua/stdlib", own: "runtime/value runtime/links runtime/luavm lua/stdlib/shell", outside: "github.com/yuin/gopher-lua github.com/bmatcuk/doublestar/v4 golang.org/x/mod/semver"},
	{pkg: "lua/stdlib/filestate", own: "lua/stdlib", outside: "go.etcd.io/bbolt golang.org/x/sys/unix"},
	{pkg: "runtime/script", own: "runtime/internal/nearest runtime/value runtime/schema runtime/point runtime/session runtime/luavm lua/stdlib", outside: "github.com/yuin/gopher-lua layeh.com/gopher-luar"},
	{pkg: "runtime/script/lint/tree", own: "runtime/luavm"},
	{pkg: "runtime/script/lint", own: "runtime/schema runtime/point runtime/luavm lua/stdlib runtime/script runtime/script/lint/tree"},
	{pkg: "hookproto", closed: true},
	{pkg: "hookproto/document", outside: "github.com/pelletier/go-toml/v2", closed: true},
	{pkg: "hookproto/payload", own: "hookproto/document", closed: true},
	{pkg: "internal/group", outside: "golang.org/x/sys/unix"},
	{pkg: "hookproto/process", own: "hookproto internal/group", outside: "golang.org/x/sys/unix", closed: true},
	{pkg: "hookproto/claudecode/rule", outside: "mvdan.cc/sh/v3/syntax", closed: true},
	{pkg: "hookproto/claudecode", own: "hookproto hookproto/document hookproto/payload hookproto/process hookproto/claudecode/rule", outside: "github.com/dlclark/regexp2", closed: true},
	{pkg: "hookproto/codex", own: "hookproto hookproto/document hookproto/payload hookproto/process", outside: "golang.org/x/mod/semver", closed: true},
	{pkg: "clients/internal/action", own: "runtime/value runtime/links runtime/tool"},
	{pkg: "clients/internal/serve", own: "runtime/value runtime/point runtime/host runtime/session runtime/tool runtime/agent runtime/subagent clients/internal/action"},
	{pkg: "clients/claudecode", own: "runtime/value runtime/point runtime/session runtime/tool clients/internal/action clients/internal/serve"},
	{pkg: "clients/codex", own: "runtime/value runtime/point runtime/session runtime/tool clients/internal/action clients/internal/serve"},
	{pkg: "bridges/internal/hooks", own: "hookproto hookproto/process runtime/value runtime/point runtime/session runtime/tool runtime/agent runtime/subagent"},
	{pkg: "bridges/claudecode", own: "hookproto hookproto/claudecode runtime/value runtime/session runtime/tool clients/claudecode bridges/internal/hooks"},
	{pkg: "bridges/codex", own: "hookproto hookproto/codex runtime/value runtime/session runtime/tool clients/codex bridges/internal/hooks"},
	{pkg: "runtime/script/scripttest", own: "runtime/value runtime/links runtime/schema runtime/point runtime/catalog runtime/host runtime/session runtime/tool runtime/model runtime/agent runtime/luavm lua/stdlib runtime/script clients/claudecode clients/codex", outside: "github.com/yuin/gopher-lua"},
	{pkg: "runtime/internal/pointgen"},
	{pkg: "docs"},
	{pkg: "extensions/examples"},
	{pkg: "cmd/internal/console", own: "runtime/schema internal/visible"},
	{pkg: "cmd/internal/report", own: "runtime/luavm runtime/value runtime/script/scripttest cmd/internal/console"},
	{pkg: "cmd/internal/policies", own: "lua/stdlib lua/stdlib/filestate runtime/catalog runtime/luavm runtime/point runtime/script runtime/tool"},
	{pkg: "internal/hookconfig", own: "hookproto hookproto/document hookproto/claudecode hookproto/codex runtime/value runtime/session clients/codex bridges/claudecode bridges/codex", outside: "mvdan.cc/sh/v3/syntax"},
	{pkg: "cmd/dsh-agent/internal/process", own: "internal/group", outside: "golang.org/x/sys/unix"},
	{pkg: "cmd/dsh-agent/internal/terminal", own: "internal/visible", outside: "golang.org/x/term golang.org/x/sys/unix"},
	{pkg: "cmd/dsh-agent/internal/tools", own: "runtime/value runtime/session runtime/tool cmd/dsh-agent/internal/process internal/group", outside: "github.com/bmatcuk/doublestar/v4"},
	{pkg: "cmd/dsh-agent/internal/progress", own: "runtime/value runtime/schema runtime/point runtime/session runtime/tool runtime/catalog runtime/luavm cmd/dsh-agent/internal/terminal"},
	{pkg: "cmd/internal/stack"},
	{pkg: "cmd/internal/external", own: "cmd/internal/console"},
	{pkg: "cmd/internal/hook", own: "runtime/value runtime/point runtime/host clients/claudecode clients/codex cmd/internal/policies cmd/internal/console"},
	{pkg: "cmd/internal/cli", own: everything, outside: "github.com/spf13/cobra"},
	{pkg: "cmd/dsh", own: "cmd/internal/console cmd/internal/external cmd/internal/hook cmd/internal/cli cmd/internal/stack"},
	{pkg: "cmd/dsh-agent", own: everything, outside: "github.com/spf13/cobra"},
	{pkg: "spec", own: everything},
	{pkg: "spec/tour"},
	{pkg: "bench/cmd/noop"},
	{pkg: "bench/cmd/jsononly"},
	{pkg: "bench/cmd/peak"},
	{pkg: "bench/internal/rounds"},
	{pkg: "bench/internal/binaries"},
	{pkg: "bench/cmd/runbench", own: "bench/internal/rounds hookproto/codex hookproto/process hookproto/claudecode"},
	{pkg: "bench/cmd/hookbench", own: "bench/internal/binaries bench/internal/rounds"},
	{pkg: "bench/cmd/policybench", own: "bench/internal/rounds runtime/value runtime/point runtime/session runtime/tool runtime/catalog runtime/luavm runtime/script lua/stdlib/shell"},
	{pkg: "bench/cmd/faultbench", own: "bench/internal/binaries bench/internal/rounds internal/group"},
	{pkg: "bench/cmd/checkbench", own: "bench/internal/binaries bench/internal/rounds"},
	{pkg: "bench/cmd/testbench", own: "bench/internal/rounds runtime/luavm runtime/script/scripttest"},
	{pkg: "bench/cmd/pipebench", own: "bench/internal/rounds runtime/value runtime/point runtime/session runtime/host runtime/tool runtime/script"},
	{pkg: "bench/cmd/loopbench", own: "bench/internal/rounds runtime/value runtime/session runtime/tool runtime/model runtime/agent"},
}

// testOnly lists what test files may import beyond their package's row.
const testOnly = "github.com/stretchr/testify/require github.com/rogpeppe/go-internal/testscript github.com/rogpeppe/go-internal/txtar github.com/creack/pty github.com/santhosh-tekuri/jsonschema/v6"

// network lists the standard packages that may be imported only below the
// listed paths: the hook command is started for every call of an agent, and a
// network stack would double its size.
var network = map[string]string{
	"net":        "cmd/dsh-agent",
	"net/http":   "cmd/dsh-agent",
	"crypto/tls": "cmd/dsh-agent",
}

// world lists the standard packages that reach what is outside of the process. The
// modules of scripts, in the packages of worldless, have stdlib.Services for it.
const (
	world     = "os os/exec os/signal os/user path/filepath syscall io/ioutil plugin math/rand math/rand/v2 crypto/rand"
	worldless = "lua/stdlib lua/stdlib/shell"
)

// quiet lists packages that start no goroutine: whoever calls them owns all that runs.
const quiet = "runtime/value runtime/schema runtime/point runtime/session runtime/host runtime/luavm runtime/script lua/stdlib lua/stdlib/shell hookproto hookproto/document hookproto/claudecode hookproto/codex"

// TestLayers reads the sources in the process of the test, because the test
// cache does not see what a subprocess reads and would report a stale pass.
func TestLayers(t *testing.T) {
	root := ".."
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && ignored(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		checkFile(t, filepath.ToSlash(name), file.Imports)
		return nil
	}))
}

func TestQuietPackages(t *testing.T) {
	for _, pkg := range strings.Fields(quiet) {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, pkg)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if start, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s starts a goroutine", fset.Position(start.Pos()))
				}
				return true
			})
		}
	}
}

// TestLayersAreAStack holds the table itself to the rule that it states.
func TestLayersAreAStack(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range layers {
		require.False(t, seen[row.pkg], "%s has two rows", row.pkg)
		for _, own := range strings.Fields(row.own) {
			require.True(t, own == everything || seen[own], "%s names %s, which does not stand above it", row.pkg, own)
		}
		seen[row.pkg] = true
	}
}

func checkFile(t *testing.T, name string, imports []*ast.ImportSpec) {
	t.Helper()
	pkg := name[:max(strings.LastIndex(name, "/"), 0)]
	at := slices.IndexFunc(layers, func(row layer) bool { return row.pkg == pkg })
	if at < 0 {
		t.Errorf("%s: package %q has no row in layers", name, pkg)
		return
	}
	for _, spec := range imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		if !layers[at].allows(path, strings.HasSuffix(name, "_test.go")) {
			t.Errorf("%s may not import %s", name, path)
		}
	}
}

// allows reports whether a file of the row's package may import path.
func (row layer) allows(path string, test bool) bool {
	if own, ok := strings.CutPrefix(path, module+"/"); ok {
		open := row.own == everything || test && !row.closed
		return own == row.pkg || open && !program(own) || listed(row.own, own)
	}
	if within, ok := network[path]; ok {
		return test || below(row.pkg, within)
	}
	if !test && listed(worldless, row.pkg) && listed(world, path) {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	standard := !strings.Contains(first, ".")
	return standard || listedOrBelow(row.outside, path) || test && listed(testOnly, path)
}

func program(own string) bool {
	return slices.ContainsFunc([]string{"cmd", "bench", "spec"}, func(top string) bool { return below(own, top) && !strings.Contains(own, "/internal/") })
}

func listed(list, path string) bool { return slices.Contains(strings.Fields(list), path) }

func listedOrBelow(list, path string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(top string) bool { return below(path, top) })
}

func below(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }

// ignored are the folders that the go command ignores too.
func ignored(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}
