package script_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
)

// FuzzAnswers has a handler of some point return a value that was made up from
// the input. Whatever it is, the point gives a valid Decision, or an error that
// names the place and the path; never a panic.
func FuzzAnswers(f *testing.F) {
	points := catalog.Points()
	for i := range 64 {
		f.Add(uint64(i), uint8(i))
	}
	pool := new(script.Pool)
	f.Fuzz(func(t *testing.T, seed uint64, at uint8) {
		p := points[int(at)%len(points)]
		w := answers{r: rand.New(rand.NewPCG(seed, 1)), point: p}
		source := "dsh.on('" + p.Name() + "', function(p, next)\nlocal cycle = {} cycle.cycle = cycle\nreturn " + w.answer() + "\nend)"
		opts := offered()
		opts.Pool = pool
		s, err := script.Load(t.Context(), "p.lua", source, opts)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		var registry point.Registry
		if _, err := registry.Install(s); err != nil {
			t.Fatal(err)
		}
		got, err := p.RunValue(t.Context(), point.Run{Handlers: &registry}, sample(p.Name()), anyLive())
		switch {
		case err == nil && p.Decision() != nil:
			if _, again := p.RunValue(t.Context(), point.Run{}, sample(p.Name()), anyLive()); again != nil || got.Get("kind").String() == "" {
				t.Errorf("%v, %v\n%s", got, again, source)
			}
		case err != nil:
			text := err.Error()
			if !strings.Contains(text, "p.lua:") && !strings.Contains(text, "decision") || strings.Contains(text, "panic") || strings.Contains(text, "internal") || strings.Contains(text, "0xc0") {
				t.Errorf("%v\n%s", err, source)
			}
		}
	})
}

// answers makes up what a handler returns: often nearly right.
type answers struct {
	r     *rand.Rand
	point point.Point
	depth int
}

func (w *answers) pick(options ...string) string { return options[w.r.IntN(len(options))] }

func (w *answers) answer() string {
	if len(w.point.Tags()) == 0 || w.r.IntN(4) == 0 {
		return w.value()
	}
	return "{kind = '" + w.pick(w.point.Tags()...) + "'" + w.fields() + "}"
}

// fields are some of all answers of the point.
func (w *answers) fields() string {
	var names []string
	for _, v := range w.point.Decision().Variants() {
		for _, f := range v.Type().Fields() {
			names = append(names, f.Name())
		}
	}
	var b strings.Builder
	for range w.r.IntN(3) {
		if len(names) > 0 && w.r.IntN(8) > 0 {
			fmt.Fprintf(&b, ", %s = %s", w.pick(names...), w.value())
		} else {
			fmt.Fprintf(&b, ", %s = %s", w.pick("x", "kind", "text", "['']", "[1]", "[true]", "[1.5]"), w.value())
		}
	}
	return b.String()
}

func (w *answers) value() string {
	if w.depth > 3 {
		return "1"
	}
	w.depth++
	defer func() { w.depth-- }()
	switch w.r.IntN(6) {
	case 0:
		items := make([]string, w.r.IntN(4))
		for i := range items {
			items[i] = w.value()
		}
		return "{" + strings.Join(items, ", ") + "}"
	case 1:
		return "{" + w.pick("role", "text", "kind", "content", "model", "id", "source") + " = " + w.value() + ", " + w.pick("kind = 'text'", "text = 'x'", "role = 'user'", "content = {}", "kind = 'tool-result'", "call = '1'") + "}"
	}
	return w.pick("nil", "true", "false", "0", "1", "-1", "2^53", "2^63", "0/0", "1/0", "1.5", "''", "'text'", "'9007199254740993'", "'\\255\\0'",
		"{}", "p", "p.session", "cycle", "next", "function() end", "{{{{}}}}", "('x'):rep(5000)", "dsh", "p.live", "setmetatable({}, {__index = p})",
		"next and next()", "next and dsh.with(next(), {x = 1})", "unpack({1, 2})", "{nil, 1}")
}
