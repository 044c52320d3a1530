package scripttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Loading is what a [Loader] gives to policies.
type Loading struct {
	// Services are the invented world.
	Services stdlib.Services
	// Grants are what the test file grants its policies.
	Grants []point.Grant
	// Coverage counts; it may be nil.
	Coverage *luavm.Coverage
	// First is installed before the policies.
	First point.Extension
	// Log is given what policies print.
	Log func(at, text string)
}

// Loaded are the policies of one file of tests.
type Loaded struct {
	// Registry holds their handlers.
	Registry *point.Registry
	// Scripts are the policies.
	Scripts []*script.Script
	// Warnings are what is doubtful about them.
	Warnings []string
	// Close releases them; it may be nil.
	Close func()
}

// maxPolicy bounds a policy, in bytes.
const maxPolicy = 256 << 10

// Load is the [Loader] for programs that load scripts with options of their own:
// those of base, whose points, kinds of actions and grants are all there are where it
// names none.
func Load(ctx context.Context, paths []string, with Loading, base script.Options) (*Loaded, error) {
	if base.Points == nil {
		base.Points = catalog.Points()
	}
	if base.Actions == nil {
		base.Actions = tool.ActionKinds()
	}
	if base.Grants == nil {
		base.Grants = tool.Grants()
	}
	pool := new(script.Pool)
	base.Services, base.Coverage, base.Log, base.Pool = with.Services, with.Coverage, with.Log, pool
	loaded := &Loaded{Registry: new(point.Registry), Close: pool.Close}
	if _, err := loaded.Registry.Install(with.First); err != nil {
		return nil, err
	}
	var failed []error
	for _, path := range paths {
		base.Folder = os.DirFS(filepath.Dir(path))
		failed = append(failed, loaded.add(ctx, path, base, with.Grants))
	}
	return loaded, errors.Join(failed...)
}

func (l *Loaded) add(ctx context.Context, path string, o script.Options, grants []point.Grant) error {
	source, err := readCapped(path, maxPolicy)
	if err != nil {
		return err
	}
	s, err := script.Load(ctx, path, string(source), o)
	if err != nil {
		return err
	}
	for _, w := range s.Warnings() {
		l.Warnings = append(l.Warnings, w.String())
	}
	l.Scripts = append(l.Scripts, s)
	_, err = l.Registry.Install(s, grants...)
	return err
}

// readCapped reads a file of at most limit bytes.
func readCapped(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: is %d bytes long; it may have %d", path, info.Size(), limit)
	}
	return os.ReadFile(path)
}
