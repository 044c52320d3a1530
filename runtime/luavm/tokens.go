package luavm

import (
	"slices"
	"strings"
)

// A TokenKind says what a [Token] is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenEnd    = TokenKind(tokenEnd)
	TokenName   = TokenKind(tokenName) // also reserved words
	TokenNumber = TokenKind(tokenNumber)
	TokenString = TokenKind(tokenString)
	TokenOp     = TokenKind(tokenOp)
)

// A Token is one word of a source.
type Token struct {
	Kind TokenKind
	Text string // as written
	From int    // offset in the source, in bytes
}

// Tokens splits a source as [Compile] does. The last token is of the kind TokenEnd
// and stands at the end of the source; if the source has a lexical error, which
// Compile reports, it stands where that begins. Between two tokens are only blanks
// and comments.
func Tokens(source string) []Token {
	start := preamble(source)
	s := newScanner("", source[start:])
	var list []Token
	for {
		t, err := s.next()
		if err != nil {
			return append(list, Token{Kind: TokenEnd, From: start + t.offset})
		}
		list = append(list, Token{TokenKind(t.kind), t.text, start + t.offset})
		if t.kind == tokenEnd {
			return list
		}
	}
}

// preamble returns the length of what [withoutPreamble] removes.
func preamble(source string) int {
	return strings.LastIndex(source, withoutPreamble(source))
}

// LibraryNames lists the members of a table of the base library, "string",
// "table" or "math"; nil for any other name.
func LibraryNames(table string) []string {
	switch table {
	case "string":
		return sortedNames(stringFunctions)
	case "table":
		return slices.Sorted(slices.Values(append(sortedNames(tableFunctions), "unpack")))
	case "math":
		return mathNames()
	}
	return nil
}

// GlobalNames lists the globals that every script has.
func GlobalNames() []string { return slices.Clone(baseNames) }

// AbsentGlobal says what to write instead of a global that other hosts and
// languages have; "" for all others.
func AbsentGlobal(name string) string { return absentNames[name] }

func mathNames() []string {
	names := []string{"fmod", "frexp", "huge", "ldexp", "log", "max", "min", "modf", "pi"}
	names = append(append(names, sortedNames(unaryMath)...), sortedNames(binaryMath)...)
	slices.Sort(names)
	return names
}

func sortedNames[F any](list []named[F]) []string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	slices.Sort(names)
	return names
}
