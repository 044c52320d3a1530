package rule_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/claudecode/rule"
)

func call(tool, field, text string) rule.Call {
	input, _ := json.Marshal(map[string]string{field: text})
	return rule.Call{Tool: tool, Input: input, Cwd: "/proj", Home: "/home/dev"}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule string
		tool string
		text string
		want bool
	}{
		{"", "Bash", "x", true},
		{"Bash", "Bash", "x", true},
		{"Bash(*)", "Bash", "x", true},
		{"Bash(git *)", "Bash", "git status", true},
		{"Bash(git *)", "Bash", "git", true},
		{"Bash(git *)", "Bash", "gitk x", false},
		{"Bash(git *)", "Bash", "echo git status", false},
		{"Bash(git *)", "Bash", "cd . && git status", true},
		{"Bash(git *)", "Bash", "A=1 B=2 git status", true},
		{"Bash(git *)", "Bash", "echo $(git status)", true},
		{"Bash(git *)", "Bash", "echo `git status`", true},
		{"Bash(git *)", "Bash", "true | (git log) > f", true},
		{"Bash(git *)", "Bash", "if x; then git log; fi", true},
		{"Bash(git *)", "Bash", `echo "unterminated`, true},
		{"Bash(git:*)", "Bash", "git status", true},
		{"Bash(git:*)", "Bash", "gitk", false},
		{"Bash(git status)", "Bash", "git status", true},
		{"Bash(git)", "Bash", "git status", false},
		{"Bash(echo.*)", "Bash", "echo x", false},
		{"Bash(git *)", "Write", "git status", false},
		{"Bash(git * main)", "Bash", "git push origin main", true},
		{"Bash(npm run *:*)", "Bash", "npm run x", false},
		{"Write(*.txt)", "Write", "/proj/a.txt", true},
		{"Write(*.txt)", "Write", "/proj/b/a.txt", true},
		{"Write(*.md)", "Write", "/proj/a.txt", false},
		{"Edit(*.txt)", "Write", "/proj/a.txt", false},
		{"Read(src/**)", "Read", "/proj/src/a/b.go", true},
		{"Read(src/**)", "Read", "/other/src/a", false},
		{"Read(/src/*.go)", "Read", "src/a.go", true},
		{"Read(/src/*.go)", "Read", "/proj/src/a/b.go", false},
		{"Read(//etc/**)", "Read", "/etc/passwd", true},
		{"Read(~/.ssh/**)", "Read", "/home/dev/.ssh/id", true},
		{"Read(.env)", "Read", "/proj/x/.env", true},
		{"WebFetch(domain:example.com)", "WebFetch", "https://Example.com/x", true},
		{"WebFetch(domain:example.com)", "WebFetch", "https://a.example.com/x", false},
		{"mcp__fs", "mcp__fs__read", "", true},
		{"mcp__fs", "mcp__fsx__read", "", false},
		{"mcp__fs__*", "mcp__fs__read", "", true},
		{"mcp__fs__read", "mcp__fs__read_all", "", false},
		{"Agent(explorer)", "Agent", "explorer", true},
	} {
		r, err := rule.Parse(test.rule)
		require.NoError(t, err, test.rule)
		field := map[string]string{"Bash": "command", "WebFetch": "url", "Agent": "subagent_type"}[test.tool]
		if field == "" {
			field = "file_path"
		}
		require.Equal(t, test.want, r.Fits(call(test.tool, field, test.text)), "%s against %s %q", test.rule, test.tool, test.text)
	}
}

func TestNoRules(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Bash(", "Bash(git *)|Bash(echo *)x", "(x)", "Ba sh", "TodoWrite(x)"} {
		_, err := rule.Parse(text)
		require.Error(t, err, text)
	}
	r, err := rule.Parse("Bash(git *)|Bash(echo *)")
	if err == nil {
		require.False(t, r.Fits(call("Bash", "command", "echo x")))
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	r, err := rule.Parse("Task(x)")
	require.NoError(t, err)
	c := call("Agent", "subagent_type", "x")
	c.Aliases = []string{"Task"}
	require.True(t, r.Fits(c))
}

func FuzzRule(f *testing.F) {
	f.Add("Bash(git *)", "Bash", `{"command":"cd . && git status"}`)
	f.Add("Write(*.txt)", "Write", `{"file_path":"a.txt"}`)
	f.Fuzz(func(t *testing.T, text, tool, input string) {
		r, err := rule.Parse(text)
		if err == nil {
			r.Fits(rule.Call{Tool: tool, Input: json.RawMessage(input), Cwd: "/p"})
		}
	})
}
