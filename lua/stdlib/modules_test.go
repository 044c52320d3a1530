package stdlib_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

// Every declaration is whole: what is derived from it can say everything.
func TestDeclarations(t *testing.T) {
	require.True(t, slices.IsSorted(stdlib.Names()))
	for _, m := range stdlib.Modules() {
		require.Contains(t, stdlib.Names(), m.Name)
		require.NotEmpty(t, m.Doc, m.Name)
		require.Equal(t, m.Open != nil, len(m.Fields) > 0, "%s: Open makes the fields", m.Name)
		functions := m.Functions
		for _, class := range m.Classes {
			require.True(t, strings.HasPrefix(class.Name, "dsh."+m.Name+"."), class.Name)
			require.NotEmpty(t, class.Doc, class.Name)
			functions = append(functions, class.Methods...)
		}
		for _, f := range functions {
			require.NotEmpty(t, f.Doc, "%s.%s", m.Name, f.Name)
			require.NotNil(t, f.Call, "%s.%s", m.Name, f.Name)
		}
	}
}

// What a module does not have is an error that names the nearest.
func TestUnknownMembers(t *testing.T) {
	ask(t, invented(), []question{
		{"re.mach('a', 'a')", "", `re has no "mach"; did you mean "match"?`},
		{"state.session.inc", "", `store has no "inc"; did you mean "incr"?`},
		{"pcall(function() re.match = 1 end)", "false", ""},
		{"path.clean()", "", "path.clean: path: want string, got nil"},
		{"path.clean(1)", "", "path.clean: path: want string, got the number 1"},
		{"path.clean('a', 'b')", "", "path.clean: takes 1 arguments, got 2"},
		{"path.join('a', 1)", "", "path.join: argument 2: want string, got the number 1"},
		{"state.session.get('a')", "", "store:get: call it with a colon, on the object that has it"},
		{"state.session.get(state.project, 'a')", "", "call it with a colon"},
	})
}

func TestJSON(t *testing.T) {
	ask(t, invented(), []question{
		{`json.decode('{"a":[1,null,{"b":9223372036854775807}],"e":[],"o":{}}')`, `{"a":[1,null,{"b":9223372036854775807}],"e":[],"o":{}}`, ""},
		{`json.encode(json.decode('{"n":9223372036854775807,"d":0.1,"x":1e400}'))`, `"{\"n\":9223372036854775807,\"d\":0.1,\"x\":1e400}"`, ""},
		{`json.decode('9223372036854775807')`, `9223372036854775807`, ""},
		{`json.decode('{"a":1}').a`, `1`, ""},
		{`json.decode('{"a":1,"b":2,"a":3}')`, `{"a":3,"b":2}`, ""},
		{"return (function() local names = {} for name in pairs(json) do names[#names + 1] = name end return table.concat(names, ' ') end)()", `"null decode encode array thaw"`, ""},
		{"return (function() local all = true for name, f in pairs(re) do all = all and type(f) == 'function' and f == re[name] end return all and next(re) ~= nil end)()", "true", ""},
		{"return (function() for _ in pairs(json) do end return json.dekode end)()", "", `json has no "dekode"; did you mean "decode"?`},
		{`json.decode('[1,2]')[2]`, `2`, ""},
		{`json.encode({b = 1, a = {json.null}, l = json.array {}})`, `"{\"a\":[null],\"b\":1,\"l\":[]}"`, ""},
		{`json.array({1, 2})`, `[1,2]`, ""},
		{`local t = json.thaw(json.decode('{"a":{"b":1}}')) t.a.b = 2 return t`, `{"a":{"b":2}}`, ""},
		{`json.decode('{"a":1')`, "", "json.decode: line 1, column 7: want"},
		{`json.decode('{} x')`, "", "json.decode: line 1, column 4"},
		{`json.encode(0/0)`, "", "json.encode: value: expected a finite number, got nan"},
		{`json.encode({f = function() end})`, "", "value.f: expected JSON"},
		{`json.array({a = 1})`, "", "json.array: list: want a list"},
	})
}

func TestPath(t *testing.T) {
	ask(t, invented(), []question{
		{"path.clean('/a/./b/../c//d/')", `"/a/c/d"`, ""},
		{"path.join('a', '', '../b')", `"b"`, ""},
		{"path.join()", "", "takes at least one part"},
		{"path.base('/a/b.tar.gz')", `"b.tar.gz"`, ""},
		{"path.dir('/a/b')", `"/a"`, ""},
		{"path.ext('/a.d/b.tar.gz')", `".gz"`, ""},
		{"path.names('/a//./b')", `["a","b"]`, ""},
		{"path.names('/')", `[]`, ""},
		{"path.absolute('x/../y')", `"/home/dev/app/sub/y"`, ""},
		{"path.absolute('~/x')", `"/home/dev/x"`, ""},
		{"path.absolute('x', '/etc')", `"/etc/x"`, ""},
		{"path.absolute('x', 'etc')", `nil`, ""},
		{"path.absolute('x', '/' .. ('a'):rep(20000))", "", "path.absolute: argument 2 is 20001 bytes long"},
		{"path.relative('/a/b', '/a/c/d')", `"../c/d"`, ""},
		{"path.relative('/a', '/a')", `"."`, ""},
		{"path.relative('/a', 'b')", `nil`, ""},
		{"path.relative('../a', 'b')", `nil`, ""},
		{"path.real('/home/dev/app/out/x')", `"/srv/out/x"`, ""},
		{"path.real('/home/dev/app/out/../x')", `"/srv/x"`, ""},
		{"path.real('../out/x')", `"/srv/out/x"`, ""},
		{"path.real('/home/dev/app/loop/x')", `nil`, ""},
		{"path.inside('a')", `true`, ""},
		{"path.inside('..')", `true`, ""},
		{"path.inside('../..')", `false`, ""},
		{"path.inside('../out/x')", `false`, ""},
		{"path.inside('/home/dev/app2')", `false`, ""},
		{"path.inside('/srv/out/x', '/home/dev/app/out')", `true`, ""},
		{"path.inside('../loop')", `nil`, ""},
		{"path.inside('~/app/x')", `true`, ""},
		{"path.clean(('x'):rep(20000))", "", "argument 1 is 20000 bytes long; it may have 16384"},
	})
}

// Without services nothing is known, and what is not known is not true.
func TestPathKnowsNothing(t *testing.T) {
	ask(t, stdlib.Services{}, []question{
		{"path.inside('/home/dev/app/x')", `nil`, ""},
		{"path.real('/x')", `nil`, ""},
		{"path.absolute('~/x')", `nil`, ""},
		{"time.now()", "", "time.now: the time of the event is not known here"},
		{"state.session:get('x')", "", "this host keeps no state"},
		{"git.repository()", "nil", ""},
	})
}

func TestGlob(t *testing.T) {
	ask(t, invented(), []question{
		{"glob.match('**/*.{go,lua}', '/a/b/c.lua')", `true`, ""},
		{"glob.match('*.go', 'a/b.go')", `false`, ""},
		{"glob.match({'*.md', '*.go'}, 'b.go')", `true`, ""},
		{"glob.match('[!a]b', 'ab')", `false`, ""},
		{"glob.filter('src/**', {'src/a', 'b', 'src/c/d'})", `["src/a","src/c/d"]`, ""},
		{"glob.filter('x', {})", `[]`, ""},
		{"glob.match('[a', 'a')", "", "glob.match: pattern cannot be read"},
		{"glob.match(('{a,b}'):rep(9), 'a')", "", "more than 256 combinations"},
		{"glob.match({1}, 'a')", "", "pattern[1]: want a string, got number"},
	})
}

func TestRE(t *testing.T) {
	ask(t, invented(), []question{
		{`re.match([[^a\d+$]], 'a12')`, `true`, ""},
		{`re.match('b', 'aac')`, `false`, ""},
		{`re.find([[(?P<k>\w+)=(\w*)(x)?]], 'a b=c d')`, `{"from":3,"groups":["b","c",false],"named":{"k":"b"},"text":"b=c","to":5}`, ""},
		{`re.find('x', 'a')`, `nil`, ""},
		{`#re.all('a', 'banana')`, `3`, ""},
		{`#re.all('a', 'banana', 2)`, `2`, ""},
		{`re.all([[\bb]], 'b ab b')[2].from`, `6`, ""},
		{`#re.all('', 'äb')`, `3`, ""},
		{`re.any({'x', 'b.'}, 'abc')`, `2`, ""},
		{`re.any({}, 'abc')`, `nil`, ""},
		{`re.replace([[(\w+)@]], 'a@ b@', '<$1>')`, `"<a> <b>"`, ""},
		{`select(2, re.replace('a', 'aa', '')) + 0`, `2`, ""},
		{`re.split([[,\s*]], 'a, b,c')`, `["a","b","c"]`, ""},
		{`re.split('', 'abc')`, `["a","b","c"]`, ""},
		{`re.quote('a.b')`, `"a\\.b"`, ""},
		{`re.match('(', 'a')`, "", "re.match: pattern: missing closing ): \"(\""},
		{`re.match('(?=a)', 'a')`, "", "invalid or unsupported Perl syntax"},
		{`re.match('a{1001}', 'a')`, "", "invalid repeat count"},
		{`re.match('((a{30}){30}){30}', 'a')`, "", "re.match: pattern: "},
		{`re.match('[ab]{1000}[cd]{1000}[ef]{1000}[gh]{1000}[ij]{1000}', 'a')`, "", "it repeats too much"},
		{`re.match(('a'):rep(3000), 'a')`, "", "pattern is 3000 bytes long"},
		{`re.match('a', ('a'):rep(2000000))`, "", "argument 2 is 2000000 bytes long"},
	})
}

func TestText(t *testing.T) {
	ask(t, invented(), []question{
		{`text.lines('a\r\nb\n\nc')`, `["a","b","","c"]`, ""},
		{`text.lines('')`, `[]`, ""},
		{`text.trim(' \n a b\t')`, `"a b"`, ""},
		{`text.diff('a\nb\nc', 'a\nc\nd')`, `[{"after":1,"before":1,"kind":"same","line":"a"},{"before":2,"kind":"removed","line":"b"},{"after":2,"before":3,"kind":"same","line":"c"},{"after":3,"kind":"added","line":"d"}]`, ""},
		{`text.invisible('a\226\128\139b')`, `[{"at":2,"code":"U+200B","kind":"zero-width"}]`, ""},
		{`text.invisible('\226\128\174\7\255')`, `[{"at":1,"code":"U+202E","kind":"direction"},{"at":4,"code":"U+0007","kind":"control"},{"at":5,"code":"U+FFFD","kind":"control"}]`, ""},
		{`text.invisible('plain\ttext\n')`, `[]`, ""},
		{`text.confusable('p\208\176ypal')`, `[{"at":2,"code":"U+0430","kind":"confusable","like":"a"}]`, ""},
		{`text.confusable('Grüße')`, `[]`, ""},
		{`text.skeleton('p\208\176y\226\128\139pal \239\188\161\240\157\144\128\240\157\159\152')`, `"paypal AA0"`, ""},
	})
}

func TestURL(t *testing.T) {
	ask(t, invented(), []question{
		{`url.parse('HTTPS://u:p@Example.com.:8443/a%20b?x=1&x=2#f')`, `{"fragment":"f","has_password":true,"host":"example.com","path":"/a b","port":8443,"query":{"x":["1","2"]},"scheme":"https","user":"u"}`, ""},
		{`url.parse('/only/path').host`, `nil`, ""},
		{`url.parse('http://[::1')`, `nil`, ""},
		{`select(2, url.parse('http://a b/'))`, `"invalid character \" \" in host name"`, ""},
		{`url.parse([[https:\\evil.example\@good.example/x]]).host`, `"evil.example"`, ""},
		{`url.within('https://api.github.com/x', 'github.com')`, `true`, ""},
		{`url.within('github.com.evil.example', 'github.com')`, `false`, ""},
		{`url.within('https://github.com@evil.example/', {'github.com'})`, `false`, ""},
		{`url.within('GITHUB.com', {'example.com', 'github.com.'})`, `true`, ""},
		{`url.within('http://[', 'x')`, `false`, ""},
		{`url.encode('a b&c')`, `"a+b%26c"`, ""},
		{`url.decode('a+b%26c')`, `"a b&c"`, ""},
		{`url.decode('%zz')`, `nil`, ""},
	})
}

func TestSemver(t *testing.T) {
	ask(t, invented(), []question{
		{`semver.parse('v1.2.3-rc.1+b5')`, `{"build":"b5","major":1,"minor":2,"patch":3,"prerelease":"rc.1"}`, ""},
		{`semver.parse('1.2')`, `{"major":1,"minor":2,"patch":0}`, ""},
		{`semver.parse('1.2.3.4')`, `nil`, ""},
		{`semver.parse('01.2.3')`, `nil`, ""},
		{`semver.compare('1.10.0', '1.9.9')`, `1`, ""},
		{`semver.compare('1.0.0-rc.1', '1.0.0')`, `-1`, ""},
		{`semver.compare('1', 'v1.0.0+x')`, `0`, ""},
		{`semver.compare('x', '1')`, "", `semver.compare: a: "x" is no version`},
		{`semver.satisfies('1.4.2', '>=1.2 <2')`, `true`, ""},
		{`semver.satisfies('1.4.2', '^1.5 || 1.4.x')`, `true`, ""},
		{`semver.satisfies('2.0.0-rc.1', '^1.2')`, `false`, ""},
		{`semver.satisfies('1.9.0-rc.1', '^1.2')`, `false`, ""},
		{`semver.satisfies('1.2.0-rc.2', '>=1.2.0-rc.1')`, `true`, ""},
		{`semver.satisfies('0.2.9', '^0.2.3')`, `true`, ""},
		{`semver.satisfies('0.3.0', '^0.2.3')`, `false`, ""},
		{`semver.satisfies('0.0.4', '^0.0.3')`, `false`, ""},
		{`semver.satisfies('1.2.9', '~1.2.3')`, `true`, ""},
		{`semver.satisfies('1.3.0', '~1.2.3')`, `false`, ""},
		{`semver.satisfies('1.3.0', '~1')`, `true`, ""},
		{`semver.satisfies('5.0.0', '*')`, `true`, ""},
		{`semver.satisfies('5.0.0', '')`, `true`, ""},
		{`semver.satisfies('5.0.0', '>*')`, `false`, ""},
		{`semver.satisfies('1.4.9', '1.2 - 1.4')`, `true`, ""},
		{`semver.satisfies('1.5.0', '1.2 - 1.4')`, `false`, ""},
		{`semver.satisfies('1.3.0', '>1.2')`, `true`, ""},
		{`semver.satisfies('1.2.5', '>1.2')`, `false`, ""},
		{`semver.satisfies('1.2.5', '>= 1.2')`, `true`, ""},
		{`semver.satisfies('1.2.5', '1.2')`, `true`, ""},
		{`semver.satisfies('1.2.5', '=>1')`, "", "is no comparison"},
		{`semver.satisfies('1.2.5', 'latest')`, "", `range: "latest" is no version`},
		{`semver.satisfies('1.2.5', '1.x.3')`, "", `range: "1.x.3" is no version`},
	})
}

func TestTime(t *testing.T) {
	ask(t, invented(), []question{
		{`time.now()`, `1772625600`, ""},
		{`time.format(time.now())`, `"2026-03-04T12:00:00Z"`, ""},
		{`time.parse('2026-03-04')`, `1772582400`, ""},
		{`time.parse('2026-03-04T12:00:00.5+02:00')`, `1772618400.5`, ""},
		{`time.parse('yesterday')`, `nil`, ""},
		{`time.date(0)`, `{"day":1,"hour":0,"minute":0,"month":1,"second":0,"weekday":4,"year":1970,"yearday":1}`, ""},
		{`time.date(1e300)`, "", "time.date: seconds: the time is not between"},
		{`time.duration('1h30m')`, `5400`, ""},
		{`time.duration('2d')`, `172800`, ""},
		{`time.duration('1.5h')`, `nil`, ""},
		{`time.duration('90')`, `nil`, ""},
	})
}

func TestHash(t *testing.T) {
	ask(t, invented(), []question{
		{`hash.sha256('abc')`, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`, ""},
		{`hash.sha1('abc')`, `"a9993e364706816aba3e25717850c26c9cd0d89d"`, ""},
		{`hash.md5('abc')`, `"900150983cd24fb0d6963f7d28e17f72"`, ""},
		{`#hash.sha512('')`, `128`, ""},
	})
}

// TestLongDomainsHaveTheirPrice, as all texts do that a function reads.
func TestLongDomainsHaveTheirPrice(t *testing.T) {
	l := newLab(t, invented())
	steps := func(domain string) int64 {
		_, steps, err := l.do("local d = " + domain + " return url.within('http://a.example', d)")
		require.NoError(t, err)
		return steps
	}
	built := steps("('a'):rep(1000000) d = 'x'")
	require.Greater(t, steps("('a'):rep(1000000)"), built+50_000)
}
