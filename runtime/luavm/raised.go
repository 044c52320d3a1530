package luavm

import lua "github.com/yuin/gopher-lua"

// Raised is the cause of an [Error] that a script raised as a table with a
// message: error{message = "disk full", code = "ENOSPC"}.
type Raised struct {
	Message string
	Name    string // the kind of error; may be empty
	Code    string // for programs; may be empty
}

func (r *Raised) Error() string { return r.Message }

// Coded returns the parts, for hosts that know errors with a code by this method.
func (r *Raised) Coded() (message, name, code string) { return r.Message, r.Name, r.Code }

// raisedTable reads an error object; nil if it is not a table with a message.
func raisedTable(object lua.LValue) *Raised {
	table, ok := object.(*lua.LTable)
	if !ok {
		return nil
	}
	text := func(key string) (string, bool) {
		s, ok := table.RawGetString(key).(lua.LString)
		return string(s), ok
	}
	message, ok := text("message")
	if !ok {
		return nil
	}
	name, _ := text("name")
	code, _ := text("code")
	return &Raised{message, name, code}
}
