package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A module reads its packages on demand.
type module struct {
	fsys fs.FS
	path string
	fset *token.FileSet
	pkgs map[string]*pkg // by directory
}

// A pkg is what the syntax of one package declares.
type pkg struct {
	dir, name string
	types     map[string]*decl
	points    []*pointDecl
	methods   map[string][]*ast.FuncDecl // by name, in source order
}

// A decl is one type declaration.
type decl struct {
	spec    *ast.TypeSpec
	doc     string
	imports map[string]string // of its file: name to path
}

// A pointDecl is one package variable that declares a point.
type pointDecl struct {
	name     string
	variable string
	doc      string
	pos      token.Pos
	args     []ast.Expr // payload and, unless it only tells, Decision
	imports  map[string]string
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

func newModule(fsys fs.FS) (*module, error) {
	text, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	m := moduleLine.FindSubmatch(text)
	if m == nil {
		return nil, errors.New("go.mod names no module")
	}
	return &module{fsys: fsys, path: string(m[1]), fset: token.NewFileSet(), pkgs: map[string]*pkg{}}, nil
}

// load reads the package in dir; generated files and tests do not count.
func (m *module) load(dir string) (*pkg, error) {
	if p := m.pkgs[dir]; p != nil {
		return p, nil
	}
	p := &pkg{dir: dir, types: map[string]*decl{}, methods: map[string][]*ast.FuncDecl{}}
	m.pkgs[dir] = p
	entries, err := fs.ReadDir(m.fsys, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if n := e.Name(); !strings.HasSuffix(n, ".go") || strings.HasSuffix(n, "_test.go") || n == output {
			continue
		}
		name := path.Join(dir, e.Name())
		src, err := fs.ReadFile(m.fsys, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(m.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.file(f)
	}
	return p, nil
}

func (p *pkg) file(f *ast.File) {
	p.name = f.Name.Name
	imports := map[string]string{}
	for _, spec := range f.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(target)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = target
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				p.methods[d.Name.Name] = append(p.methods[d.Name.Name], d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				p.spec(s, d, imports)
			}
		}
	}
}

func (p *pkg) spec(s ast.Spec, d *ast.GenDecl, imports map[string]string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		p.types[s.Name.Name] = &decl{s, docText(s.Doc, d.Doc), imports}
	case *ast.ValueSpec:
		for i, v := range s.Values {
			if point, ok := pointOf(v); ok {
				point.variable, point.imports = s.Names[i].Name, imports
				point.doc, point.pos = docText(s.Doc, d.Doc), s.Pos()
				p.points = append(p.points, point)
			}
		}
	}
}

// pointOf recognises point.NewKind("name", decls, point.KindSpec[P, D]{…}).
func pointOf(v ast.Expr) (*pointDecl, bool) {
	call, ok := v.(*ast.CallExpr)
	if !ok || len(call.Args) != 3 {
		return nil, false
	}
	fun, isSelector := call.Fun.(*ast.SelectorExpr)
	name, isText := call.Args[0].(*ast.BasicLit)
	lit, isLit := call.Args[2].(*ast.CompositeLit)
	if !isSelector || !isText || !isLit || !strings.HasPrefix(fun.Sel.Name, "New") {
		return nil, false
	}
	var args []ast.Expr
	switch t := lit.Type.(type) {
	case *ast.IndexExpr:
		args = []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		args = t.Indices
	default:
		return nil, false
	}
	text, err := strconv.Unquote(name.Value)
	return &pointDecl{name: text, args: args}, err == nil
}

// docLink is a reference to another declaration: "[Name]", "[*pkg.Name]".
var docLink = regexp.MustCompile(`(^|[\s(])\[\*?([A-Za-z_][\w./]*)\]`)

// docText returns the first comment there is, without directives and with doc
// links as plain names.
func docText(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if g != nil {
			return docLink.ReplaceAllString(strings.TrimSpace(g.Text()), "$1$2")
		}
	}
	return ""
}

// errorf makes an error that starts with "file:line: ".
func (m *module) errorf(pos token.Pos, format string, args ...any) error {
	at := m.fset.Position(pos)
	return fmt.Errorf("%s:%d: %s", at.Filename, at.Line, fmt.Sprintf(format, args...))
}
