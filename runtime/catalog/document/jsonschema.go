package document

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// JSONSchema writes one JSON document: under "$defs" the JSON Schema of every
// type, under "points" what each point asks, answers and permits.
func JSONSchema(w io.Writer, points []point.Point) error {
	list := make([]value.Member, len(points))
	for i, p := range points {
		list[i] = value.Member{Key: p.Name(), Value: describe(p)}
	}
	doc := value.OfObject(
		value.Member{Key: "$schema", Value: value.OfString(schema.Draft)},
		value.Member{Key: "title", Value: value.OfString("Extension points of dsh")},
		value.Member{Key: "points", Value: value.OfObject(list...)},
		value.Member{Key: "$defs", Value: schema.Definitions(typesOf(points)...)},
	)
	var out bytes.Buffer
	if err := json.Indent(&out, doc.AppendJSON(nil), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

func describe(p point.Point) value.Value {
	filters := []value.Value{}
	for _, f := range p.Filters() {
		filters = append(filters, value.OfString(string(f)))
	}
	v := value.OfObject(
		value.Member{Key: "kind", Value: value.OfString(p.Kind().String())},
		value.Member{Key: "description", Value: value.OfString(sentence(p.Doc()))},
		value.Member{Key: "payload", Value: p.Payload().Reference()},
	)
	if p.Decision() != nil {
		v = v.With("decision", p.Decision().Reference())
	}
	if p.MaxNext() > 0 {
		v = v.With("max_next", value.OfInt(int64(p.MaxNext()))).With("joined", value.OfBool(p.Joined()))
	}
	return v.With("filters", value.OfList(filters...))
}
