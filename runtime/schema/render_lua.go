package schema

import (
	"fmt"
	"strings"
)

// LuaPrefix stands before the names of types in the annotations of the Lua
// language server.
const LuaPrefix = "dsh."

// LuaName returns what the annotations of the Lua language server call t, such
// as "dsh.tool.Call" or "string". Short forms are part of it.
func (t *Type) LuaName() string {
	name := t.luaName()
	if t.hasShort() {
		return "string|" + name
	}
	return name
}

func (t *Type) luaName() string {
	switch {
	case t.name != "":
		return LuaPrefix + t.name
	case t.kind == List && t.elem.hasShort():
		return "string|(" + t.elem.LuaName() + ")[]"
	case t.kind == List:
		return t.elem.LuaName() + "[]"
	}
	return luaScalars[t.kind]
}

var luaScalars = map[Kind]string{String: "string", Bool: "boolean", Number: "number", Integer: "integer", JSON: "any"}

// LuaDefinition returns the annotation that declares the named type t: a closed
// class for an object, an alias for a union or a list of texts. A tag makes the
// class a variant; fields are further lines of the form "name type doc".
func (t *Type) LuaDefinition(tag string, fields ...string) string {
	var b strings.Builder
	b.WriteString(LuaComment(Sentence(t.Doc())))
	switch t.kind {
	case Union:
		names := make([]string, len(t.variants))
		for i, v := range t.variants {
			names[i] = v.typ.luaName()
		}
		fmt.Fprintf(&b, "---@alias %s %s\n", t.luaName(), strings.Join(names, "|"))
	case Object:
		fmt.Fprintf(&b, "---@class (exact) %s\n", t.luaName())
		if tag != "" {
			fmt.Fprintf(&b, "---@field %s %q\n", TagField, tag)
		}
		for _, f := range t.Fields() {
			line := fmt.Sprintf("---@field %s%s %s %s", f.name, optionalMark(f), f.typ.LuaName(), oneLine(Sentence(f.Doc())))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for _, f := range fields {
			fmt.Fprintf(&b, "---@field %s\n", f)
		}
	case String:
		fmt.Fprintf(&b, "---@alias %s %s\n", t.luaName(), LuaLiterals(t.values))
	case Bool, Number, Integer, JSON, List:
	}
	return b.String()
}

func optionalMark(f Field) string {
	if f.optional {
		return "?"
	}
	return ""
}

// LuaLiterals returns the type of the given texts.
func LuaLiterals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, "|")
}

// LuaComment returns doc as lines of documentation.
func LuaComment(doc string) string {
	if doc == "" {
		return ""
	}
	return "---" + strings.ReplaceAll(doc, "\n", "\n---") + "\n"
}
