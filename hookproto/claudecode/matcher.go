package claudecode

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2"

	"github.com/dsh-lua/dsh/hookproto"
)

// A PatternError is a matcher that cannot be honoured. It matches nothing.
type PatternError struct {
	Pattern string
	Reason  string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("matcher %q matches nothing: %s", e.Pattern, e.Reason)
}

// matchTimeout bounds one comparison: a pattern can take exponential time.
const matchTimeout = 100 * time.Millisecond

// isList reports whether a matcher is a list of names and no expression.
func isList(matcher string) bool {
	return strings.IndexFunc(matcher, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_- ,|", r)
	}) < 0
}

// matches holds a handler's matcher against a subject and its aliases.
func matches(h hookproto.Handler, subject string) (bool, error) {
	event, known := Lookup(h.Event)
	if !known {
		return false, fmt.Errorf("%q is no event of Claude Code", h.Event)
	}
	if event.Subject == "" || h.Matcher == nil || *h.Matcher == "" || *h.Matcher == "*" {
		return true, nil
	}
	names := append([]string{subject}, aliases[subject]...)
	if isList(*h.Matcher) {
		return slices.ContainsFunc(listed(*h.Matcher), func(item string) bool { return slices.Contains(names, item) }), nil
	}
	pattern, err := compile(*h.Matcher)
	if err != nil {
		return false, err
	}
	return fitsAny(pattern, *h.Matcher, names)
}

// fitsAny holds a compiled matcher against names.
func fitsAny(pattern *regexp2.Regexp, matcher string, names []string) (bool, error) {
	for _, name := range names {
		found, err := pattern.MatchRunes(units(name))
		if err != nil {
			return false, &PatternError{Pattern: matcher, Reason: fmt.Sprintf("it takes too long for %q", name)}
		}
		if found {
			return true, nil
		}
	}
	return false, nil
}

// listed returns the names of a matcher that is a list.
func listed(matcher string) []string {
	var names []string
	for _, item := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
		if item = strings.TrimSpace(item); item != "" {
			names = append(names, item)
		}
	}
	return names
}

// compile compiles a matcher that is no list. Errors are of type *PatternError.
func compile(matcher string) (*regexp2.Regexp, error) {
	ours, err := translate(matcher)
	if err != nil {
		return nil, &PatternError{Pattern: matcher, Reason: err.Error()}
	}
	pattern, err := regexp2.Compile(ours, regexp2.None)
	if err != nil {
		return nil, &PatternError{Pattern: matcher, Reason: "it cannot be run here: " + err.Error()}
	}
	pattern.MatchTimeout = matchTimeout
	return pattern, nil
}

// CheckMatcher says what is wrong with a matcher, if anything; the error is of
// type *PatternError.
func CheckMatcher(matcher string) error {
	if isList(matcher) || matcher == "*" {
		return nil
	}
	_, err := compile(matcher)
	return err
}

// units are the UTF-16 units of s, which are the characters of JavaScript's
// regular expressions.
func units(s string) []rune {
	var out []rune
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, rune(u))
	}
	return out
}
