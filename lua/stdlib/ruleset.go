package stdlib

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// A ruleSet is what rules.new makes; it never changes.
type ruleSet struct {
	rules      []rule
	exceptions []exception
}

type rule struct {
	name, reason, hint string
	patterns           []string
	judge              *lua.LFunction
}

type exception struct {
	rule    string
	paths   []string
	expires time.Time // the first moment at which it does not hold; zero for never
}

var (
	ruleFields      = []string{"name", "reason", "hint", "match"}
	exceptionFields = []string{"rule", "path", "expires", "because"}
)

// readRules reads the arguments of rules.new.
func (c *Call) readRules() (*ruleSet, error) {
	set := &ruleSet{}
	items, err := c.entries(1, "rules")
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errRules
	}
	for _, item := range items {
		r, err := c.readRule(item)
		if err != nil {
			return nil, err
		}
		if slices.Contains(set.names(), r.name) {
			return nil, fmt.Errorf("%s.name: two rules are called %q", item.Path(), r.name)
		}
		set.rules = append(set.rules, r)
	}
	if c.Arg(2) == lua.LNil {
		return set, nil
	}
	items, err = c.entries(2, "exceptions")
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		e, err := readException(item, set.names())
		if err != nil {
			return nil, err
		}
		set.exceptions = append(set.exceptions, e)
	}
	return set, nil
}

func (s *ruleSet) names() []string {
	names := make([]string, len(s.rules))
	for i, r := range s.rules {
		names[i] = r.name
	}
	return names
}

// entries reads argument i, a list.
func (c *Call) entries(i int, name string) ([]luavm.Node, error) {
	r := c.vm.Reader(name)
	items, err := r.Root(c.Arg(i)).Items()
	c.Charge(stepsPerRule * (r.Work() + len(items)))
	return items, err
}

// stepsPerRule is what reading one rule costs.
const stepsPerRule = 32

func (c *Call) readRule(item luavm.Node) (r rule, err error) {
	if err := knownFields(item, ruleFields); err != nil {
		return r, err
	}
	for field, to := range map[string]*string{"name": &r.name, "reason": &r.reason} {
		if *to, err = textField(item, field, true); err != nil {
			return r, err
		}
	}
	if r.hint, err = textField(item, "hint", false); err != nil {
		return r, err
	}
	match, _ := item.Get("match")
	if judge, ok := match.LValue().(*lua.LFunction); ok {
		r.judge = judge
		return r, nil
	}
	if r.patterns, err = textList(match); err != nil {
		return r, err
	}
	for _, source := range r.patterns {
		if _, err := c.pattern(source); err != nil {
			return r, fmt.Errorf("%s: %w", match.Path(), err)
		}
	}
	return r, nil
}

func readException(item luavm.Node, rules []string) (e exception, err error) {
	if err := knownFields(item, exceptionFields); err != nil {
		return e, err
	}
	if e.rule, err = textField(item, "rule", true); err != nil {
		return e, err
	}
	if !slices.Contains(rules, e.rule) {
		return e, fmt.Errorf("%s.rule: no rule %q%s", item.Path(), e.rule, luavm.Hint(e.rule, rules))
	}
	globs, _ := item.Get("path")
	if e.paths, err = textList(globs); err != nil {
		return e, err
	}
	for _, pattern := range e.paths {
		if _, err := checkGlob(pattern); err != nil {
			return e, fmt.Errorf("%s: %w", globs.Path(), err)
		}
	}
	text, err := textField(item, "expires", false)
	if err != nil || text == "" {
		return e, err
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return e, fmt.Errorf("%s.expires: want a date such as 2026-12-31, got %.40q", item.Path(), text)
	}
	e.expires = day.AddDate(0, 0, 1)
	return e, nil
}

func knownFields(item luavm.Node, known []string) error {
	keys, err := item.Keys()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s.%s: no such field%s", item.Path(), key, luavm.Hint(key, known))
		}
	}
	return nil
}

func textField(item luavm.Node, field string, required bool) (string, error) {
	member, ok := item.Get(field)
	switch {
	case !ok && !required:
		return "", nil
	case member.Kind() != luavm.KindString || member.Str() == "":
		return "", fmt.Errorf("%s: want a text, got %s", member.Path(), member.Describe())
	}
	return member.Str(), nil
}

// textList reads a text, or a list of them that is not empty.
func textList(node luavm.Node) ([]string, error) {
	if node.Kind() == luavm.KindString {
		return []string{node.Str()}, nil
	}
	items, err := node.Items()
	if err != nil || len(items) == 0 {
		return nil, fmt.Errorf("%s: want a text or a list of them, got %s", node.Path(), node.Describe())
	}
	list := make([]string, len(items))
	for i, item := range items {
		if item.Kind() != luavm.KindString {
			return nil, fmt.Errorf("%s: want a text, got %s", item.Path(), item.Describe())
		}
		list[i] = item.Str()
	}
	return list, nil
}

// excepts reports whether an exception holds for a part. What is not known speaks
// against it.
func (c *Call) excepts(e *exception, part lua.LValue) bool {
	if now, ok := c.Now(); !e.expires.IsZero() && (!ok || !now.Before(e.expires)) {
		return false
	}
	named, ok := c.textOf(part, "path")
	if !ok || !c.fitsAny(e.paths, named) {
		return false
	}
	if _, isText := part.(lua.LString); isText {
		return true
	}
	real, ok := c.textOf(part, "real")
	return !ok || c.fitsAny(e.paths, real)
}

// fitsAny reports whether a pattern fits a path, one that does not begin with /
// below the project.
func (c *Call) fitsAny(patterns []string, name string) bool {
	if len(name) > maxPath {
		return false
	}
	within := name
	if project := c.session("project"); path.IsAbs(name) && project != "" {
		within = c.belowProject(path.Clean(name), project)
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if strings.HasPrefix(pattern, "/") {
			return c.fits(pattern, name)
		}
		return within != "" && c.fits(pattern, within)
	})
}

// belowProject returns the way from the project, or from where it really is, to a
// path; empty if it does not lie there.
func (c *Call) belowProject(name, project string) string {
	roots := []string{path.Clean(project)}
	if real, ok := c.Real(project); ok {
		roots = append(roots, real)
	}
	for _, root := range roots {
		if below(name, root) {
			return strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
		}
	}
	return ""
}
