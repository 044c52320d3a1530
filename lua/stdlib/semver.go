package stdlib

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"golang.org/x/mod/semver"
)

const maxVersion = 1 << 10

// stepsPerRange is what a byte of a range costs, most of which may be comparisons.
const stepsPerRange = 8

func semverModule() Module {
	version := Field{"version", "string", ""}
	return Module{
		Name: "semver",
		Doc:  "Versions after [Semantic Versioning](https://semver.org). A `v` in front is allowed, and numbers that are left out at the end are 0: `v1.2` is 1.2.0.",
		Classes: []Class{{Name: "dsh.semver.Version", Doc: "The parts of a version.", Fields: []Field{
			{"major", "integer", ""},
			{"minor", "integer", ""},
			{"patch", "integer", ""},
			{"prerelease", "string?", "such as `rc.1`"},
			{"build", "string?", "which says nothing about the order"},
		}}},
		Functions: []Function{
			{Name: "parse", Doc: "Takes a version apart, or returns nil if it is none.", Params: []Field{version}, Returns: []Field{{"", "dsh.semver.Version?", ""}}, Call: semverParse},
			{Name: "compare", Doc: "Returns -1, 0 or 1 as a is older than, the same as or newer than b. What is no version raises an error.", Params: []Field{{"a", "string", ""}, {"b", "string", ""}}, Returns: []Field{{"", "integer", ""}}, Call: semverCompare},
			{Name: "satisfies", Doc: "Reports whether a version is in a range: comparisons such as `>=1.2 <2`, which all have to hold; `^1.2` (no change of the first number that is not 0), `~1.2` (of the second), `1.x`, `1.2 - 1.4`; and `||` between ranges. " +
				"A prerelease is only in a range that names a prerelease of the same version. What is no version or no range raises an error.", Params: []Field{version, {"range", "string", ""}}, Returns: []Field{{"", "boolean", ""}}, Call: semverSatisfies},
		},
	}
}

// canonical returns a version in the form of x/mod/semver, with its build.
func canonical(text string) (v string, err error) {
	if len(text) <= maxVersion {
		v = "v" + strings.TrimPrefix(strings.TrimSpace(text), "v")
	}
	if !semver.IsValid(v) {
		return "", fmt.Errorf("%.40q is no version", text[:min(len(text), maxVersion)])
	}
	return semver.Canonical(v) + semver.Build(v), nil
}

// numbers returns the three numbers of a canonical version.
func numbers(v string) (n [3]float64) {
	core := strings.TrimPrefix(v, "v")
	if i := strings.IndexAny(core, "-+"); i >= 0 {
		core = core[:i]
	}
	for i, text := range strings.SplitN(core, ".", len(n)) {
		n[i], _ = strconv.ParseFloat(text, 64)
	}
	return n
}

func semverParse(c *Call) error {
	v, err := canonical(c.Str(1))
	if err != nil {
		return c.Return(lua.LNil)
	}
	n := numbers(v)
	parts := map[string]lua.LValue{"major": lua.LNumber(n[0]), "minor": lua.LNumber(n[1]), "patch": lua.LNumber(n[2])}
	if pre := semver.Prerelease(v); pre != "" {
		parts["prerelease"] = c.vm.Text(pre[1:])
	}
	if build := semver.Build(v); build != "" {
		parts["build"] = c.vm.Text(build[1:])
	}
	return c.Return(c.Table(parts))
}

func semverCompare(c *Call) error {
	a, err := canonical(c.Str(1))
	if err != nil {
		return fmt.Errorf("a: %w", err)
	}
	b, err := canonical(c.Str(2))
	if err != nil {
		return fmt.Errorf("b: %w", err)
	}
	return c.Return(lua.LNumber(semver.Compare(a, b)))
}

func semverSatisfies(c *Call) error {
	v, err := canonical(c.Str(1))
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	text, err := c.Capped(2, maxVersion)
	if err != nil {
		return err
	}
	c.Charge(stepsPerRange * len(text))
	in, err := inRange(v, text)
	if err != nil {
		return fmt.Errorf("range: %w", err)
	}
	return c.Return(lua.LBool(in))
}

// inRange reports whether a canonical version is in a range.
func inRange(v, text string) (in bool, err error) {
	for part := range strings.SplitSeq(text, "||") {
		bounds, err := readBounds(part)
		if err != nil {
			return false, err
		}
		in = in || holdAll(v, bounds)
	}
	return in, nil
}

// A bound is one comparison with a canonical version.
type bound struct {
	op      string // one of <, <=, >, >=, =
	version string
}

func (b bound) holds(v string) bool {
	order := semver.Compare(v, b.version)
	switch b.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return order == 0
}

// holdAll reports whether all bounds hold. A prerelease is not meant by a range
// that does not speak of prereleases of the same numbers.
func holdAll(v string, bounds []bound) bool {
	named := semver.Prerelease(v) == ""
	for _, b := range bounds {
		if !b.holds(v) {
			return false
		}
		named = named || semver.Prerelease(b.version) != "" && numbers(b.version) == numbers(v)
	}
	return named
}

// readBounds reads comparisons that all have to hold.
func readBounds(text string) (bounds []bound, err error) {
	words := strings.Fields(text)
	if len(words) == 3 && words[1] == "-" {
		words = []string{">=" + words[0], "<=" + words[2]}
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if strings.Trim(word, "<>=^~") == "" && word != "" && i+1 < len(words) { // ">= 1.2"
			i++
			word += words[i]
		}
		more, err := readBound(word)
		if err != nil {
			return nil, err
		}
		bounds = append(bounds, more...)
	}
	return bounds, nil
}

func readBound(word string) ([]bound, error) {
	text := strings.TrimLeft(word, "<>=^~")
	op := word[:len(word)-len(text)]
	from, width, err := readPartial(text)
	if err != nil {
		return nil, err
	}
	n := numbers(from)
	switch op {
	case "<", ">=":
		return []bound{{op, from}}, nil
	case ">", "<=":
		if width == len(n) {
			return []bound{{op, from}}, nil
		}
		past := map[string]string{">": ">=", "<=": "<"}[op]
		return above(past, n, width-1), nil
	case "=", "":
		if width == len(n) {
			return []bound{{"=", from}}, nil
		}
		return append([]bound{{">=", from}}, above("<", n, width-1)...), nil
	case "~":
		return append([]bound{{">=", from}}, above("<", n, min(width-1, 1))...), nil
	case "^":
		first := 0
		for first < width-1 && n[first] == 0 {
			first++
		}
		return append([]bound{{">=", from}}, above("<", n, min(first, width-1))...), nil
	}
	return nil, fmt.Errorf("%.40q is no comparison", word)
}

// above compares with the first version in which number i is one more. Below zero
// there is none: any version will do, or for ">=" none.
func above(op string, n [3]float64, i int) []bound {
	if i < 0 {
		if op == ">=" {
			return []bound{{"<", "v0.0.0-0"}}
		}
		return nil
	}
	n[i]++
	for k := i + 1; k < len(n); k++ {
		n[k] = 0
	}
	v := fmt.Sprintf("v%.0f.%.0f.%.0f", n[0], n[1], n[2])
	if op == "<" {
		v += "-0" // nor its prereleases
	}
	return []bound{{op, v}}
}

// readPartial reads a version of which numbers may be left out or be x or *. The
// width is how many are there.
func readPartial(text string) (from string, width int, err error) {
	core := strings.TrimPrefix(text, "v")
	parts := strings.Split(core, ".")
	for width < len(parts) && width < 3 && parts[width] != "" && !strings.Contains("xX*", parts[width]) {
		width++
	}
	if width == len(parts) || width == 3 {
		from, err = canonical(text)
		return from, min(width, 3), err
	}
	for _, part := range parts[width:] {
		if part == "" || !strings.Contains("xX*", part) || len(parts) > 3 {
			return "", 0, fmt.Errorf("%.40q is no version", text)
		}
	}
	from, err = canonical(strings.Join(append(parts[:width:width], "0", "0", "0")[:3], "."))
	return from, width, err
}
