package script

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// ErrNothing is the mistake of a file that registers nothing: it guards nothing,
// whatever it is meant to do. Only a file that others require may do that.
var ErrNothing = errors.New("the file registers nothing; a policy calls dsh.on at file level")

// check judges what the script registers. What can never be right is an error;
// what is wrong for this host only, a warning.
func (s *Script) check() error {
	if len(s.handlers) == 0 {
		return &Error{s.name, ErrNothing}
	}
	rules := map[string]int{}
	for _, reg := range s.handlers {
		if err := s.checkOne(reg); err != nil {
			return &Error{s.at(reg.Line), err}
		}
		if reg.Rule == "" {
			continue
		}
		if first, ok := rules[reg.Rule]; ok {
			return &Error{s.at(reg.Line), fmt.Errorf("rule %q is already the name of the one in line %d", reg.Rule, first)}
		}
		rules[reg.Rule] = reg.Line
	}
	return nil
}

func (s *Script) checkOne(reg Registration) error {
	p := s.point(reg.Point)
	if p == nil {
		return fmt.Errorf("no extension point %q%s", reg.Point, schema.Hint(reg.Point, s.pointNames()))
	}
	if s.opts.Fires != nil && !slices.Contains(s.opts.Fires, reg.Point) {
		s.warn(reg, "this host never fires %s: the handler will not run", reg.Point)
	}
	if reg.Raw && !p.Joined() {
		s.warn(reg, "raw changes nothing at %s, where answers are not joined", reg.Point)
	}
	for _, field := range []point.FilterField{point.FilterTool, point.FilterAction, point.FilterMatch} {
		list := *filterList(&reg.Filter, string(field))
		if len(list) > 0 && !slices.Contains(p.Filters(), field) {
			return fmt.Errorf("%s has no filter %q%s", reg.Point, field, filterNames(p))
		}
	}
	return s.checkFilter(reg)
}

func (s *Script) checkFilter(reg Registration) error {
	for _, name := range reg.Filter.Tool {
		if s.opts.Tools != nil && !slices.Contains(s.opts.Tools, name) && !isMCP(name) {
			s.warn(reg, "this host knows no tool %q%s", name, schema.Hint(name, s.opts.Tools))
		}
	}
	for _, kind := range reg.Filter.Action {
		if s.opts.Actions != nil && !slices.Contains(s.opts.Actions, kind) {
			return fmt.Errorf("no action is of kind %q%s", kind, schema.Hint(kind, s.opts.Actions))
		}
	}
	for _, pattern := range reg.Filter.Match {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("match %q: %w", pattern, err)
		}
		if s.fitsNoTool(reg, pattern) {
			s.warn(reg, "this host knows no tool that fits %q%s", pattern, schema.Hint(pattern, s.opts.Tools))
		}
	}
	return nil
}

// fitsNoTool reports whether a pattern for names of tools fits none that the host
// knows, and none that a server can bring.
func (s *Script) fitsNoTool(reg Registration, pattern string) bool {
	if s.opts.Tools == nil || !slices.Contains(s.point(reg.Point).Filters(), point.FilterTool) {
		return false
	}
	if start := strings.IndexAny(pattern, `*?[\`); isMCP(pattern) || start >= 0 && meet(pattern[:start], mcpStart) {
		return false
	}
	return !slices.ContainsFunc(s.opts.Tools, func(name string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// meet reports whether one text begins with the other.
func meet(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// mcpStart is how the names of servers' tools begin.
const mcpStart = "mcp__"

// isMCP reports whether a tool's name is that of a server's tool: those come
// with the session, so no host lists them.
func isMCP(name string) bool {
	ok, _ := path.Match(mcpStart+"*__*", name)
	return ok
}

func (s *Script) warn(reg Registration, format string, args ...any) {
	s.warnings = append(s.warnings, Warning{s.at(reg.Line), fmt.Sprintf(format, args...)})
}

func (s *Script) pointNames() []string {
	names := make([]string, 0, len(s.opts.Points))
	for _, p := range s.opts.Points {
		names = append(names, p.Name())
	}
	return names
}

func filterNames(p point.Point) string {
	if len(p.Filters()) == 0 {
		return "; it has none"
	}
	return fmt.Sprintf("; it has %q", p.Filters())
}
