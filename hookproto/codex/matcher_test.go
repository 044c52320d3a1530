package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

func TestMatcher(t *testing.T) {
	tests := []struct {
		matcher, subject string
		want             bool
	}{
		{"", "Bash", true},
		{"*", "Bash", true},
		{"Bash", "Bash", true},
		{"Bas", "Bash", false},
		{"bash", "Bash", false},
		{"Edit|Bash", "Bash", true},
		{"Edit | Bash", "Bash", false},
		{"Edit,Bash", "Bash", false},
		{" Bash ", "Bash", false},
		{"mcp__rig", "mcp__rig__echo", false},
		{"mcp__rig__.*", "mcp__rig__echo", true},
		{"as.", "Bash", true},
		{"^as", "Bash", false},
		{"Bas.*", "Bash", true},
		{"(?i)bash", "Bash", true},
		{"exec_command", "Bash", false},
		{"Edit", "apply_patch", true},
		{"Write", "apply_patch", true},
		{"^(Edit|Write)$", "apply_patch", true},
		{"MultiEdit", "apply_patch", false},
		{"Bash", "apply_patch", false},
		{"Agent", "spawn_agent", true},
		{"Task", "spawn_agent", false},
		{`\u0042ash.?`, "Bash", true},
		{`(?<n.x>B)ash`, "Bash", true},
		{"(?u)B", "Bash", true},
		{"a**.", "Bash", true},
		{"(?:s|x)++h", "Bash", true},
		{"^B(a{1}){1}sh$", "Bash", true},
		{"a{1, 2}s", "Bash", true},
		{`^\w+$`, "Bash", true},
		{`[+\-/]`, "a-b", true},
		{`[[:alpha:]]+x?`, "Bash", true},
	}
	for _, test := range tests {
		t.Run(test.matcher+" "+test.subject, func(t *testing.T) {
			h := hookproto.Handler{Event: "PreToolUse", Matcher: &test.matcher}
			got, err := codex.Dialect{}.Matches(h, test.subject)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
	got, err := codex.Dialect{}.Matches(hookproto.Handler{Event: "PreToolUse"}, "Bash")
	require.NoError(t, err)
	require.True(t, got)
	odd := "["
	got, err = codex.Dialect{}.Matches(hookproto.Handler{Event: "Stop", Matcher: &odd}, "")
	require.NoError(t, err)
	require.True(t, got, "Stop ignores its matcher")
}

// What cannot be honoured fits nothing and says so; it is told apart from what
// the client refuses too.
func TestRefusedPatterns(t *testing.T) {
	tests := []struct {
		pattern string
		ours    bool
	}{
		{"^(?!Bash).*", false},
		{"(?<=B)ash", false},
		{`(a)\1`, false},
		{"[", false},
		{"a(", false},
		{"a)", false},
		{"*a", false},
		{"a{2", false},
		{"a{,3}", false},
		{"a{3,2}", false},
		{`\y`, false},
		{`\Qa\E`, false},
		{`[\d-z]`, false},
		{"(?z)a", false},
		{"(?P<a>x)(?P<a>y)", false},
		{"(a{1000}){1000}", false},
		{`\w{300}`, false},
		{"[a[b]]", true},
		{"[a-z&&[^b]]", true},
		{"[a-z--b]", true},
		{"(?x) a", true},
		{"(?-u)a.", true},
		{`\<Bash`, true},
		{`\b{start}B`, true},
		{`\p{Alphabetic}`, true},
		{"a{2000}", true},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			got, err := codex.Dialect{}.Matches(hookproto.Handler{Event: "PreToolUse", Matcher: &test.pattern}, "Bash")
			require.False(t, got)
			var refused *codex.PatternError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, test.ours, refused.Ours, refused.Error())
		})
	}
	word := `^\w+$`
	_, err := codex.Dialect{}.Matches(hookproto.Handler{Event: "PreToolUse", Matcher: &word}, "Bäsh")
	require.ErrorContains(t, err, "not ASCII")
}

func FuzzMatcher(f *testing.F) {
	for _, seed := range []string{"Bash", "a.*", "[a[b]]", `\w{3}`, "(?i)x", "a{2,3}?", "((", `\p{Greek}`, "a|*"} {
		f.Add(seed, "Bash")
	}
	f.Fuzz(func(t *testing.T, matcher, subject string) {
		got, err := codex.Dialect{}.Matches(hookproto.Handler{Event: "PreToolUse", Matcher: &matcher}, subject)
		if err != nil && got {
			t.Fatal("fits in spite of", err)
		}
	})
}
