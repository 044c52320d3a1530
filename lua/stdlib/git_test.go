package stdlib_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

const gitConfig = `[core]
	repositoryformatversion = 0
[remote "origin"]
	url = https://example.com/a.git ; the first
	fetch = +refs/heads/*:refs/remotes/origin/*
	pushurl = "ssh://example.com/a#b"
[remote "fork.x"] url = ../fork
[branch "main"]
	remote = origin
	merge = refs/heads/trunk
`

func TestGit(t *testing.T) {
	s := invented()
	s.FS = files(map[string]string{
		"/home/dev/app/.git/HEAD":                     "ref: refs/heads/main\n",
		"/home/dev/app/.git/config":                   gitConfig,
		"/home/dev/app/.git/refs/heads/main":          commitA + "\n",
		"/home/dev/app/.git/packed-refs":              "# pack-refs with: peeled\n" + commitB + " refs/tags/v1\n^" + commitA + "\n" + commitB + " refs/heads/old\n",
		"/home/dev/app/.git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n",
		"/home/dev/app/sub/file":                      "x",
		"/wt/.git":                                    "gitdir: /home/dev/app/.git/worktrees/wt\n",
		"/home/dev/app/.git/worktrees/wt/HEAD":        commitB + "\n",
		"/home/dev/app/.git/worktrees/wt/commondir":   "../..\n",
		"/home/dev/app/lib/.git":                      "gitdir: ../.git/modules/lib\n",
		"/home/dev/app/.git/modules/lib/HEAD":         "ref: refs/heads/none\n",
		"/odd/.git":                                   "what\n",
		"/reftable/.git/HEAD":                         "ref: refs/heads/.invalid\n",
		"/reftable/.git/config":                       "[extensions]\n\trefStorage = reftable\n",
		"/none/x":                                     "",
	})
	ask(t, s, []question{
		{`git.repository()`, `{"branch":"main","common_dir":"/home/dev/app/.git","default_branch":"trunk","git_dir":"/home/dev/app/.git","head":"` + commitA + `","remotes":{"fork.x":{"url":"../fork"},"origin":{"push_url":"ssh://example.com/a#b","url":"https://example.com/a.git"}},"root":"/home/dev/app","submodule":false,"upstream":"origin/trunk","worktree":false}`, ""},
		{`git.repository('/wt').worktree`, `true`, ""},
		{`git.repository('/wt').head`, `"` + commitB + `"`, ""},
		{`git.repository('/wt').branch`, `nil`, ""},
		{`git.repository('/wt').remotes.origin.url`, `"https://example.com/a.git"`, ""},
		{`git.repository('/home/dev/app/lib').submodule`, `true`, ""},
		{`git.repository('/home/dev/app/lib').head`, `nil`, ""},
		{`git.repository('/reftable').branch`, `nil`, ""},
		{`git.repository('/none')`, `nil`, ""},
		{`git.repository('/odd')`, "", "git.repository: the repository of /odd cannot be read: /odd/.git says no gitdir"},
		{`git.commit('main')`, `"` + commitA + `"`, ""},
		{`git.commit('v1')`, `"` + commitB + `"`, ""},
		{`git.commit('old')`, `"` + commitB + `"`, ""},
		{`git.commit('../../../etc/passwd')`, `nil`, ""},
		{`git.commit('HEAD')`, `"` + commitA + `"`, ""},
		{`git.commit('nothing')`, `nil`, ""},
	})
}

// What git itself writes is read the same.
func TestGitReadsWhatGitWrites(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		return // nothing to compare with
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("tag", "v1")
	git("remote", "add", "origin", `/x "y"\z`)
	git("pack-refs", "--all")
	git("checkout", "-q", "-b", "feature/x")
	git("commit", "-q", "--allow-empty", "-m", "two")
	git("worktree", "add", "-q", "wt", "v1")
	s := invented()
	s.FS = os.DirFS("/")
	ask(t, s, []question{
		{"git.repository('" + dir + "').branch", `"feature/x"`, ""},
		{"git.repository('" + dir + "').head", `"` + git("rev-parse", "HEAD") + `"`, ""},
		{"git.repository('" + dir + "').remotes.origin.url == [[" + git("config", "remote.origin.url") + "]]", "true", ""},
		{"git.commit('main', '" + dir + "')", `"` + git("rev-parse", "main") + `"`, ""},
		{"git.commit('v1', '" + dir + "')", `"` + git("rev-parse", "v1") + `"`, ""},
		{"git.repository('" + dir + "/wt').worktree", "true", ""},
		{"git.repository('" + dir + "/wt').head", `"` + git("rev-parse", "v1") + `"`, ""},
		{"git.repository('" + dir + "/wt').root", `"` + dir + `/wt"`, ""},
	})
}

// Whatever a configuration holds is read without a panic.
func FuzzGitConfig(f *testing.F) {
	f.Add(gitConfig)
	f.Add("[a \"b\\\"c\"] x = \"y\\n\" # z\n\\\n[")
	f.Fuzz(func(t *testing.T, text string) {
		s := stdlib.Services{FS: files(map[string]string{"/r/.git/HEAD": text, "/r/.git/config": text, "/r/.git/packed-refs": text})}
		_, _, err := newLab(t, s).do("git.commit('main', '/r') return git.repository('/r')")
		require.NoError(t, err)
	})
}
