package stdlib_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// readers are what reads a text that a script was given; %s is the text twice.
const readers = `
local function try(f, ...) pcall(f, ...) end
for _, f in ipairs({
  json.decode, path.clean, path.real, path.names, path.absolute, path.inside, url.parse, url.decode, semver.parse, time.parse,
  time.duration, text.lines, text.invisible, text.confusable, text.skeleton, text.trim, re.quote, mcp.split, git.repository, git.commit,
}) do try(f, a) end
for _, f in ipairs({
  glob.match, re.match, re.find, re.all, re.split, path.relative, url.within, semver.compare, semver.satisfies, text.diff,
}) do try(f, a, b) end
try(re.replace, a, b, a)
try(semver.satisfies, "1.2.3", a)
try(function() rules.new({{name = a, reason = b, match = a}}, {{rule = a, path = b, expires = a}}):deny({a, b}) end)
try(function() state.session:set(a, b) state.session:incr(a) end)
return true`

// maxFuzzed is how much text fits into one source, in bytes.
const maxFuzzed = 50_000

// Whatever the modules read, they answer, raise an error or reach a limit.
func FuzzReaders(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,null]}`, "/a/../b//./c", "https://u:p@h:1/x?y=z#f", "^1.2.x || >=3 <4-rc.1 || 1 - 2", "2026-03-04T12:00:00Z", "1h30m",
		"a\u200bb\u0430", "{a,b}/**/[!x]*", `(?P<n>\w+)|b{2,3}$`, "mcp__a__b", "~/x", "\xff\x00",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > maxFuzzed {
			return
		}
		_, _, err := newLab(t, invented()).do("local a, b = " + luaString(a) + ", " + luaString(b) + readers)
		var limit luavm.Limit
		if err != nil && !errors.As(err, &limit) {
			require.NoError(t, err)
		}
	})
}
