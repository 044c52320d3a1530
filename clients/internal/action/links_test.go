package action_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/internal/action"
)

// tree makes a folder with files and links in it, and returns its real path.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"a/b", "out"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "a/file"), nil, 0o600))
	for link, target := range map[string]string{
		"abs": filepath.Join(root, "out"), "a/up": "..", "a/b/file": "../file", "chain": "a/b/file",
		"dangling": "out/new/../x", "fresh": "out/fresh", "loop": "loop2", "loop2": "loop", "out/self": "self", "deep": "abs/none/yet",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

func TestLinks(t *testing.T) {
	root := tree(t)
	for path, want := range map[string]string{
		"a/file":           "a/file",
		"a":                "a",
		".":                ".",
		"a/none":           "a/none",
		"none/at/all":      "none/at/all",
		"abs":              "out",
		"abs/x/y":          "out/x/y",
		"a/up/a/up/a/file": "a/file",
		"chain":            "a/file",
		"fresh":            "out/fresh",
		"deep":             "out/none/yet",
		"deep/er":          "out/none/yet/er",
	} {
		real, ok := action.Links(filepath.Join(root, path))
		require.True(t, ok, path)
		require.Equal(t, filepath.Join(root, want), real, path)
	}
	real, ok := action.Links("/")
	require.True(t, ok)
	require.Equal(t, "/", real)
}

func TestLinksThatLeadNowhere(t *testing.T) {
	root := tree(t)
	for _, path := range []string{
		"loop", "loop/x", "out/self", "dangling", "a/file/x", "a\x00b", strings.Repeat("x", 300),
	} {
		real, ok := action.Links(filepath.Join(root, path))
		require.False(t, ok, path)
		require.Empty(t, real, path)
	}
	_, ok := action.Links("relative")
	require.False(t, ok)
}

// A chain of links within the kernel's limit is followed, a longer one is not.
func TestLinksLimit(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	name := func(i int) string { return "l" + strings.Repeat("i", i) }
	for i := range 41 {
		require.NoError(t, os.Symlink(name(i), filepath.Join(root, name(i+1))))
	}
	real, ok := action.Links(filepath.Join(root, name(40)))
	require.True(t, ok)
	require.Equal(t, filepath.Join(root, name(0)), real)
	_, ok = action.Links(filepath.Join(root, name(41)))
	require.False(t, ok)
}
