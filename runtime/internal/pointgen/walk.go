package main

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A walk collects what is reachable from points, and what is wrong with it.
type walk struct {
	mod      *module
	seen     map[*decl]bool
	docs     map[string]string   // by "pkg.Type", "pkg.Type.Field" or the name of a point
	variants map[string][]string // of "pkg.Interface": type names, in source order
	homes    map[string]*pkg     // of the keys of variants
	errs     []error
}

func newWalk(mod *module) *walk {
	return &walk{
		mod: mod, seen: map[*decl]bool{}, docs: map[string]string{},
		variants: map[string][]string{}, homes: map[string]*pkg{},
	}
}

func (w *walk) errorf(pos token.Pos, format string, args ...any) {
	w.errs = append(w.errs, w.mod.errorf(pos, format, args...))
}

// document files the comment of the declaration called name under key. Readers
// of other languages are shown it without the name, so it must stand in front.
func (w *walk) document(pos token.Pos, key, name, doc string) {
	if doc == "" {
		w.errorf(pos, "%s needs a doc comment", key)
	} else if rest := article.ReplaceAllString(doc, ""); !strings.HasPrefix(rest, name+" ") {
		w.errorf(pos, "the doc comment of %s must begin with %q", key, name)
	}
	w.docs[key] = doc
}

func (w *walk) point(p *pkg, point *pointDecl) {
	if _, twice := w.docs[point.name]; twice {
		w.errorf(point.pos, "two points are named %s", point.name)
	}
	w.document(point.pos, point.name, point.variable, point.doc)
	for _, arg := range point.args {
		w.expr(p, point.imports, arg)
	}
}

var article = regexp.MustCompile(`^An? `)

// leaves are the types of a field that need no descriptor of their own.
var leaves = map[string]bool{"string": true, "bool": true, "int": true, "int64": true, "float64": true}

// anyJSON is the package whose type stands for any JSON value.
const anyJSON = "runtime/value"

// expr follows the type that e names in a file of p.
func (w *walk) expr(p *pkg, imports map[string]string, e ast.Expr) {
	switch e := e.(type) {
	case *ast.StarExpr:
		w.expr(p, imports, e.X)
	case *ast.ArrayType:
		w.expr(p, imports, e.Elt)
	case *ast.Ident:
		if !leaves[e.Name] {
			w.named(p, e.Name, e.Pos())
		}
	case *ast.SelectorExpr:
		name, _ := e.X.(*ast.Ident)
		dir, ours := strings.CutPrefix(imports[name.Name], w.mod.path+"/")
		if !ours {
			w.errorf(e.Pos(), "%s.%s has no JSON form", name.Name, e.Sel.Name)
			return
		}
		if dir == anyJSON {
			return
		}
		other, err := w.mod.load(dir)
		if err != nil {
			w.errorf(e.Pos(), "%v", err)
			return
		}
		w.named(other, e.Sel.Name, e.Pos())
	default:
		w.errorf(e.Pos(), "this type has no JSON form")
	}
}

func (w *walk) named(p *pkg, name string, pos token.Pos) {
	d := p.types[name]
	if d == nil {
		w.errorf(pos, "%s.%s is not declared", p.name, name)
		return
	}
	if w.seen[d] {
		return
	}
	w.seen[d] = true
	key := p.name + "." + name
	w.document(d.spec.Pos(), key, name, d.doc)
	switch t := d.spec.Type.(type) {
	case *ast.StructType:
		for _, f := range t.Fields.List {
			w.field(p, d, key, f)
		}
	case *ast.InterfaceType:
		w.union(p, key, t)
	default:
		w.expr(p, d.imports, t)
	}
}

func (w *walk) field(p *pkg, d *decl, owner string, f *ast.Field) {
	if len(f.Names) == 0 {
		w.errorf(f.Pos(), "%s embeds a type; name the field", owner)
	}
	for _, n := range f.Names {
		if !n.IsExported() {
			continue
		}
		switch name, _, _ := strings.Cut(jsonTag(f), ","); name {
		case "":
			w.errorf(n.Pos(), "%s.%s needs a json tag", owner, n.Name)
		case "-":
		default:
			w.document(n.Pos(), owner+"."+n.Name, n.Name, docText(f.Doc))
			w.expr(p, d.imports, f.Type)
		}
	}
}

func jsonTag(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(f.Tag.Value)
	return reflect.StructTag(text).Get("json")
}

// union finds the variants of a sealed interface: the types that have its
// unexported method. Only its own package can declare one.
func (w *walk) union(p *pkg, key string, t *ast.InterfaceType) {
	marker := ""
	for _, m := range t.Methods.List {
		for _, n := range m.Names {
			if !n.IsExported() {
				marker = n.Name
			}
		}
	}
	for _, m := range p.methods[marker] {
		recv, ok := m.Recv.List[0].Type.(*ast.Ident)
		if !ok {
			w.errorf(m.Pos(), "the variants of %s are values; %s has a pointer receiver", key, marker)
			continue
		}
		w.variants[key] = append(w.variants[key], recv.Name)
		w.homes[key] = p
		w.named(p, recv.Name, recv.Pos())
	}
	if len(p.methods[marker]) == 0 {
		w.errorf(t.Pos(), "%s is not a sealed interface with variants", key)
	}
}
