package report

import (
	"io"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
	"github.com/dsh-lua/dsh/runtime/value"
)

func str(key, text string) value.Member {
	if text == "" {
		return value.Member{Key: key}
	}
	return value.Member{Key: key, Value: value.OfString(text)}
}

func num(key string, n int64) value.Member { return value.Member{Key: key, Value: value.OfInt(n)} }

func list[T any](key string, items []T, of func(T) value.Value) value.Member {
	values := make([]value.Value, len(items))
	for i, item := range items {
		values[i] = of(item)
	}
	return value.Member{Key: key, Value: value.OfList(values...)}
}

// JSON writes a report as one JSON object on one line.
func JSON(w io.Writer, r scripttest.Report, o Options) error {
	passed, failed, left := r.Count()
	members := []value.Member{
		num("passed", int64(passed)), num("failed", int64(failed)), num("left", int64(left)),
		num("took_us", r.Took.Microseconds()), str("seed", o.Seed),
		list("files", r.Files, func(f scripttest.File) value.Value { return file(f, o) }),
	}
	if o.Coverage != nil {
		members = append(members, value.Member{Key: "coverage", Value: coverage(*o.Coverage)})
	}
	_, err := w.Write(append(value.OfObject(members...).AppendJSON(nil), '\n'))
	return err
}

func file(f scripttest.File, o Options) value.Value {
	return value.OfObject(
		str("path", f.Path), value.Member{Key: "fault", Value: failure(f.Fault)}, num("left", int64(f.Left)),
		num("took_us", f.Took.Microseconds()),
		list("warnings", f.Warnings, value.OfString),
		list("tests", f.Tests, func(t scripttest.Test) value.Value { return test(f, t, o) }),
	)
}

func test(f scripttest.File, t scripttest.Test, o Options) value.Value {
	members := []value.Member{
		str("name", t.Name()), list("path", t.Path, value.OfString), str("at", t.At),
		{Key: "passed", Value: value.OfBool(t.Failure == nil)},
		num("took_us", t.Took.Microseconds()),
		list("log", t.Log, value.OfString),
	}
	if t.Failure != nil {
		members = append(members, value.Member{Key: "failure", Value: failure(t.Failure)}, str("again", again(o, f.Path, t)))
	}
	return value.OfObject(members...)
}

func failure(f *scripttest.Failure) value.Value {
	if f == nil {
		return value.Value{}
	}
	return value.OfObject(str("at", f.At), str("text", f.Text), list("diff", f.Diff, value.OfString), list("notes", f.Notes, value.OfString))
}

func coverage(c scripttest.Coverage) value.Value {
	return value.OfObject(
		value.Member{Key: "percent", Value: value.OfFloat(c.Percent())},
		list("files", c.Files, func(f scripttest.Covered) value.Value {
			lines, ofLines, branches, ofBranches := f.Count()
			return value.OfObject(
				str("path", f.Path), num("lines", int64(lines)), num("of_lines", int64(ofLines)),
				num("branches", int64(branches)), num("of_branches", int64(ofBranches)),
				list("missed", missed(f), value.OfString),
			)
		}),
		list("rules", c.Rules, func(r scripttest.Rule) value.Value {
			return value.OfObject(str("name", r.Name), str("at", r.At), num("spoke", int64(r.Spoke)))
		}),
	)
}
