package stdlib

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Reference writes the derived part of a module's reference page: what it is for,
// its functions and its types. Examples are written by hand below it.
func Reference(w io.Writer, m Module) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n`local %s = require \"%s\"`, at file level.\n", m.Name, m.Doc, m.Name, m.Name)
	for _, f := range m.Fields {
		fmt.Fprintf(&b, "\n## %s.%s\n\n`%s` · %s\n", m.Name, f.Name, f.Type, f.Doc)
	}
	for _, f := range m.Functions {
		describeFunction(&b, m.Name+".", f)
	}
	for _, class := range m.Classes {
		describeClass(&b, class)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func describeFunction(b *bytes.Buffer, prefix string, f Function) {
	names := make([]string, len(f.Params))
	typed := make([]string, len(f.Params))
	var told []Field // parameters of which there is more to say than their type
	for i, p := range f.Params {
		names[i], typed[i] = p.Name, p.Name+": "+p.Type
		if p.Doc != "" {
			told = append(told, p)
		}
	}
	results := make([]string, len(f.Returns))
	for i, r := range f.Returns {
		results[i] = r.Type
		if r.Doc != "" {
			told = append(told, Field{"→", r.Type, r.Doc})
		}
	}
	signature := prefix + f.Name + "(" + strings.Join(typed, ", ") + ")"
	if len(results) > 0 {
		signature += " → " + strings.Join(results, ", ")
	}
	fmt.Fprintf(b, "\n## %s%s(%s)\n\n`%s`\n\n%s\n", prefix, f.Name, strings.Join(names, ", "), signature, f.Doc)
	describeFields(b, "", told)
}

func describeClass(b *bytes.Buffer, class Class) {
	fmt.Fprintf(b, "\n## Type %s\n\n%s\n", class.Name, class.Doc)
	describeFields(b, "field", class.Fields)
	name := strings.ToLower(class.Name[strings.LastIndexByte(class.Name, '.')+1:])
	for _, f := range class.Methods {
		describeFunction(b, name+":", f)
	}
}

func describeFields(b *bytes.Buffer, what string, fields []Field) {
	if len(fields) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | type | |\n|---|---|---|\n", what)
	for _, f := range fields {
		fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", f.Name, strings.ReplaceAll(f.Type, "|", `\|`), strings.ReplaceAll(f.Doc, "|", `\|`))
	}
}
