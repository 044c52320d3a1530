package stdlib_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/value"
)

// re.all finds what Go's own package finds, although it searches from one match
// to the next so that each can be charged for.
func TestAllFindsWhatGoFinds(t *testing.T) {
	patterns := []string{
		"a", "a*", "", `\b`, `\Ba`, `^a`, `(?m)^a?`, `(?m)$`, `a$`, `\Aa`, `(a)|b*`, `ab|a`, `(?i)A+b?`, `a{1,2}`, `[^a]+`, `.`, `(?s).\b`, `a.*b`, `(a*)(b)?`, `x*\b`, `ä?`,
	}
	random := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{"a", "b", " ", "\n", "ä", "\xff", "A"}
	l := newLab(t, invented())
	for _, p := range patterns {
		for range 25 {
			var text strings.Builder
			for range random.IntN(9) {
				text.WriteString(alphabet[random.IntN(len(alphabet))])
			}
			got, _, err := l.do(fmt.Sprintf("local out = {} for _, m in ipairs(re.all(%s, %s)) do out[#out + 1] = m.from .. '-' .. m.to .. '/' .. #m.groups end return out",
				luaString(p), luaString(text.String())))
			require.NoError(t, err)
			re, want := regexp.MustCompile(p), []value.Value{}
			for _, at := range re.FindAllStringIndex(text.String(), -1) {
				want = append(want, value.OfString(fmt.Sprintf("%d-%d/%d", at[0]+1, at[1], re.NumSubexp())))
			}
			wanted := value.OfList(want...).String()
			if len(want) == 0 {
				wanted = "{}"
			}
			require.Equal(t, wanted, got, "%q in %q", p, text.String())
		}
	}
}

// luaString is a Lua literal of any bytes.
func luaString(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\%03d`, s[i])
	}
	return "'" + b.String() + "'"
}

// A comparison leads from one text to the other, with as few changes as there can
// be.
func TestDiffLeadsFromOneToTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	l := newLab(t, invented())
	lines := func() (list []string) {
		for range random.IntN(8) {
			list = append(list, string(rune('a'+random.IntN(3))))
		}
		return list
	}
	for range 300 {
		a, b := lines(), lines()
		got, _, err := l.do(fmt.Sprintf("return text.diff(%s, %s)", luaString(strings.Join(a, "\n")), luaString(strings.Join(b, "\n"))))
		require.NoError(t, err)
		doc, err := value.ParseString(got)
		require.NoError(t, err)
		var before, after []string
		changes := 0
		for _, c := range doc.Items() {
			line, _ := c.Get("line").Str()
			if kind, _ := c.Get("kind").Str(); kind != "added" {
				before = append(before, line)
			}
			if kind, _ := c.Get("kind").Str(); kind != "removed" {
				after = append(after, line)
			}
			if kind, _ := c.Get("kind").Str(); kind != "same" {
				changes++
			}
		}
		require.Equal(t, strings.Join(a, "\n"), strings.Join(before, "\n"))
		require.Equal(t, strings.Join(b, "\n"), strings.Join(after, "\n"))
		require.Equal(t, len(a)+len(b)-2*common(a, b), changes, "%v %v", a, b)
	}
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a[0] == b[0] {
		return 1 + common(a[1:], b[1:])
	}
	return max(common(a[1:], b), common(a, b[1:]))
}

// heavy are calls that do as much work as they can get for their price. Each is
// repeated for ever, caught or not, and has to be stopped soon by the budget.
var heavy = map[string]string{
	"a pattern of many ways":  `local t = ('a'):rep(20000) while true do re.match('(a|a|b|[a-z])*(x|a?y)(a{0,50}b){0,10}', t) end`,
	"a search that looks far": `local t = ('a'):rep(20000) while true do re.all('a.*b|a', t) end`,
	"splitting":               `local t = ('a,'):rep(20000) while true do re.split(',', t) end`,
	"replacing":               `local t = ('a'):rep(20000) while true do re.replace('a', t, ('x'):rep(1000)) end`,
	"compiling":               `local i = 0 while true do i = i + 1 pcall(re.match, '[a-f]{900}(x|y)' .. i, 'a') end`,
	"patterns that are none":  `while true do pcall(re.match, ('('):rep(900), 'a') end`,
	"globs":                   `local p, n = ('**/*a*/'):rep(100) .. 'b', ('a/'):rep(4000) while true do glob.match(p, n) end`,
	"braces":                  `local p, n = ('{a,a}'):rep(8) .. 'b', ('a'):rep(200) while true do glob.match(p, n) end`,
	"documents":               `local t = '[' .. ('[],'):rep(20000) .. '[]]' while true do json.decode(t) end`,
	"large numbers":           `local n, out = {}, {} for i = 1, 900 do n[i] = '9223372036854775' .. i end local d = json.decode('[' .. table.concat(n, ',') .. ']') for i = 1, 900 do out[i] = d[i] end while true do json.encode(out) end`,
	"encoding":                `local t = {} for i = 1, 9000 do t[i] = i end while true do json.encode(t) end`,
	"a table that is none":    `local t = {} for i = 1, 9000 do t[i] = i end t.x = 1 while true do pcall(json.encode, t) end`,
	"lines":                   `local t = ('a\n'):rep(20000) while true do text.lines(t) end`,
	"comparing":               `local a, b = {}, {} for i = 1, 2000 do a[i], b[i] = 'a' .. i, 'b' .. i end a, b = table.concat(a, '\n'), table.concat(b, '\n') while true do text.diff(a, b) end`,
	"confusables":             `local t = ('\208\176'):rep(20000) while true do text.skeleton(t) end`,
	"marks":                   `local t = ('ab'):rep(200000) while true do text.invisible(t) end`,
	"hashing":                 `local t = ('a'):rep(1000000) while true do hash.sha512(t) end`,
	"links":                   `local p = ('/a'):rep(2000) while true do path.real(p) end`,
	"repositories":            `while true do git.repository('/a/b/c') end`,
	"queries":                 `local t = 'http://x/?' .. ('a=b&'):rep(4000) while true do url.parse(t) end`,
	"ranges":                  `local t = ('1 || '):rep(200) .. '1' while true do semver.satisfies('1.2.3', t) end`,
	"rules":                   `local s = rules.new({{name = 'a', reason = 'b', match = '(x+x+)+y'}}) local p = {} for i = 1, 5000 do p[i] = 'xxxxxxxxxxxx' end while true do s:deny(p) end`,
}

func TestBudgetsHold(t *testing.T) {
	for name, source := range heavy {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, invented())
			_, first, err := l.do(source)
			require.Error(t, err)
			require.Regexp(t, "budget used up", err.Error())
			_, again, err := l.do(source) // what ran before does not change what a run costs
			require.Error(t, err)
			require.Equal(t, first, again)
		})
	}
}

// A script that requires nothing pays nothing, one that requires all of them
// little.
func BenchmarkRequireAll(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		l := newLab(b, stdlib.Services{})
		b.StartTimer()
		for _, name := range stdlib.Names() {
			l.env.Require(name)
		}
	}
}
