package stdlib

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// richLine has commands of which, taken together, every field says something.
const richLine = `f() { x+=1 sudo -u "$u" git -C a commit --amend -m $m 2>>log <<<in; }; ` +
	`if [ -e a ]; then (f | cat) & fi; ssh h ls; python -c "$c" *.go; echo $(date) > s.sh; ./s.sh; bash -c "$y"; for i in 1 2; do $p $i; done; echo "`

// The members of every view are the fields of its class, and all of them are shown
// by some command.
func TestShellViewsAreTheirClasses(t *testing.T) {
	shown := map[string]bool{}
	classes := map[string]Class{}
	for _, class := range shellClasses() {
		classes[class.Name] = class
	}
	var compare func(class Class, s luavm.Source)
	compare = func(class Class, s luavm.Source) {
		if s.Len() >= 0 {
			for i := range s.Len() {
				if _, item := s.Item(i); item != nil {
					compare(class, item)
				}
			}
			return
		}
		whole, rest := s.Value(), s.Value().Len()
		for _, f := range class.Fields {
			name, optional := strings.CutSuffix(f.Name, "?")
			v, inner := s.Member(name)
			require.True(t, wholeOf(v, inner).Equal(whole.Get(name)), "%s.%s", class.Name, name)
			if wholeOf(v, inner).IsAbsent() {
				require.True(t, optional, "%s.%s", class.Name, name)
				continue
			}
			rest--
			shown[class.Name+"."+name] = true
			if inner != nil {
				compare(classes[strings.TrimSuffix(f.Type, "[]")], inner)
			}
		}
		require.Zero(t, rest, "%s: members that the class does not have", class.Name)
	}
	compare(classes["dsh.shell.Line"], lineView(shell.Parse(richLine, shell.Options{Cwd: "/p"})))
	for _, name := range []string{"Line", "Command", "Word", "Option", "Assign", "Redirect", "Input", "Code"} {
		class := classes["dsh.shell."+name]
		for _, f := range class.Fields {
			field := class.Name + "." + strings.TrimSuffix(f.Name, "?")
			require.True(t, shown[field], "%s is shown by no command", field)
		}
	}
}

func TestShellViewsHaveNoOtherMembers(t *testing.T) {
	s := lineView(shell.Parse("a", shell.Options{}))
	v, inner := s.Member("nope")
	require.Equal(t, value.Absent, v.Kind())
	require.Nil(t, inner)
}
