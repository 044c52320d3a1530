package policies_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/policies"
)

// tree makes files in a new folder; a name that ends in "/" is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if name[len(name)-1] == '/' {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

// The nearest .dsh wins over every .git, the nearest .git over nothing.
func TestFindProject(t *testing.T) {
	for _, test := range []struct {
		name, from, want string
		files            []string
	}{
		{"no mark", "a/b", "a/b", nil},
		{"git above", "a/b", "a", []string{"a/.git/"}},
		{"git is a file in a worktree", "a/b", "a", []string{"a/.git"}},
		{"dsh above a nearer git", "a/b", ".", []string{".dsh/", "a/.git/"}},
		{"the nearest dsh", "a/b/c", "a/b", []string{".dsh/", "a/b/.dsh/"}},
		{"in the folder itself", "a", "a", []string{"a/.dsh/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{test.from + "/": ""}
			for _, name := range test.files {
				files[name] = ""
			}
			dir := tree(t, files)
			root, err := policies.FindProject(filepath.Join(dir, test.from))
			require.NoError(t, err)
			require.Equal(t, filepath.Join(dir, test.want), root)
		})
	}
}

// A folder can be reached by a link that lies outside of its project, or in another.
func TestProjectBehindLink(t *testing.T) {
	for _, test := range []struct {
		name, want string
		files      []string
	}{
		{"the link lies in no project", "a", []string{"a/.dsh/"}},
		{"it lies in one with policies", "b", []string{"a/.dsh/", "b/.dsh/"}},
		{"it lies in a repository", "a", []string{"a/.dsh/", "b/.git/"}},
		{"repositories only", "b", []string{"a/.git/", "b/.git/"}},
		{"a repository behind it", "a", []string{"a/.git/"}},
		{"none at all", "b/link", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"a/deep/": "", "b/": ""}
			for _, name := range test.files {
				files[name] = ""
			}
			dir := tree(t, files)
			require.NoError(t, os.Symlink(filepath.Join("..", "a", "deep"), filepath.Join(dir, "b", "link")))
			root, err := policies.FindProject(filepath.Join(dir, "b", "link"))
			require.NoError(t, err)
			require.Equal(t, filepath.Join(dir, test.want), root)
		})
	}
}

func TestNoProject(t *testing.T) {
	dir := tree(t, map[string]string{"file": ""})
	_, err := policies.FindProject(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = policies.FindProject(filepath.Join(dir, "file"))
	require.ErrorContains(t, err, "is not a folder")
}

func TestOfProject(t *testing.T) {
	dir := tree(t, map[string]string{
		".dsh/policies/b.lua": "", ".dsh/policies/a.lua": "", ".dsh/policies/B.lua": "", ".dsh/policies/a_test.lua": "",
		".dsh/policies/c.LUA": "", ".dsh/policies/README.md": "", ".dsh/policies/deeper/d.lua": "", ".dsh/policies/deeper/e.lua": "",
		".dsh/policies/data/x.json": "", ".dsh/policies/data/x_test.lua": "", ".dsh/policies/deeper/still/f.lua": "",
	})
	files, warnings, err := policies.OfProject(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		require.Equal(t, filepath.Join(dir, f.Name), f.Path)
		names = append(names, f.Name)
	}
	require.Equal(t, []string{".dsh/policies/B.lua", ".dsh/policies/a.lua", ".dsh/policies/b.lua"}, names)
	require.Equal(t, []string{
		".dsh/policies/c.LUA is not loaded: a policy's name ends in .lua",
		".dsh/policies/deeper/d.lua is not loaded: policies lie in .dsh/policies itself",
	}, warnings)

	files, warnings, err = policies.OfProject(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, files)
	require.Empty(t, warnings)
}

// Policies that cannot be seen are not policies that are not there.
func TestPoliciesThatCannotBeSeen(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, dir string) error{
		"a link to nothing":             func(_ *testing.T, dir string) error { return os.Symlink("none", filepath.Join(dir, ".dsh")) },
		"its folder is a file":          func(_ *testing.T, dir string) error { return os.WriteFile(filepath.Join(dir, ".dsh"), nil, 0o600) },
		"the list is a file":            func(t *testing.T, dir string) error { return writeBelow(t, dir, ".dsh/policies") },
		"the list is a link to nothing": func(t *testing.T, dir string) error { return linkBelow(t, dir, ".dsh/policies") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, make(t, dir))
			_, _, err := policies.OfProject(dir)
			require.Error(t, err)
		})
	}
}

func writeBelow(t *testing.T, dir, name string) error {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	return os.WriteFile(filepath.Join(dir, name), nil, 0o600)
}

func linkBelow(t *testing.T, dir, name string) error {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	return os.Symlink("none", filepath.Join(dir, name))
}
