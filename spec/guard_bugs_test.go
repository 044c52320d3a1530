package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Reports of guards that were wrong about a line of shell, each under its id: what
// happened there must not happen with the safety pack.
func TestGuardBugs(t *testing.T) {
	escape := map[string]string{"/home/dev/app/s": "/home/dev/app/a/b/c"}
	tests := []struct {
		id, about, policy, command string
		want                       []string
		links                      map[string]string
	}{
		{"bug-122", "a text in a program of Python is no command", "no-rm-outside", "python3 - <<'PY'\nmsg = \"rm -rf /home/x\"\nPY", []string{"allow", "ask"}, nil},
		{"bug-124", "a rule fires only if its program is there", "no-rm-outside", "command -v foo", []string{"allow"}, nil},
		{"bug-127", "a program in front does not switch a rule off", "no-protected-write", "env python3 -c \"open('/home/dev/.bashrc','a').write('x')\"", []string{"deny", "ask"}, nil},
		{"bug-127", "nor does sudo", "no-protected-write", "sudo tee -a ~/.bashrc", []string{"deny"}, nil},
		{"bug-128", "cd moves the names behind it", "no-protected-write", "cd ~/.ssh && echo k > authorized_keys", []string{"deny"}, nil},
		{"bug-131", "options in a cluster count", "no-verify", "git commit -nm x", []string{"deny"}, nil},
		{"bug-131", "options of the next command do not", "no-verify", "git commit -m x; head -n 5 log", []string{"allow"}, nil},
		{"bug-132", "all commands are looked at", "no-secret-read", "cat .env.example; cat .env", []string{"deny"}, nil},
		{"bug-136", "an assignment or a redirection voids an allow", "allow-git-read", "PATH=/tmp/e:$PATH cat <<EOF > /tmp/e/x\nh\nEOF", []string{"ask", "deny"}, nil},
		{"bug-137", "a newline in quotes is a part of the word", "allow-git-read", "git log --format=\"%h\n%s\"", []string{"allow"}, nil},
		{"bug-140", "cd follows the text of a path, not its links", "no-rm-outside", "cd s/../../.. && rm -rf x", []string{"deny"}, escape},
		{"bug-141", "an option is a whole word", "no-rm-outside", "rm -r ./project-stuff", []string{"allow"}, nil},
		{"bug-142", "a word within an option is no program", "no-sudo", "aws ec2 run-instances --instance-initiated-shutdown-behavior stop", []string{"allow"}, nil},
	}
	for _, test := range tests {
		t.Run(test.id+" "+test.about, func(t *testing.T) {
			c := commandCase{Policy: test.policy, Command: test.command, Cwd: "/home/dev/app", Project: "/home/dev/app"}
			c.FS.Links = test.links
			got, err := c.judge(t.Context())
			require.NoError(t, err)
			require.Contains(t, test.want, got)
		})
	}
}
