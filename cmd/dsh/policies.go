package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// policies are the policies of one run of dsh, installed.
type policies struct {
	registry point.Registry
	pool     script.Pool
	scripts  []*script.Script
	warnings []string
	required map[string]bool // paths of the files that policies require
}

// policyOptions say how policies are loaded.
type policyOptions struct {
	fires  []point.Point // the points that this host ever fires
	tools  []string      // the tools that its client has; nil if unknown
	lazy   bool
	grants []point.Grant
	log    func(at, text string)
}

// maxPolicySize bounds a policy file, in bytes.
const maxPolicySize = 256 << 10

// heapLimit arms the heap watch: this process does nothing but run policies.
const heapLimit = 256 << 20

// add loads and installs files, in order, with the given grants. The error joins
// that of every file that cannot be used; the others are installed. A file that
// registers nothing is no mistake if another one beside it requires it.
func (p *policies) add(ctx context.Context, files []policyFile, opts policyOptions) error {
	failed := make([]error, len(files))
	for i, file := range files {
		failed[i] = p.addOne(ctx, file, opts)
	}
	for i, file := range files {
		if errors.Is(failed[i], script.ErrNothing) && p.required[file.path] {
			failed[i] = nil
		}
	}
	return errors.Join(failed...)
}

func (p *policies) addOne(ctx context.Context, file policyFile, opts policyOptions) error {
	source, err := readPolicy(file)
	if err != nil {
		return err
	}
	s, err := script.Load(ctx, file.name, source, script.Options{
		Points: catalog.Points(), Fires: names(opts.fires), Tools: opts.tools, Actions: tool.ActionKinds(),
		Folder: folder(filepath.Dir(file.path)), Limits: luavm.Limits{HeapBytes: heapLimit},
		Pool: &p.pool, Lazy: opts.lazy, Log: opts.log,
	})
	if err != nil {
		return err
	}
	if _, err := p.registry.Install(s, opts.grants...); err != nil {
		return err
	}
	for _, w := range s.Warnings() {
		p.warnings = append(p.warnings, w.String())
	}
	p.warnings = append(p.warnings, p.sameRules(s)...)
	p.scripts = append(p.scripts, s)
	for _, module := range s.Modules() {
		if p.required == nil {
			p.required = map[string]bool{}
		}
		p.required[filepath.Join(filepath.Dir(file.path), module+".lua")] = true
	}
	return nil
}

// sameRules tells of rules whose name an earlier policy uses already: reports
// could not tell them apart.
func (p *policies) sameRules(s *script.Script) (warnings []string) {
	for _, reg := range s.Registrations() {
		for _, other := range p.scripts {
			for _, o := range other.Registrations() {
				if name := s.RuleName(reg); name == other.RuleName(o) {
					warnings = append(warnings, fmt.Sprintf("%s:%d: rule %q has the name of the one at %s:%d", s.Name(), reg.Line, name, other.Name(), o.Line))
				}
			}
		}
	}
	return warnings
}

// misfits returns what is wrong with files that were put off and that nobody had
// to run.
func (p *policies) misfits() (list []error) {
	for _, s := range p.scripts {
		if err := s.Compile(); err != nil {
			list = append(list, err)
		}
	}
	return list
}

func (p *policies) close() { p.pool.Close() }

func readPolicy(file policyFile) (string, error) {
	// Only a file is opened: a pipe would keep whoever opens it waiting.
	info, err := os.Stat(file.path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s: is a folder, not a policy file", file.name)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: is no file", file.name)
	case info.Size() > maxPolicySize:
		return "", fmt.Errorf("%s: is %d bytes long; a policy may have %d", file.name, info.Size(), maxPolicySize)
	}
	source, err := os.ReadFile(file.path)
	if err != nil {
		return "", err
	}
	if i := invalidAt(source); i >= 0 {
		line := 1 + bytes.Count(source[:i], []byte("\n"))
		return "", &script.Error{At: fmt.Sprintf("%s:%d", file.name, line), Err: errors.New("is not UTF-8")}
	}
	return string(source), nil
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
