// Package policies finds the policies of a project and loads them, in the same
// way for every command: those that a command line names, and the files of the
// project's own folder.
package policies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A Set is the policies of one run of a command, installed. Its zero value is
// ready.
type Set struct {
	// Registry holds their handlers.
	Registry point.Registry
	// Warnings are what is doubtful about them, in one line each.
	Warnings []string

	pool     script.Pool
	rules    map[string]string // where each rule stands, by its name
	scripts  []*script.Script
	required map[string]bool // paths of the files that policies require
}

// Options say how policies are loaded.
type Options struct {
	// Fires lists the points that this host ever fires; nil means all.
	Fires []point.Point
	// Tools lists the tools that the client has; nil if unknown.
	Tools []string
	// Lazy compiles a policy when one of its points is first asked.
	Lazy bool
	// Grants are what the policies may do beyond others.
	Grants []point.Grant
	// Services are what the modules that policies require reach of the world.
	Services stdlib.Services
	// Coverage counts which parts of the policies run; nil counts nothing.
	Coverage *luavm.Coverage
	// Log is given what policies print; at is "file:line".
	Log func(at, text string)
}

// maxPolicySize bounds a policy file, in bytes.
const maxPolicySize = 256 << 10

// heapLimit arms the heap watch: this process does nothing but run policies.
const heapLimit = 256 << 20

// Add loads and installs files, in order, with the given grants. The error joins
// that of every file that cannot be used; the others are installed. A file that
// registers nothing is no mistake if another one beside it requires it. When ctx is
// done, those that are left cannot be used.
func (p *Set) Add(ctx context.Context, files []File, opts Options) error {
	failed := make([]error, len(files))
	common := script.Options{
		Points: catalog.Points(), Fires: names(opts.Fires), Tools: opts.Tools, Actions: tool.ActionKinds(), Grants: tool.Grants(),
		Services: opts.Services, Limits: luavm.Limits{HeapBytes: heapLimit},
		Pool: &p.pool, Lazy: opts.Lazy, Coverage: opts.Coverage, Log: opts.Log,
	}
	for i, file := range files {
		if ctx.Err() != nil {
			failed[i] = context.Cause(ctx)
			break
		}
		failed[i] = p.addOne(ctx, file, common, opts.Grants)
	}
	for i, file := range files {
		if errors.Is(failed[i], script.ErrNothing) && p.required[file.Path] {
			failed[i] = nil
		}
	}
	return errors.Join(failed...)
}

// addOne loads one file, with the options that all have in common.
func (p *Set) addOne(ctx context.Context, file File, opts script.Options, grants []point.Grant) error {
	source, err := readPolicy(file)
	if err != nil {
		return err
	}
	opts.Folder = folder(filepath.Dir(file.Path))
	s, err := script.Load(ctx, file.Name, source, opts)
	if err != nil {
		return err
	}
	if _, err := p.Registry.Install(s, grants...); err != nil {
		return err
	}
	for _, w := range s.Warnings() {
		p.Warnings = append(p.Warnings, w.String())
	}
	p.Warnings = append(p.Warnings, p.sameRules(s)...)
	p.scripts = append(p.scripts, s)
	for _, module := range s.Modules() {
		if p.required == nil {
			p.required = map[string]bool{}
		}
		p.required[filepath.Join(filepath.Dir(file.Path), module+".lua")] = true
	}
	return nil
}

// sameRules tells of rules whose name an earlier policy uses already: reports
// could not tell them apart.
func (p *Set) sameRules(s *script.Script) (warnings []string) {
	if p.rules == nil {
		p.rules = map[string]string{}
	}
	own := s.Registrations()
	for _, reg := range own {
		if other, taken := p.rules[s.RuleName(reg)]; taken {
			warnings = append(warnings, fmt.Sprintf("%s: rule %q has the name of the one at %s", at(s, reg), s.RuleName(reg), other))
		}
	}
	for _, reg := range own {
		if _, taken := p.rules[s.RuleName(reg)]; !taken {
			p.rules[s.RuleName(reg)] = at(s, reg)
		}
	}
	return warnings
}

// at is where a policy registers something, "file:line".
func at(s *script.Script, reg script.Registration) string {
	return s.Name() + ":" + strconv.Itoa(reg.Line)
}

// Behind returns the handlers of the policies behind those of ext, which stands in
// for one that cannot be used. In front of it a policy could answer without asking
// any further, and so decide in the place of the one that is missing. When ctx is
// done, the rest is left out: nothing is left to ask it in. Nobody has a grant there.
func (p *Set) Behind(ctx context.Context, ext point.Extension) *point.Registry {
	handlers := new(point.Registry)
	_, _ = handlers.Install(ext)
	for _, s := range p.scripts {
		if ctx.Err() != nil {
			break
		}
		_, _ = handlers.Install(s) // as it was before
	}
	return handlers
}

// Scripts returns the policies, in the order in which they were added.
func (p *Set) Scripts() []*script.Script { return p.scripts }

// Misfits returns what is wrong with files that were put off and that nobody had
// to run.
func (p *Set) Misfits() (list []error) {
	for _, s := range p.scripts {
		if err := s.Compile(); err != nil {
			list = append(list, err)
		}
	}
	return list
}

// Close releases what the policies hold. They must not be asked any more.
func (p *Set) Close() { p.pool.Close() }

func readPolicy(file File) (string, error) {
	source, err := readFile(file)
	switch {
	case err != nil:
		return "", err
	case len(source) > maxPolicySize: // some files of the system do not tell their size
		return "", fmt.Errorf("%s: is longer than the %d bytes that a policy may have", file.Name, maxPolicySize)
	}
	if !utf8.Valid(source) {
		line := 1 + bytes.Count(source[:invalidAt(source)], []byte("\n"))
		return "", &script.Error{At: fmt.Sprintf("%s:%d", file.Name, line), Err: errors.New("is not UTF-8")}
	}
	return string(source), nil
}

// fits says why a file of that type and size is no policy; nil if it can be one.
func fits(file File, kind fs.FileMode, size int64) error {
	switch {
	case kind.IsDir():
		return fmt.Errorf("%s: is a folder, not a policy file", file.Name)
	case !kind.IsRegular():
		return fmt.Errorf("%s: is no file", file.Name)
	case size > maxPolicySize:
		return fmt.Errorf("%s: is %d bytes long; a policy may have %d", file.Name, size, maxPolicySize)
	}
	return nil
}

// invalidAt returns where text stops to be UTF-8, or -1.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func names(points []point.Point) []string {
	if points == nil {
		return nil
	}
	list := make([]string, len(points))
	for i, p := range points {
		list[i] = p.Name()
	}
	return list
}

// FolderFS returns the folder at path as policies see it.
func FolderFS(path string) fs.FS { return folder(path) }

// folder is a directory as a file system that nothing leads out of, not even a
// symbolic link. It is opened only when a file of it is needed.
type folder string

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return root.Open(name)
}

// Stat implements [fs.StatFS]: to look at a file must not open it.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return root.Stat(name)
}
