package claudecode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

var dialect claudecode.Dialect

func handler(event, matcher string) hookproto.Handler {
	return hookproto.Handler{Event: event, Matcher: &matcher}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		matcher string
		yes, no []string
	}{
		{"", []string{"Bash", ""}, nil},
		{"*", []string{"Bash", ""}, nil},
		{"Edit | Write", []string{"Edit", "Write"}, []string{"Edit ", "EditX", ""}},
		{"Edit,Write", []string{"Edit", "Write"}, []string{"Edit,Write"}},
		{" Bash ", []string{"Bash"}, nil},
		{"Bash|", []string{"Bash"}, []string{"", "Read"}},
		{"|", nil, []string{"", "Bash"}},
		{"Read Bash", nil, []string{"Read", "Bash"}},
		{"Bas", nil, []string{"Bash"}},
		{"my-tool", []string{"my-tool"}, []string{"a-my-tool-b"}},
		{"^Bas", []string{"Bash", "Bastion"}, []string{"aBas"}},
		{".ash", []string{"Bash", "xBash"}, []string{"ash", "\nash"}},
		{"B?sh", []string{"Bash", "sh"}, []string{"Ba"}},
		{"mcp__*", []string{"mcp__x", "mcp_"}, nil},
		{"Bash|Edit*", []string{"Bash", "BashX", "Edi"}, []string{"Ed"}},
		{"^(?!Bash$).*", []string{"Read", "BashX"}, []string{"Bash"}},
		{"(?<=mcp__)fs", []string{"mcp__fs"}, []string{"fs"}},
		{`^(a|b)\1$`, []string{"aa", "bb"}, []string{"ab"}},
		{`^(?:(a)|b)\1$`, []string{"aa", "b"}, []string{"a"}},
		{`\1(a)`, []string{"a"}, nil},
		{`^(?<n>Bash)\k<n>$`, []string{"BashBash"}, []string{"Bash"}},
		{`\k<n>`, []string{"k<n>"}, nil},
		{"^a$", []string{"a"}, []string{"a\n"}},
		{`\w+`, []string{"a"}, []string{"工具"}},
		{`^\W$`, []string{"-", "é"}, []string{"a", "_"}},
		{`^[\W\d]+$`, []string{"-1"}, []string{"a"}},
		{`^\s$`, []string{"\u00a0", "\ufeff"}, []string{"x"}},
		{`\bsh\b`, []string{"a sh", "sh"}, []string{"bash"}},
		{`\Bsh`, []string{"bash"}, []string{"sh"}},
		{"[]", nil, []string{"", "a"}},
		{"^[^]$", []string{"a", "\n"}, []string{""}},
		{"^[a-]$", []string{"a", "-"}, []string{"b"}},
		{`^[\d-z]$`, []string{"5", "-", "z"}, []string{"a"}},
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{"[a-z&&[^b]]", []string{"&]"}, []string{"b"}},
		{"^..$", []string{"😀"}, []string{"😀😀"}},
		{"a{,2}", []string{"a{,2}"}, []string{"aa"}},
		{"^a{2}?$", []string{"aa"}, []string{"a"}},
		{"^x{0,1001}$", []string{strings.Repeat("x", 1001)}, []string{strings.Repeat("x", 1002)}},
		{`\cA`, []string{"\x01"}, nil},
		{`\c!`, []string{`\c!`}, nil},
		{`\x41\u0042\101`, []string{"ABA"}, nil},
		{`\Q.\E`, []string{"QxE"}, []string{"."}},
		{"(?=a)*b", []string{"b"}, nil},
		{"^(a(b)?)+$", []string{"aba"}, []string{"b"}},
	} {
		for fits, subjects := range map[bool][]string{true: test.yes, false: test.no} {
			for _, subject := range subjects {
				got, err := dialect.Matches(handler("PreToolUse", test.matcher), subject)
				require.NoError(t, err, test.matcher)
				require.Equal(t, fits, got, "%q against %q", test.matcher, subject)
			}
		}
	}
}

func TestAlias(t *testing.T) {
	t.Parallel()
	for _, matcher := range []string{"Task", "^Task$", "Tas.*", "Task,Bash", "Agent"} {
		got, err := dialect.Matches(handler("PreToolUse", matcher), "Agent")
		require.NoError(t, err)
		require.True(t, got, matcher)
	}
}

func TestMatchersThatCannotBeHonoured(t *testing.T) {
	t.Parallel()
	for _, matcher := range []string{
		"(", ")", "[", "*x", "+", "?", "a++", "**", `\`, "[z-a]", "a{2,1}", "(?i)bash", "(?i:bash)", "(?P<n>x)", "(?<n>a)(?<n>b)", "(?<1>a)",
		"(?#c)", "(?>a)", `(?<n>a)\k<m>`, "(?<=a)*", "{2}", "^*", "(?'n'a)", "(?", "(?<", "[a",
	} {
		got, err := dialect.Matches(handler("PreToolUse", matcher), "Bash")
		require.False(t, got, matcher)
		var pattern *claudecode.PatternError
		require.ErrorAs(t, err, &pattern, matcher)
	}
	_, err := dialect.Matches(handler("PreToolUse", "^(a+)+$"), strings.Repeat("a", 40)+"!")
	require.ErrorContains(t, err, "takes too long")
	_, err = dialect.Matches(handler("Nope", "x"), "x")
	require.ErrorContains(t, err, "no event")
}

func TestEventsWithoutSubjectIgnoreMatchers(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"Stop", "UserPromptSubmit", "PostToolBatch", "CwdChanged", "TaskCreated"} {
		got, err := dialect.Matches(handler(event, "("), "")
		require.NoError(t, err)
		require.True(t, got)
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("^(?!Bash$).*", "Read")
	f.Add(`(?<n>a)[^\w-]\k<n>{2,}`, "aa")
	f.Fuzz(func(t *testing.T, matcher, subject string) {
		got, err := dialect.Matches(handler("PreToolUse", matcher), subject)
		if err == nil {
			return
		}
		require.False(t, got)
		require.NotContains(t, err.Error(), "cannot be run here", "%q was let through", matcher)
	})
}
