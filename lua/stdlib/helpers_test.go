package stdlib_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// noon is the time of the event in these tests.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// payload is what handlers of these tests are called with.
const payload = `{"session": {"id": "s1", "cwd": "/home/dev/app/sub", "project": "/home/dev/app"}}`

// A lab runs pieces of Lua with the modules, as handlers of one script.
type lab struct {
	vm  *luavm.VM
	env *stdlib.Env
	run stdlib.Run
}

func newLab(t testing.TB, services stdlib.Services) *lab {
	t.Helper()
	doc, err := value.ParseString(payload)
	require.NoError(t, err)
	vm := luavm.New(luavm.Options{Limits: luavm.Limits{Wall: -1}})
	t.Cleanup(vm.Close)
	l := &lab{vm: vm, env: stdlib.NewEnv(vm), run: stdlib.Run{Services: services, Script: "test.lua", Payload: doc}}
	vm.Define("require", vm.Func("require", func(L *lua.LState) int {
		L.Push(l.env.Require(L.ToString(1)))
		return 1
	}))
	return l
}

// invented are the services of most tests.
func invented() stdlib.Services {
	return stdlib.Services{
		FS: stdlib.Links{"/home/dev/app/out": "/srv/out", "/home/dev/app/loop": "loop"}, Home: "/home/dev",
		Clock: func(context.Context) time.Time { return noon }, State: new(stdlib.Memory),
	}
}

// preamble names every module.
func preamble() string {
	var b strings.Builder
	for _, name := range stdlib.Names() {
		if strings.Contains(name, "-") {
			continue
		}
		b.WriteString("local " + name + " = require '" + name + "' ")
	}
	return b.String()
}

// do runs a chunk and returns its first result as JSON, and the steps it took.
func (l *lab) do(source string) (result string, steps int64, err error) {
	p, err := luavm.Compile("test.lua", preamble()+source, luavm.CompileOptions{Globals: []string{"require"}})
	if err != nil {
		return "", 0, err
	}
	l.env.Begin(l.run)
	if err := l.vm.Begin(context.Background()); err != nil {
		return "", 0, err
	}
	defer func() { steps = l.vm.End() }()
	rets, err := l.vm.Exec(p, l.vm.Env())
	if err != nil {
		return "", 0, err
	}
	if len(rets) == 0 || rets[0] == lua.LNil {
		return "nil", 0, nil
	}
	doc, err := l.vm.ToValue("result", rets[0])
	return string(doc.AppendJSON(nil)), 0, err
}

// A question is an expression and the JSON of its value, or a part of the error.
type question struct{ expression, want, wantErr string }

func (q question) put(t *testing.T, l *lab) {
	t.Helper()
	t.Run(q.expression, func(t *testing.T) {
		source := q.expression
		if !strings.Contains(source, "return ") && !strings.HasPrefix(source, "for ") {
			source = "return " + source
		}
		got, _, err := l.do(source)
		if q.wantErr != "" {
			require.ErrorContains(t, err, q.wantErr)
			return
		}
		require.NoError(t, err)
		require.Equal(t, q.want, got)
	})
}

func ask(t *testing.T, services stdlib.Services, questions []question) {
	t.Helper()
	l := newLab(t, services)
	for _, q := range questions {
		q.put(t, l)
	}
}

// files is an invented file system of the given texts, by absolute path.
func files(texts map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range texts {
		all[strings.TrimPrefix(name, "/")] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}
