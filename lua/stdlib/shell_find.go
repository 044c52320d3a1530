package stdlib

import (
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

var errLine = errors.New("line: want what shell.parse returns")

// find looks through all commands at once, since to show each of them to a script
// takes longer than to compare it.
func (m *shellReader) find(c *Call) error {
	source, _ := luavm.SourceOf(c.Arg(1))
	line, ok := source.(record[readLine])
	if !ok {
		return errLine
	}
	want := newQuery(c.Str(2), c.Str(3))
	found, perhaps := -1, line.of.Problem != ""
	for i := range line.of.commands {
		c.Charge(stepsPerItem)
		is, may := want.fits(c, &line.of.commands[i])
		perhaps = perhaps || may
		if is && found < 0 {
			found = i
		}
	}
	if found < 0 {
		return c.Return(lua.LNil, lua.LBool(perhaps))
	}
	return c.Return(c.L.GetTable(c.L.GetField(c.Arg(1), "commands"), lua.LNumber(found+1)), lua.LBool(perhaps))
}

// A query is what find is asked for.
type query struct{ name, sub, names string }

func newQuery(program, names string) query {
	name, sub, _ := strings.Cut(strings.TrimSpace(program), " ")
	return query{name, strings.TrimSpace(sub), names}
}

// fits says whether a command is what is asked for, and whether it may be or run that.
func (q query) fits(c *Call, command *readCommand) (is, may bool) {
	may = command.Opaque != ""
	if command.Name != q.name {
		return false, may
	}
	if q.sub == "" && q.names == "" {
		return true, may
	}
	parsed := command.parse()
	if q.sub != "" && parsed.Sub != q.sub {
		return false, may || parsed.Sub == "" && parsed.Unsure
	}
	if q.names == "" {
		return true, may
	}
	_, has := c.option(parsed, q.names)
	return has, may || !has && parsed.Unsure
}
