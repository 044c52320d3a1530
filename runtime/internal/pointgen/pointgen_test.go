package main

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
)

var update = flag.Bool("update", false, "rewrite the expected texts")

// TestGenerate runs the generator on small modules. Each file of testdata is
// one: a comment that says what it pins, the sources, and at the end "want", the
// text for the package runtime/a, or "want.error", all messages.
func TestGenerate(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say what the case is about")
			got, want := outcome(t, archive), &archive.Files[len(archive.Files)-1]
			if *update {
				*want = got
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
			require.Equal(t, want.Name, got.Name, "%s", got.Data)
			require.Equal(t, string(want.Data), string(got.Data))
		})
	}
}

func outcome(t *testing.T, archive *txtar.Archive) txtar.File {
	fsys := fstest.MapFS{}
	for _, f := range archive.Files[:len(archive.Files)-1] {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	src, err := generate(fsys, "runtime/a")
	if err != nil {
		return txtar.File{Name: "want.error", Data: []byte(err.Error() + "\n")}
	}
	again, err := generate(fsys, "runtime/a")
	require.NoError(t, err)
	require.Equal(t, string(src), string(again), "two runs must write the same")
	return txtar.File{Name: "want", Data: src}
}

// TestModuleRoot finds this module from this directory.
func TestModuleRoot(t *testing.T) {
	root, dir, err := moduleRoot()
	require.NoError(t, err)
	require.Equal(t, "runtime/internal/pointgen", dir)
	require.FileExists(t, filepath.Join(root, "go.mod"))
}

// TestCommittedFilesAreFresh holds every zz_points.go to its sources, so that a
// deleted comment cannot linger in a generated text.
func TestCommittedFilesAreFresh(t *testing.T) {
	root, _, err := moduleRoot()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "runtime", "*", output))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		committed, err := os.ReadFile(file)
		require.NoError(t, err)
		fresh, err := generate(os.DirFS(root), "runtime/"+filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		require.Equal(t, string(fresh), string(committed), "%s is stale: run make generate", file)
	}
}

// TestEveryPointIsInTheCatalog: what a package declares and does not list would have
// no document, no case and no policy, and nobody would miss it.
func TestEveryPointIsInTheCatalog(t *testing.T) {
	root, _, err := moduleRoot()
	require.NoError(t, err)
	fsys := os.DirFS(root)
	mod, err := newModule(fsys)
	require.NoError(t, err)
	var declared []string
	require.NoError(t, fs.WalkDir(fsys, ".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); name == "testdata" || name != "." && name[0] == '.' {
			return fs.SkipDir
		}
		p, err := mod.load(dir)
		if err != nil {
			return err
		}
		for _, point := range p.points {
			declared = append(declared, point.name)
			require.Equal(t, "points.go", path.Base(mod.fset.Position(point.pos).Filename), point.name)
		}
		return nil
	}))
	require.ElementsMatch(t, catalog.Names(), declared)
}
