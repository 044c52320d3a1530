package luavm

import "slices"

// hints are what writers of other languages, and of other versions of Lua, mean
// by tokens that are no Lua here. They are tried in order at the token where the
// parser stopped and at the one before it.
var hints = []struct {
	tokens []string // consecutive; those of one character touch the one before
	hint   string
}{
	{[]string{"!", "==", "="}, "not equal is ~="},
	{[]string{"!", "=="}, "not equal is ~="},
	{[]string{"!", "="}, "not equal is ~="},
	{[]string{"==", "="}, "equal is =="},
	{[]string{"<", ">"}, "not equal is ~="},
	{[]string{"!"}, "negation is not"},
	{[]string{"&", "&", "="}, "write x = x and y"},
	{[]string{"|", "|", "="}, "write x = x or y"},
	{[]string{"&", "&"}, "write and"},
	{[]string{"|", "|"}, "write or"},
	{[]string{"&"}, "there are no bit operators"},
	{[]string{"|"}, "there are no bit operators"},
	{[]string{"<", "<"}, "there are no bit operators"},
	{[]string{">", ">"}, "there are no bit operators"},
	{[]string{"~"}, "there are no bit operators; negation is not"},
	{[]string{"/", "/"}, "a comment begins with --; integer division is math.floor(a / b)"},
	{[]string{"/", "*"}, "a comment of many lines is --[[ … ]]"},
	{[]string{"+", "="}, "write x = x + y"},
	{[]string{"-", "="}, "write x = x - y"},
	{[]string{"*", "="}, "write x = x * y"},
	{[]string{"/", "="}, "write x = x / y"},
	{[]string{"%", "="}, "write x = x % y"},
	{[]string{"^", "="}, "write x = x ^ y"},
	{[]string{"..", "="}, "write x = x .. y"},
	{[]string{"+", "+"}, "write x = x + 1"},
	{[]string{"*", "*"}, "a power is x ^ y"},
	{[]string{":", "="}, "write local x = y"},
	{[]string{"-", ">"}, "a function is function (x) … end, a member x.y"},
	{[]string{"<", "const"}, "there are no attributes of locals"},
	{[]string{"<", "close"}, "there are no attributes of locals"},
	{[]string{"elif"}, "write elseif"},
	{[]string{"elsif"}, "write elseif"},
	{[]string{"elseif"}, "elseif stands behind if … then, before else and end"},
	{[]string{"continue"}, "write goto continue, with ::continue:: at the end of the loop"},
	{[]string{"?", "?"}, "write x or y"},
	{[]string{"?", "."}, "write x and x.y"},
	{[]string{"?"}, "a conditional value is c and a or b"},
	{[]string{"=", ">"}, "a function is function (x) … end"},
	{[]string{"`"}, `a string is "…", or [[…]] over many lines; join values with ..`},
	{[]string{"let"}, "write local x = y"},
	{[]string{"const"}, "write local x = y"},
	{[]string{"var"}, "write local x = y"},
	{[]string{"def"}, "write local function name(…) … end"},
	{[]string{"func"}, "write local function name(…) … end"},
	{[]string{"fn"}, "write local function name(…) … end"},
	{[]string{"async"}, "scripts run to their end; write local function name(…) … end"},
	{[]string{"await"}, "scripts run to their end; call the function"},
	{[]string{"switch"}, "write if … then … elseif … then … end"},
	{[]string{"case"}, "write if … then … elseif … then … end"},
	{[]string{"match"}, "write if … then … elseif … then … end"},
	{[]string{"try"}, "write local ok, err = pcall(function () … end)"},
	{[]string{"catch"}, "write local ok, err = pcall(function () … end)"},
	{[]string{"throw"}, "write error(…)"},
	{[]string{"raise"}, "write error(…)"},
	{[]string{"import"}, `write local name = require "name"`},
	{[]string{"from"}, `write local name = require "name"`},
	{[]string{"class"}, "there are no classes; use tables"},
	{[]string{"new"}, "there are no classes; use tables"},
	{[]string{"pass"}, "an empty block needs no statement"},
	{[]string{"delete"}, "write x = nil"},
	{[]string{"del"}, "write x = nil"},
	{[]string{"foreach"}, "write for _, item in ipairs(list) do"},
	{[]string{"unless"}, "write if not … then"},
	{[]string{"is"}, "equal is =="},
	{[]string{"not", "in"}, "whether a table has a key is t[key] ~= nil"},
	{[]string{"@"}, "there are no decorators"},
	{[]string{"$"}, "names have no $"},
	{[]string{"[", "]"}, "the next item of a list is t[#t + 1]"},
}

// A guess is what a broken place may be by its surroundings: the tokens and the
// index of the one where the parser stopped.
type guess func(tokens []token, i int) string

// guesses are tried in order behind hints.
var guesses = []guess{
	colonBlock, braceBlock, hashComment, missingValue, lonelyEqual, elseIfBlock, misplaced, headWithout, openBracket, missingComma, behindReturn, surplusCloser, smartQuote,
}

// syntaxHint returns what is meant where the parser stopped, and the token that
// says so: that one or the one before it.
func syntaxHint(tokens []token, i int) (hint string, at int) {
	for _, at := range []int{i, i - 1} {
		for _, h := range hints {
			if matches(tokens, at, h.tokens) {
				return h.hint, at
			}
		}
	}
	for _, g := range guesses {
		if hint := g(tokens, i); hint != "" {
			return hint, i
		}
	}
	return "", i
}

// headWords begin a statement that has a block, with the word that opens it.
var headWords = []struct{ head, opener string }{
	{"if", "then"}, {"elseif", "then"}, {"while", "do"}, {"for", "do"},
}

// head returns the last head before tokens[i] whose block is not open yet.
func head(tokens []token, i int) (word token, opener string) {
	for k := i - 1; k >= 0; k-- {
		for _, h := range headWords {
			if is(tokens[k], h.head) {
				return tokens[k], h.opener
			}
		}
		if is(tokens[k], "then") || is(tokens[k], "do") || is(tokens[k], "end") || is(tokens[k], "function") {
			break
		}
	}
	return token{}, ""
}

// is reports whether t is a reserved word or an operator.
func is(t token, text string) bool {
	return (t.kind == tokenName || t.kind == tokenOp) && t.text == text
}

// blockWords are those that a brace may follow where it was meant for a block.
var blockWords = []string{"else", "do", "then", ")", "repeat"}

// braceSearch is how many tokens a brace or a colon is looked for.
const braceSearch = 200

// braceBlock finds a block in braces: a brace that ends the first line of a
// statement with a block, before the place.
func braceBlock(tokens []token, i int) string {
	for k := min(i, len(tokens)-1); k >= max(0, i-braceSearch); k-- {
		if !is(tokens[k], "{") || k == 0 {
			continue
		}
		word, opener := head(tokens, k)
		ends := k+1 < len(tokens) && (tokens[k+1].line > tokens[k].line || is(tokens[k+1], "return"))
		if opener != "" && word.line == tokens[k].line && ends {
			return "a block is " + word.text + " … " + opener + " … end, without braces"
		}
		if ends && slices.Contains(blockWords, tokens[k-1].text) && functionHead(tokens[:k]) {
			return "a block ends with end and has no braces"
		}
	}
	return ""
}

// functionHead reports whether the tokens end in else, do, then or the
// parameters of a function.
func functionHead(before []token) bool {
	last := before[len(before)-1]
	if !is(last, ")") {
		return true
	}
	for k := len(before) - 1; k >= 0 && before[k].line == last.line; k-- {
		if is(before[k], "function") {
			return true
		}
	}
	return false
}

// colonBlock finds a block behind a colon: one that ends the line of a head, which the
// parser may take for the call of a method.
func colonBlock(tokens []token, i int) string {
	for k := min(i, len(tokens)-2); k > max(0, i-braceSearch); k-- {
		if !is(tokens[k], ":") || tokens[k+1].line == tokens[k].line {
			continue
		}
		if word, opener := head(tokens, k); opener != "" && word.line == tokens[k].line {
			return "a block is " + word.text + " … " + opener + " … end, without a colon"
		}
		if is(tokens[k-1], "else") || is(tokens[k-1], ")") && functionHead(tokens[:k]) {
			return "a block ends with end and has no colon"
		}
	}
	return ""
}

// binary are the operators that stand between two values.
var binary = []string{"==", "~=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "^", "..", "and", "or"}

// missingValue finds an operator without a value behind it.
func missingValue(tokens []token, i int) string {
	ends := endsStatement(tokens[i]) || slices.Contains(binary, tokens[i].text) && tokens[i].kind != tokenString
	if i == 0 || !ends || tokens[i-1].kind == tokenString || !slices.Contains(binary, tokens[i-1].text) {
		return ""
	}
	return "a value is missing behind '" + tokens[i-1].text + "'"
}

func endsStatement(t token) bool {
	return startsStatement(t) || slices.ContainsFunc([]string{"then", "do", ")", "}", "]", ",", ";", "elseif", "until"}, func(text string) bool { return is(t, text) })
}

// behindReturn finds a statement that follows return in its block.
func behindReturn(tokens []token, i int) string {
	if tokens[i].kind != tokenName {
		return ""
	}
	for k := i - 1; k >= 0; k-- {
		switch {
		case is(tokens[k], "return"):
			return "return ends its block: nothing can follow it"
		case is(tokens[k], "end"), is(tokens[k], "then"), is(tokens[k], "do"), is(tokens[k], "else"), is(tokens[k], "repeat"), is(tokens[k], "function"):
			return ""
		}
	}
	return ""
}

func hashComment(tokens []token, i int) string {
	for _, k := range []int{i, i - 1} {
		if k > 0 && is(tokens[k], "#") && tokens[k-1].line < tokens[k].line {
			return "a comment begins with --"
		}
	}
	return ""
}

func lonelyEqual(tokens []token, i int) string {
	if is(tokens[i], "=") && inCondition(tokens[:i]) {
		return "equal is =="
	}
	return ""
}

func elseIfBlock(tokens []token, i int) string {
	if line := elseIf(tokens[:i]); line > 0 && is(tokens[i], "else") {
		return elseIfHint(line)
	}
	return ""
}

func elseIfHint(line int) string {
	return "write elseif on line " + itoa(line) + ": else if opens a second block"
}

// elseIf returns the line of the first else if.
func elseIf(tokens []token) int {
	for k := 1; k < len(tokens); k++ {
		if is(tokens[k], "if") && is(tokens[k-1], "else") && tokens[k].line == tokens[k-1].line {
			return tokens[k].line
		}
	}
	return 0
}

// misplacements are tokens that cannot stand behind another: its text, or its kind
// where the text is empty.
var misplacements = []struct {
	before string
	kind   tokenKind
	token  string
	hint   string
}{
	{"for", tokenName, "(", "write for i = 1, n do, or for _, item in ipairs(list) do"},
	{"=", tokenOp, "[", "a list is { … }"},
	{"return", tokenName, "[", "a list is { … }"},
	{"(", tokenOp, "[", "a list is { … }"},
	{",", tokenOp, "[", "a list is { … }"},
	{"(", tokenOp, "/", `a pattern is a text: "…"`},
	{",", tokenOp, "/", `a pattern is a text: "…"`},
	{"=", tokenOp, "/", `a pattern is a text: "…"`},
	{"do", tokenName, "{", "a loop that asks at its end is repeat … until"},
	{"else", tokenName, "then", "else has no condition; elseif … then has one"},
	{"", tokenName, "::", "a method is called with one colon"},
	{"", tokenString, ":", `a key is name = value, or ["name"] = value`},
}

func misplaced(tokens []token, i int) string {
	if i == 0 {
		return ""
	}
	last, t := tokens[i-1], tokens[i]
	for _, m := range misplacements {
		if is(t, m.token) && last.kind == m.kind && (m.before == "" || m.before == last.text) {
			return m.hint
		}
	}
	switch {
	case is(t, "in") && inCondition(tokens[:i]):
		return "whether a text has a part is text:find(part, 1, true), whether a table has a key t[key] ~= nil"
	case is(t, ";") && forHead(tokens, i):
		return "write for i = 1, n do"
	case is(t, ":") && i > 1 && is(tokens[i-2], "local"):
		return "names have no types; editors read them from a comment: ---@type T"
	case last.kind == tokenString && t.kind == tokenString:
		return "texts are joined with .."
	case is(t, ":") && inTable(tokens[:i]), is(last, ":") && inTable(tokens[:i-1]):
		return `a key is name = value, or ["name"] = value`
	case is(t, "=="):
		return "a statement assigns with =, or calls"
	}
	return ""
}

func forHead(tokens []token, i int) bool {
	word, opener := head(tokens, i)
	return opener != "" && is(word, "for")
}

// headWithout finds a head whose block is never opened.
func headWithout(tokens []token, i int) string {
	word, opener := head(tokens, i)
	if opener == "" || inTable(tokens[:i]) || tokens[i].kind != tokenName && tokens[i].kind != tokenString {
		return ""
	}
	if is(tokens[i], "then") || is(tokens[i], "do") {
		return word.text + " is followed by " + opener
	}
	if tokens[i].line > word.line || startsStatement(tokens[i]) {
		return "is " + opener + " missing behind the " + word.text + " on line " + itoa(word.line) + "?"
	}
	return ""
}

var statementWords = []string{"return", "local", "if", "for", "while", "repeat", "break", "goto", "end", "else"}

func startsStatement(t token) bool {
	return t.kind == tokenName && slices.Contains(statementWords, t.text)
}

// openBracket finds a bracket of an earlier line that is still open where a
// statement begins.
func openBracket(tokens []token, i int) string {
	if !startsStatement(tokens[i]) {
		return ""
	}
	open, ok := unclosed(tokens[:i])
	if ok && (open.text == "(" || open.text == "{" || open.text == "[") {
		return "'" + open.text + "' on line " + itoa(open.line) + " is not closed"
	}
	return ""
}

func missingComma(tokens []token, i int) string {
	if i == 0 || !endsValue(tokens[i-1]) {
		return ""
	}
	if inTable(tokens[:i]) {
		return "is a comma missing before it?"
	}
	if open, ok := unclosed(tokens[:i]); ok && open.text == "(" && tokens[i].kind != tokenOp {
		return "is a comma or an operator missing before it? Texts are joined with .."
	}
	return ""
}

// surplusCloser finds what closes nothing.
func surplusCloser(tokens []token, i int) string {
	t := tokens[i]
	if !is(t, "end") && !is(t, ")") && !is(t, "}") && !is(t, "]") && !is(t, "until") {
		return ""
	}
	open, ok := unclosed(tokens[:i])
	if !ok {
		return "nothing is open that it could close"
	}
	if closers[open.text] != t.text {
		if line := elseIf(tokens[:i]); line > 0 {
			return elseIfHint(line)
		}
		if opener, ok := deeper(tokens[:i]); ok {
			return "'" + opener.text + "' on line " + itoa(opener.line) + " seems not to be closed: the next end stands further left"
		}
		return "'" + open.text + "' on line " + itoa(open.line) + " is closed with " + closers[open.text]
	}
	return ""
}

// smartQuote finds the quotation marks of a word processor.
func smartQuote(tokens []token, i int) string {
	for _, quote := range []string{"“", "”", "‘", "’", "«", "»"} {
		if tokens[i].text == quote[:1] && i+1 < len(tokens) && tokens[i+1].text == quote[1:2] {
			return `a string is in straight quotes: "…"`
		}
	}
	return ""
}
