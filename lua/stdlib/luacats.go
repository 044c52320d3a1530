package stdlib

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// LuaCATS writes the definitions of modules for the Lua language server, with an
// overload of require for each.
func LuaCATS(w io.Writer, modules []Module) error {
	var b bytes.Buffer
	for _, m := range modules {
		writeModule(&b, m, "local ")
	}
	b.WriteString("---Returns a module of dsh, or what the file NAME.lua beside this one returns.\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "---@overload fun(name: %q): dsh.%s\n", m.Name, m.Name)
	}
	b.WriteString("---@param name string\n---@return any\nfunction require(name) end\n")
	_, err := w.Write(b.Bytes())
	return err
}

// LuaCATSGlobal writes the definitions of a module that scripts find as a global.
func LuaCATSGlobal(w io.Writer, m Module) error {
	var b bytes.Buffer
	b.WriteByte('\n')
	writeModule(&b, m, "")
	_, err := w.Write(b.Bytes())
	return err
}

// writeModule writes a module as a table that is declared as scope says.
func writeModule(b *bytes.Buffer, m Module, scope string) {
	for _, class := range m.Classes {
		writeClass(b, class)
	}
	fmt.Fprintf(b, "%s---@class (exact) dsh.%s\n", comment(m.Doc), m.Name)
	writeFields(b, m.Fields)
	fmt.Fprintf(b, "%s%s = {}\n\n", scope, m.Name)
	for _, f := range m.Functions {
		writeFunction(b, m.Name+".", f)
	}
}

func writeClass(b *bytes.Buffer, class Class) {
	fmt.Fprintf(b, "%s---@class (exact) %s\n", comment(class.Doc), class.Name)
	writeFields(b, class.Fields)
	if len(class.Methods) == 0 {
		b.WriteByte('\n')
		return
	}
	name := class.Name[strings.LastIndexByte(class.Name, '.')+1:]
	fmt.Fprintf(b, "local %s = {}\n\n", name)
	for _, f := range class.Methods {
		writeFunction(b, name+":", f)
	}
}

func writeFields(b *bytes.Buffer, fields []Field) {
	for _, f := range fields {
		fmt.Fprintf(b, "---@field %s %s\n", f.Name, strings.TrimSpace(f.Type+" "+f.Doc))
	}
}

func writeFunction(b *bytes.Buffer, prefix string, f Function) {
	b.WriteString(comment(f.Doc))
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		fmt.Fprintf(b, "---@param %s %s\n", p.Name, strings.TrimSpace(p.Type+" "+p.Doc))
		names[i] = strings.TrimSuffix(p.Name, "?")
	}
	for _, r := range f.Returns {
		line := "---@return " + r.Type
		if r.Name != "" {
			line += " " + r.Name
		}
		if r.Doc != "" {
			line += " # " + r.Doc
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(b, "function %s%s(%s) end\n\n", prefix, f.Name, strings.Join(names, ", "))
}

// commentWidth is how wide comments are, at most.
const commentWidth = 96

// comment writes a text as comment lines.
func comment(text string) string {
	var b strings.Builder
	line := "---"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > commentWidth {
			b.WriteString(line + "\n")
			line = "---"
		}
		if line != "---" {
			line += " "
		}
		line += word
	}
	if line != "---" {
		b.WriteString(line + "\n")
	}
	return b.String()
}
