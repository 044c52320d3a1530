//go:build unix

package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/tools"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A bench is a folder with the tools at work in it.
type bench struct {
	dir     string
	runtime *tool.Runtime
}

func newBench(t *testing.T, files map[string]string, extensions ...point.Extension) bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	registry, handlers := new(tool.Registry), new(point.Registry)
	for _, d := range tools.All(tools.Options{Cwd: dir, Home: filepath.Join(dir, "home"), Env: []string{"PATH=/usr/bin:/bin"}}) {
		_, err := registry.Register(d)
		require.NoError(t, err)
	}
	for _, e := range extensions {
		_, err := handlers.Install(e)
		require.NoError(t, err)
	}
	return bench{dir, &tool.Runtime{Root: tool.Scope{Tools: registry, Host: host.Host{Run: point.Run{Handlers: handlers}}}}}
}

// call runs one call and returns what the model is shown.
func (b bench) call(t *testing.T, name, arguments string) (shown string, ok bool) {
	t.Helper()
	args, err := value.ParseString(strings.ReplaceAll(arguments, "DIR", b.dir))
	require.NoError(t, err)
	switch r := b.runtime.Execute(t.Context(), tool.Input{ID: "1", Tool: name, Arguments: args}).(type) {
	case tool.Success:
		return textOf(r.Content), true
	case tool.Failure:
		return textOf(r.Content), false
	}
	return "", false
}

func textOf(parts []session.Part) (text string) {
	for _, p := range parts {
		text += p.(session.Text).Text
	}
	return text
}

func (b bench) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(b.dir, name))
	require.NoError(t, err)
	return string(content)
}

// A callCase is a call and what the model is shown of its result.
type callCase struct {
	tool, arguments, want string
	failed                bool
}

func (c callCase) run(t *testing.T) {
	t.Helper()
	b := newBench(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "sub/b.go": "package b\n\nfunc B() {}\n", "sub/deep/c.go": "package c\n", "empty": "",
		"binary": "a\x00b", ".git/config": "package secret\n", "open": "no end", "home/h.txt": "at home\n",
	})
	shown, ok := b.call(t, c.tool, c.arguments)
	want := strings.ReplaceAll(c.want, "DIR", b.dir)
	require.Equal(t, !c.failed, ok, shown)
	if ok {
		require.Equal(t, want, shown)
	} else {
		require.Contains(t, shown, want)
	}
	for _, pattern := range []string{".dsh-*", "*/.dsh-*"} {
		left, err := filepath.Glob(filepath.Join(b.dir, pattern))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestCalls(t *testing.T) {
	for _, test := range []callCase{
		{"bash", `{"command": "pwd"}`, "DIR", false},
		{"bash", `{"command": "true"}`, "[no output]", false},
		{"bash", `{"command": "echo a; exit 3"}`, "a\n[exit status 3]", false},
		{"bash", `{"command": "kill -TERM $$"}`, "[ended by a signal: terminated]", false},
		{"bash", `{"command": "echo began; sleep 100", "timeout_ms": 300}`, "Error: the command was ended because it took longer than 300 ms; it had printed:\nbegan", true},
		{"bash", `{"command": "true", "timeout_ms": 0}`, "timeout_ms must be", true},
		{"bash", `{"command": " "}`, "there is no command", true},
		{"bash", `{"cmd": "true"}`, "invalid arguments", true},
		{"read", `{"path": "a.txt"}`, "one\ntwo\nthree\n", false},
		{"read", `{"path": "DIR/a.txt", "offset": 2, "limit": 1}`, "two\n[lines 2 to 2 of 3]", false},
		{"read", `{"path": "open"}`, "no end", false},
		{"read", `{"path": "~/h.txt"}`, "at home\n", false},
		{"read", `{"path": "empty"}`, "[the file is empty]", false},
		{"read", `{"path": "a.txt", "offset": 4}`, "the file has 3 lines", true},
		{"read", `{"path": "a.txt", "offset": 0}`, "count from 1", true},
		{"read", `{"path": "a.txt", "offset": 1e300}`, "the file has 3 lines", true},
		{"read", `{"path": "a.txt", "offset": -1e300}`, "count from 1", true},
		{"read", `{"path": "binary"}`, "no text in UTF-8", true},
		{"read", `{"path": "sub"}`, "is a folder", true},
		{"read", `{"path": "none"}`, "no such file", true},
		{"read", `{"path": ""}`, "names no file", true},
		{"read", `{"path": "a.txt/x"}`, "nobody can tell where", true},
		{"write", `{"path": "new/x.txt", "content": "x"}`, "created DIR/new/x.txt", false},
		{"write", `{"path": "a.txt", "content": ""}`, "replaced DIR/a.txt", false},
		{"write", `{"path": "sub", "content": ""}`, "is a folder", true},
		{"edit", `{"path": "a.txt", "old": "two", "new": "2"}`, "replaced the text once in DIR/a.txt", false},
		{"edit", `{"path": "a.txt", "old": "t", "new": "T", "all": true}`, "replaced the text 2 times in DIR/a.txt", false},
		{"edit", `{"path": "a.txt", "old": "t", "new": "T"}`, "old is 2 times in", true},
		{"edit", `{"path": "a.txt", "old": "four", "new": ""}`, "old is not in", true},
		{"edit", `{"path": "a.txt", "old": "", "new": "x"}`, "old is empty", true},
		{"edit", `{"path": "a.txt", "old": "one", "new": "one"}`, "are the same", true},
		{"edit", `{"path": "none", "old": "a", "new": "b"}`, "no such file", true},
	} {
		t.Run(test.tool+" "+test.arguments, test.run)
	}
}

func TestSearches(t *testing.T) {
	for _, test := range []callCase{
		{"glob", `{"pattern": "**/*.go"}`, "sub/b.go\nsub/deep/c.go", false},
		{"glob", `{"pattern": "*.go", "path": "sub"}`, "b.go", false},
		{"glob", `{"pattern": "**/config"}`, "[nothing found]", false},
		{"glob", `{"pattern": "/etc/*"}`, "pattern is none", true},
		{"glob", `{"pattern": "["}`, "pattern is none", true},
		{"glob", `{"pattern": "../*"}`, "pattern is none", true},
		{"glob", `{"pattern": "*", "path": "a.txt"}`, "is no folder", true},
		{"grep", `{"pattern": "^package"}`, "sub/b.go:1: package b\nsub/deep/c.go:1: package c", false},
		{"grep", `{"pattern": "^package", "glob": "sub/*"}`, "sub/b.go:1: package b", false},
		{"grep", `{"pattern": "thr", "path": "a.txt"}`, "a.txt:3: three", false},
		{"grep", `{"pattern": "zzz"}`, "[nothing found]", false},
		{"grep", `{"pattern": "("}`, "missing closing", true},
		{"grep", `{"pattern": "a", "path": "none"}`, "no such file", true},
	} {
		t.Run(test.tool+" "+test.arguments, test.run)
	}
}

// What a call is about to do is said in the terms of all clients.
func TestActions(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("link/new", filepath.Join(dir, "dangling")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	file := func(path, real string, change tool.Change) []tool.File {
		return []tool.File{{Path: path, Real: real, Change: change}}
	}
	for _, test := range []struct {
		tool, arguments string
		want            tool.Action
	}{
		{"bash", `{"command": "ls"}`, tool.Shell{Command: "ls", Cwd: dir}},
		{"bash", `{}`, tool.Shell{Cwd: dir, Partial: true}},
		{"read", `{"path": "x/../a"}`, tool.Read{Files: file(dir+"/a", dir+"/a", tool.ChangeRead)}},
		{"read", `{"path": "../a"}`, tool.Read{Files: file(filepath.Dir(dir)+"/a", filepath.Dir(dir)+"/a", tool.ChangeRead)}},
		{"read", `{"path": "link/a"}`, tool.Read{Files: file(dir+"/link/a", outside+"/a", tool.ChangeRead)}},
		{"write", `{"path": "dangling"}`, tool.Write{Files: file(dir+"/dangling", outside+"/new", tool.ChangeWrite)}},
		{"edit", `{"path": "loop"}`, tool.Edit{Files: file(dir+"/loop", "", tool.ChangeEdit)}},
		{"read", `{"path": "~/a"}`, tool.Read{Files: file("/home/dev/a", "/home/dev/a", tool.ChangeRead)}},
		{"read", `{"path": "~dev/a"}`, tool.Read{Files: file(dir+"/~dev/a", dir+"/~dev/a", tool.ChangeRead)}},
		{"read", `{"path": 7}`, tool.Read{Partial: true}},
		{"write", `{}`, tool.Write{Partial: true}},
		{"glob", `{"pattern": "*"}`, tool.Search{Pattern: "*", Files: file(dir, dir, tool.ChangeRead)}},
		{"grep", `{"pattern": "x", "path": "/etc"}`, tool.Search{Pattern: "x", Files: file("/etc", "/etc", tool.ChangeRead)}},
		{"grep", `{"path": 1}`, tool.Search{Partial: true}},
	} {
		t.Run(test.tool+" "+test.arguments, func(t *testing.T) {
			arguments, err := value.ParseString(test.arguments)
			require.NoError(t, err)
			for _, d := range tools.All(tools.Options{Cwd: dir, Home: "/home/dev"}) {
				if d.Name == test.tool {
					require.Equal(t, test.want, d.Action(arguments))
				}
			}
		})
	}
}

func TestWritingFollowsLinksAndKeepsPermissions(t *testing.T) {
	b := newBench(t, map[string]string{"real/file": "a"})
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "real/file"), 0o751))
	require.NoError(t, os.Symlink("real/file", filepath.Join(b.dir, "link")))
	_, ok := b.call(t, "edit", `{"path": "link", "old": "a", "new": "b"}`)
	require.True(t, ok)
	require.Equal(t, "b", b.read(t, "real/file"))
	info, err := os.Lstat(filepath.Join(b.dir, "link"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(filepath.Join(b.dir, "real/file"))
	require.NoError(t, err)
	require.EqualValues(t, 0o751, info.Mode().Perm())
}

// A pipe would be waited for without end.
func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600))
	for name, arguments := range map[string]string{
		"read": `{"path": "pipe"}`, "write": `{"path": "pipe", "content": ""}`, "edit": `{"path": "pipe", "old": "a", "new": "b"}`, "grep": `{"pattern": "a", "path": "pipe"}`,
	} {
		shown, ok := b.call(t, name, arguments)
		require.False(t, ok, name)
		require.Contains(t, shown, "file", name)
	}
	shown, ok := b.call(t, "grep", `{"pattern": "a"}`)
	require.True(t, ok, shown)
}

// swap changes where a path leads after it was judged.
type swap struct{ link, to string }

// Name implements [point.Extension].
func (swap) Name() string { return "swap" }

// Install implements [point.Extension].
func (s swap) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		if err := os.Remove(s.link); err != nil {
			return nil, err
		}
		if err := os.Symlink(s.to, s.link); err != nil {
			return nil, err
		}
		return next(ctx)
	})
	return nil
}

func TestWhatRunsIsWhatWasJudged(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	for name, arguments := range map[string]string{
		"read": `{"path": "LINK"}`, "write": `{"path": "LINK", "content": "x"}`, "edit": `{"path": "LINK", "old": "e", "new": "x"}`,
		"grep": `{"pattern": "e", "path": "LINK"}`, "glob": `{"pattern": "*", "path": "LINK"}`,
	} {
		b := newBench(t, map[string]string{"harmless": "e"}, swap{link, outside})
		_ = os.Remove(link)
		require.NoError(t, os.Symlink(filepath.Join(b.dir, "harmless"), link))
		shown, ok := b.call(t, name, strings.ReplaceAll(arguments, "LINK", link))
		require.False(t, ok, name)
		require.Contains(t, shown, "when the call was judged", name)
	}
	content, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "secret", string(content))
}

// A file that may not be written is not replaced by one that may.
func TestPermissionsHold(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("the superuser may write everything: only the folder is looked at")
	}
	b := newBench(t, map[string]string{"file": "a"})
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "file"), 0o444))
	_, ok := b.call(t, "write", `{"path": "file", "content": "b"}`)
	require.Equal(t, os.Geteuid() == 0, ok)
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	b := newBench(t, map[string]string{"many": strings.Repeat("line\n", 5000), "wide": long + "\nend\n"})
	shown, ok := b.call(t, "read", `{"path": "many"}`)
	require.True(t, ok)
	require.True(t, strings.HasSuffix(shown, "[lines 1 to 2000 of 5000]"))
	shown, ok = b.call(t, "read", `{"path": "wide"}`)
	require.True(t, ok)
	require.Contains(t, shown, "bytes of this line left out")
	require.Less(t, len(shown), 140<<10)
	shown, ok = b.call(t, "grep", `{"pattern": "line"}`)
	require.True(t, ok)
	require.True(t, strings.HasSuffix(shown, "many:300: line\n[there are more; search for less]"))
	shown, ok = b.call(t, "grep", `{"pattern": "^x", "path": "wide"}`)
	require.True(t, ok)
	require.Len(t, shown, len("wide:1: ")+400)
}
