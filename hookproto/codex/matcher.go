package codex

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
)

// aliases are further names that a tool is matched by. The payload names the
// tool itself.
var aliases = []struct {
	tool string
	also []string
}{
	{"apply_patch", []string{"Edit", "Write"}},
	{"spawn_agent", []string{"Agent"}},
}

// A Matcher is a compiled matcher. The zero Matcher fits everything.
type Matcher struct {
	names []string
	re    *pattern
}

const nameChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|"

// Compile reads a matcher as configured: nil, "" and "*" fit everything, a text
// of letters, digits, "_" and "|" is a list of exact names, and all else is a
// regular expression that is searched for anywhere. Errors are of type
// *PatternError.
func Compile(matcher *string) (Matcher, error) {
	if matcher == nil || *matcher == "" || *matcher == "*" {
		return Matcher{}, nil
	}
	if strings.Trim(*matcher, nameChars) == "" {
		return Matcher{names: strings.Split(*matcher, "|")}, nil
	}
	re, err := compile(*matcher)
	if err != nil {
		return Matcher{}, err
	}
	return Matcher{re: re}, nil
}

// Match reports whether the matcher fits the subject or one of its aliases. The
// error tells of a subject that cannot be decided here.
func (m Matcher) Match(subject string) (bool, error) {
	if m.re == nil {
		return m.names == nil || slices.ContainsFunc(Subjects(subject), func(s string) bool { return slices.Contains(m.names, s) }), nil
	}
	for _, s := range Subjects(subject) {
		if fits, err := m.re.match(s); fits || err != nil {
			return fits, err
		}
	}
	return false, nil
}

// Subjects returns a subject and its aliases.
func Subjects(subject string) []string {
	all := []string{subject}
	for _, a := range aliases {
		if a.tool == subject {
			all = append(all, a.also...)
		}
	}
	return all
}

// matches is Dialect.Matches.
func matches(h hookproto.Handler, subject string) (bool, error) {
	if e, ok := Lookup(h.Event); ok && e.Subject == "" {
		return true, nil
	}
	m, err := Compile(h.Matcher)
	if err != nil {
		return false, err
	}
	return m.Match(subject)
}
