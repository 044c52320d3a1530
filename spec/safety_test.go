package spec_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const project = "/home/dev/app"

// caller is the session of the calls in these tests.
var caller = session.Ref{ID: "s", Cwd: project, Project: project}

// answer puts an action to a policy of the pack.
func answer(t *testing.T, policy string, action tool.Action, grants ...point.Grant) tool.PreDecision {
	t.Helper()
	return answerCall(t, policy, tool.Call{ID: "t", Tool: "T", Action: action, Session: caller}, grants...)
}

func answerCall(t *testing.T, policy string, call tool.Call, grants ...point.Grant) tool.PreDecision {
	t.Helper()
	registry, err := commandCase{Policy: policy, Cwd: project, Project: project}.install(t.Context(), grants...)
	require.NoError(t, err)
	d, err := tool.PreExecute.Run(t.Context(), point.Run{Handlers: registry}, call)
	require.NoError(t, err)
	return d
}

// A search may be for lines of the files with some name, in a folder that is harmless.
func TestSafetyPackOnNamesSearched(t *testing.T) {
	for names, want := range map[string]string{
		".env": "deny", "**/.env": "deny", ".env*": "ask", ".{env,x}": "ask", "*.go": "allow", ".env.example": "allow", "*": "allow",
	} {
		action := tool.Search{Pattern: "KEY", Files: []tool.File{{Path: project, Real: project, Change: tool.ChangeRead}}}
		call := tool.Call{ID: "t", Tool: "T", Action: action, Session: caller, Arguments: value.OfObject(value.Member{Key: "glob", Value: value.OfString(names)})}
		require.Equal(t, want, kindOf(answerCall(t, "no-secret-read", call)), names)
	}
}

func kindOf(d tool.PreDecision) string {
	switch d := d.(type) {
	case tool.Allow:
		if d.Preapproved {
			return "preapproved"
		}
		return "allow"
	case tool.Deny:
		return "deny"
	case tool.Ask:
		return "ask"
	}
	return ""
}

// Tools that read and change files are judged as commands that do.
func TestSafetyPackOnFiles(t *testing.T) {
	at := func(change tool.Change, path string) []tool.File {
		return []tool.File{{Path: path, Real: path, Change: change}}
	}
	link := []tool.File{{Path: project + "/notes", Real: "/home/dev/.bashrc", Change: tool.ChangeEdit}}
	tests := []struct {
		name, policy string
		action       tool.Action
		want         string
	}{
		{"secrets", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, project+"/.env")}, "deny"},
		{"a template", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, project+"/.env.example")}, "allow"},
		{"a private key", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, "/home/dev/.ssh/id_rsa")}, "deny"},
		{"a public key", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, "/home/dev/.ssh/id_rsa.pub")}, "allow"},
		{"credentials", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, "/home/dev/.aws/credentials")}, "deny"},
		{"a certificate", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, project+"/ca.pem")}, "ask"},
		{"source code", "no-secret-read", tool.Read{Files: at(tool.ChangeRead, project+"/env.go")}, "allow"},
		{"a link to secrets", "no-secret-read", tool.Read{Files: []tool.File{{Path: project + "/a", Real: project + "/.env", Change: tool.ChangeRead}}}, "deny"},
		{"a path that leads nowhere", "no-secret-read", tool.Read{Files: []tool.File{{Path: project + "/a", Change: tool.ChangeRead}}}, "ask"},
		{"half a call", "no-secret-read", tool.Read{Partial: true}, "ask"},
		{"the second of two", "no-secret-read", tool.Read{Files: append(at(tool.ChangeRead, project+"/a"), at(tool.ChangeRead, project+"/.env.local")...)}, "deny"},
		{"a search in secrets", "no-secret-read", tool.Search{Pattern: "KEY", Files: at(tool.ChangeRead, project+"/.env")}, "deny"},
		{"a search among keys", "no-secret-read", tool.Search{Pattern: "KEY", Files: at(tool.ChangeRead, "/home/dev/.ssh")}, "ask"},
		{"a search in the project", "no-secret-read", tool.Search{Pattern: "KEY", Files: at(tool.ChangeRead, project)}, "allow"},
		{"to write secrets shows none", "no-secret-read", tool.Write{Files: at(tool.ChangeWrite, project+"/.env")}, "allow"},

		{"a start-up file", "no-protected-write", tool.Write{Files: at(tool.ChangeWrite, "/home/dev/.bashrc")}, "deny"},
		{"an edit of one", "no-protected-write", tool.Edit{Files: at(tool.ChangeEdit, "/home/dev/.zshrc")}, "deny"},
		{"its deletion", "no-protected-write", tool.Delete{Files: at(tool.ChangeDelete, "/home/dev/.profile")}, "deny"},
		{"a hook of git", "no-protected-write", tool.Write{Files: at(tool.ChangeCreate, project+"/.git/hooks/pre-commit")}, "deny"},
		{"a neighbour of .git", "no-protected-write", tool.Edit{Files: at(tool.ChangeEdit, project+"/.gitignore")}, "allow"},
		{"keys that may log in", "no-protected-write", tool.Write{Files: at(tool.ChangeWrite, "/home/dev/.ssh/authorized_keys")}, "deny"},
		{"the guard", "no-protected-write", tool.Edit{Files: at(tool.ChangeEdit, project+"/.claude/settings.json")}, "deny"},
		{"a policy", "no-protected-write", tool.Delete{Files: at(tool.ChangeDelete, project+"/.dsh/policies/a.lua")}, "deny"},
		{"a link to a start-up file", "no-protected-write", tool.Edit{Files: link}, "deny"},
		{"source code", "no-protected-write", tool.Write{Files: at(tool.ChangeCreate, project+"/a.go")}, "allow"},
		{"what is only read", "no-protected-write", tool.Edit{Files: append(at(tool.ChangeRead, "/home/dev/.bashrc"), at(tool.ChangeEdit, project+"/a.go")...)}, "allow"},
		{"half a patch", "no-protected-write", tool.Edit{Files: at(tool.ChangeEdit, project+"/a.go"), Partial: true}, "ask"},
		{"a path that leads nowhere", "no-protected-write", tool.Write{Files: []tool.File{{Path: project + "/a", Change: tool.ChangeWrite}}}, "ask"},
		{"to read is not to write", "no-protected-write", tool.Read{Files: at(tool.ChangeRead, "/home/dev/.bashrc")}, "allow"},
	}
	for _, test := range tests {
		t.Run(test.policy+" "+test.name, func(t *testing.T) {
			require.Equal(t, test.want, kindOf(answer(t, test.policy, test.action)))
		})
	}
}

// Without the grant allow-git-read spares no question and denies nothing: it has no
// opinion of the lines that it would let run, and asks about the same others.
func TestAllowGitReadWithoutGrant(t *testing.T) {
	for line, want := range map[string][2]string{
		"git status":   {"preapproved", "allow"},
		"ls && cat a":  {"preapproved", "allow"},
		"git push":     {"ask", "ask"},
		"cat /etc/a":   {"ask", "ask"},
		"git log > a":  {"ask", "ask"},
		"echo 'broken": {"ask", "ask"},
	} {
		action := tool.Shell{Command: line, Cwd: project}
		require.Equal(t, want[0], kindOf(answer(t, "allow-git-read", action, tool.Preapprove)), line)
		require.Equal(t, want[1], kindOf(answer(t, "allow-git-read", action)), line)
	}
}

func TestAllowGitReadTellsThatItHasNoGrant(t *testing.T) {
	told := func(grants ...point.Grant) []string {
		registry, err := commandCase{Policy: "allow-git-read"}.install(t.Context(), grants...)
		require.NoError(t, err)
		live := session.NewEffects(session.EffectTell)
		run := point.Run{Handlers: registry}
		require.NoError(t, agent.OnSessionStart.Run(t.Context(), run, agent.Started{Session: caller, Source: "startup", Live: live}))
		return live.Told()
	}
	require.Len(t, told(), 1)
	require.Contains(t, told()[0], "preapprove")
	require.Empty(t, told(tool.Preapprove))
}

// denying are the policies of the pack that say no.
var denying = strings.Fields("no-rm-outside no-force-push no-discard-work no-secret-read no-pipe-to-shell no-sudo no-drop-table no-verify no-protected-write")

// rows reads a file of rows with columns that are parted by tabs.
func rows(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "safety", name))
	require.NoError(t, err)
	var list [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.SplitN(line, "\t", columns)
		require.Len(t, row, columns, line)
		row[columns-1] = strings.ReplaceAll(row[columns-1], `\n`, "\n")
		list = append(list, row)
	}
	return list
}

// judges answers lines by a policy of the pack, which has all grants.
func judges(t *testing.T, policy string) func(line string) string {
	t.Helper()
	registry, err := commandCase{Policy: policy, Cwd: project, Project: project}.install(t.Context(), tool.Preapprove)
	require.NoError(t, err)
	return func(line string) string {
		call := tool.Call{ID: "t", Tool: "Bash", Action: tool.Shell{Command: line, Cwd: project}, Session: caller}
		d, err := tool.PreExecute.Run(t.Context(), point.Run{Handlers: registry}, call)
		require.NoError(t, err, line)
		if kind := kindOf(d); kind != "preapproved" {
			return kind
		}
		return "allow"
	}
}

// Ordinary lines are not denied, and few are asked about.
func TestSafetyPackOnOrdinaryLines(t *testing.T) {
	lines := rows(t, "ordinary.tsv", 2)
	for _, policy := range denying {
		judge := judges(t, policy)
		for _, row := range lines {
			want := "allow"
			if slices.Contains(strings.Split(row[0], ","), policy) {
				want = "ask"
			}
			require.Equal(t, want, judge(row[1]), "%s: %s", policy, row[1])
		}
	}
}

// Lines that concern a policy get the answer that its rule says.
func TestSafetyPackOnLines(t *testing.T) {
	judge := map[string]func(string) string{}
	for _, row := range append(rows(t, "lines.tsv", 3), rows(t, "unseen.tsv", 3)...) {
		if judge[row[0]] == nil {
			judge[row[0]] = judges(t, row[0])
		}
		require.Contains(t, strings.Split(row[1], ","), judge[row[0]](row[2]), "%s: %s", row[0], row[2])
	}
}
