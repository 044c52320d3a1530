package stdlib

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	lua "github.com/yuin/gopher-lua"
)

const (
	maxGlob = 1 << 10 // bytes of a pattern
	maxWays = 256     // how many patterns without braces one pattern may stand for
)

func globModule() Module {
	pattern := Field{"pattern", "string|string[]", "one pattern, or several of which one has to fit"}
	return Module{
		Name: "glob",
		Doc: "Patterns for paths, as they are written in ignore files: `*` is any part of a name, `?` one letter of it, `[a-z]` and `[!a-z]` one of a set, `{a,b}` one of several, " +
			"and `**` between slashes any number of folders. A pattern fits a whole path. It has at most 1 KiB, and its braces at most 256 combinations.",
		Functions: []Function{
			{
				Name: "match", Doc: "Reports whether a pattern fits the path. A pattern that cannot be read raises an error.",
				Params: []Field{pattern, {"path", "string", ""}}, Returns: []Field{{"", "boolean", ""}}, Call: globMatch,
			},
			{
				Name: "filter", Doc: "Returns the paths that a pattern fits, in their order.",
				Params: []Field{pattern, {"paths", "string[]", ""}}, Returns: []Field{{"", "string[]", ""}}, Call: globFilter,
			},
		},
	}
}

func globMatch(c *Call) error {
	fits, err := c.globs(1)
	if err != nil {
		return err
	}
	name, err := c.Capped(2, maxPath)
	if err != nil {
		return err
	}
	return c.Return(lua.LBool(fits(name)))
}

func globFilter(c *Call) error {
	fits, err := c.globs(1)
	if err != nil {
		return err
	}
	names, err := c.Strings(2, "paths")
	if err != nil {
		return err
	}
	var kept []string
	for _, name := range names {
		if len(name) <= maxPath && fits(name) {
			kept = append(kept, name)
		}
	}
	return c.Return(c.Texts(kept))
}

// globs reads argument i and returns what tells whether one of its patterns fits
// a path, and charges for that.
func (c *Call) globs(i int) (fits func(string) bool, err error) {
	patterns, err := c.Strings(i, "pattern")
	if err != nil {
		return nil, err
	}
	for _, p := range patterns {
		if _, err := checkGlob(p); err != nil {
			return nil, err
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return c.fits(p, name) })
	}, nil
}

// fits reports whether a pattern that was checked fits a path, and charges for it.
// Two stars are tried anew in every folder.
func (c *Call) fits(pattern, name string) bool {
	ways, _ := checkGlob(pattern)
	if strings.Contains(pattern, "**") {
		ways *= 1 + strings.Count(name, "/")
	}
	c.Charge(1 + ways*len(pattern)*(1+len(name))/globBytesPerStep)
	return doublestar.MatchUnvalidated(pattern, name)
}

// globBytesPerStep is how many pairs of a byte of a pattern and a byte of a path
// are compared for the price of one instruction, at worst.
const globBytesPerStep = 128

var errGlob = errors.New("pattern cannot be read: a bracket or brace is open, or a backslash stands at the end")

// checkGlob returns how many patterns without braces p stands for: each of them
// may be tried.
func checkGlob(p string) (ways int, err error) {
	switch {
	case len(p) > maxGlob:
		return 0, fmt.Errorf("pattern is %d bytes long; it may have %d", len(p), maxGlob)
	case !doublestar.ValidatePattern(p):
		return 0, fmt.Errorf("%w: %s", errGlob, p)
	}
	ways = 1
	for _, group := range strings.SplitAfter(p, "{")[1:] {
		if ways *= 1 + strings.Count(group, ","); ways > maxWays {
			return 0, fmt.Errorf("pattern has more than %d combinations of its braces", maxWays)
		}
	}
	return ways, nil
}
