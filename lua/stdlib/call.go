package stdlib

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Call is one call of a function. Arguments are counted from 1, without the
// receiver of a method.
type Call struct {
	*Env
	// L is the thread that called.
	L *lua.LState
	// Self is the data of the object whose method is called.
	Self any

	offset  int
	results int
}

var errColon = errors.New("call it with a colon, on the object that has it")

// checks are the types of parameters that are checked before a call; an argument
// of another type is looked at by the function itself.
var checks = []struct {
	name string
	fits func(lua.LValue) bool
}{
	{"string", func(v lua.LValue) bool { _, ok := v.(lua.LString); return ok }},
	{"boolean", func(v lua.LValue) bool { _, ok := v.(lua.LBool); return ok }},
	{"number", func(v lua.LValue) bool { n, ok := v.(lua.LNumber); return ok && finite(float64(n)) }},
	{"integer", isInteger},
	{"any", func(lua.LValue) bool { return true }},
	{"table", func(v lua.LValue) bool { return luavm.TypeName(v) == "table" }},
	{"function", func(v lua.LValue) bool { _, ok := v.(*lua.LFunction); return ok }},
}

// fits returns the check of a type, by default that there is an argument.
func fits(name string) func(lua.LValue) bool {
	for _, check := range checks {
		if check.name == name {
			return check.fits
		}
	}
	return isPresent
}

// maxInteger is how large an integer may be: below it a float has them all.
const maxInteger = 1 << 53

func isInteger(v lua.LValue) bool {
	n, ok := v.(lua.LNumber)
	return ok && float64(n) == math.Trunc(float64(n)) && math.Abs(float64(n)) <= maxInteger
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// check holds the arguments against the declared parameters.
func (c *Call) check(params []parameter, offset int) error {
	c.offset = offset
	open := len(params) > 0 && params[len(params)-1].name == restName
	if c.Len() > len(params) && !open {
		return fmt.Errorf("takes %d arguments, got %d", len(params), c.Len())
	}
	for i, p := range params {
		if p.name == restName {
			for k := i + 1; k <= c.Len(); k++ {
				if !p.fits(c.Arg(k)) {
					return fmt.Errorf("argument %d: want %s, got %s", k, p.want, describe(c.Arg(k)))
				}
			}
			break
		}
		if v := c.Arg(i + 1); !p.fits(v) && (!p.optional || v != lua.LNil) {
			return fmt.Errorf("%s: want %s, got %s", p.name, p.want, describe(v))
		}
	}
	return nil
}

// restName is the name of a last parameter that takes any number of arguments.
const restName = "..."

// A parameter is a declared one, made ready to check arguments.
type parameter struct {
	name, want string
	optional   bool
	fits       func(lua.LValue) bool
}

func parameters(declared []Field) []parameter {
	list := make([]parameter, len(declared))
	for i, f := range declared {
		p := parameter{want: f.Type, fits: fits(f.Type)}
		p.name, p.optional = strings.CutSuffix(f.Name, "?")
		list[i] = p
	}
	return list
}

func isPresent(v lua.LValue) bool { return v != lua.LNil }

// describe names what is wrong with an argument.
func describe(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return "the number " + n.String()
	}
	return luavm.TypeName(v)
}

// Len returns the number of arguments.
func (c *Call) Len() int { return c.L.GetTop() - c.offset }

// Arg returns argument i, or nil.
func (c *Call) Arg(i int) lua.LValue { return c.L.Get(i + c.offset) }

// Str returns argument i if it is a string, else "".
func (c *Call) Str(i int) string {
	s, _ := c.Arg(i).(lua.LString)
	return string(s)
}

// Int returns argument i if it is a number, else otherwise.
func (c *Call) Int(i, otherwise int) int {
	if n, ok := c.Arg(i).(lua.LNumber); ok {
		return int(n)
	}
	return otherwise
}

// Capped returns argument i, a string of at most limit bytes, and charges for
// reading it.
func (c *Call) Capped(i, limit int) (string, error) {
	s := c.Str(i)
	if len(s) > limit {
		return "", fmt.Errorf("argument %d is %d bytes long; it may have %d", i, len(s), limit)
	}
	c.Charge(len(s) / bytesPerStep)
	return s, nil
}

// bytesPerStep is how many bytes are read for the price of one instruction.
const bytesPerStep = 16

// Charge takes n instructions from the budget of the run. If it is used up the
// run ends and Charge does not return.
func (c *Call) Charge(n int) { c.vm.Charge(n) }

// Value reads argument i as JSON; name is how errors call it.
func (c *Call) Value(i int, name string) (value.Value, error) {
	r := c.vm.Reader(name)
	v, err := r.Root(c.Arg(i)).Value()
	c.Charge(stepsPerItem * r.Work())
	return v, err
}

// Strings reads argument i, a list of strings or one string alone.
func (c *Call) Strings(i int, name string) ([]string, error) {
	if s, ok := c.Arg(i).(lua.LString); ok {
		return []string{string(s)}, nil
	}
	r := c.vm.Reader(name)
	items, err := r.Root(c.Arg(i)).Items()
	c.Charge(stepsPerItem * (r.Work() + len(items)))
	if err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for k, item := range items {
		if item.Kind() != luavm.KindString {
			return nil, fmt.Errorf("%s: want a string, got %s", item.Path(), item.Kind())
		}
		list[k] = item.Str()
	}
	return list, nil
}

// stepsPerItem is what an item that is read or copied costs.
const stepsPerItem = 4

// Return adds values to the results. It always returns nil, so that it can end a
// function.
func (c *Call) Return(values ...lua.LValue) error {
	for _, v := range values {
		c.L.Push(v)
	}
	c.results += len(values)
	return nil
}

// ReturnText adds a string to the results, charged for.
func (c *Call) ReturnText(s string) error { return c.Return(c.vm.Text(s)) }

// Texts returns a list of strings as a table, charged for.
func (c *Call) Texts(list []string) *lua.LTable {
	t := c.vm.Table(len(list), 0)
	for i, s := range list {
		t.RawSetInt(i+1, c.vm.Text(s))
	}
	c.vm.MarkList(t)
	return t
}

// Table returns a table with the given members, charged for. Members that are nil
// are left out.
func (c *Call) Table(members map[string]lua.LValue) *lua.LTable {
	t := c.vm.Table(0, len(members))
	for name, v := range members {
		if v != nil && v != lua.LNil {
			t.RawSetString(name, v)
		}
	}
	return t
}
