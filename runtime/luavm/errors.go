package luavm

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// An Error is a fault of a script: it did not compile, it raised an error, or it
// was stopped. It never holds a memory address or the text of a Go panic in Msg.
type Error struct {
	File   string // name of the program; empty if unknown
	Line   int    // from 1; 0 if unknown
	Column int    // in bytes, from 1; 0 if unknown, as it is for all errors at run time
	Msg    string
	Hint   string  // what to do about it; may be empty
	Cause  error   // a [Limit], the cause of a cancelled context, or the error that a host function raised
	Trace  []Frame // innermost first, at most 12; empty for compile errors
	Stack  []byte  // the Go stack of a contained panic; for the log, never for a reader of Msg
}

// A Frame is one level of a script's call stack.
type Frame struct {
	File string
	Line int
	Name string // of the function as the caller spells it; may be empty
}

// Error returns "file:line:column: message (hint)", without the parts that are unknown.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// A Limit says which bound of a run was hit. The values are the Err constants,
// so that both errors.Is with one of them and errors.As with a Limit work.
type Limit string

func (l Limit) Error() string { return string(l) }

// The limits of a run. None of them can be caught by a script.
const (
	ErrInstructions = Limit("instruction budget used up")
	ErrWall         = Limit("time limit exceeded")
	ErrHeap         = Limit("memory limit exceeded")
	ErrAlloc        = Limit("allocation budget used up")
	ErrString       = Limit("string is too long")
	ErrTable        = Limit("list has too many items")
	ErrDepth        = Limit("calls are nested too deeply")
	ErrRegistry     = Limit("too many values at once")
	ErrPattern      = Limit("pattern is too complex")
)

var (
	// ErrBroken reports a VM that is no longer usable after an internal error.
	ErrBroken = errors.New("the Lua VM is broken and has to be discarded")
	// ErrBusy reports a [VM.Begin] while a run is under way: nested runs need another VM.
	ErrBusy = errors.New("the Lua VM is busy with another run")
	// ErrNoRun reports an [VM.Exec] or [VM.Call] outside of Begin and End.
	ErrNoRun = errors.New("no run has begun on the Lua VM")
)

// errInternal is the message of a contained Go panic; the value goes to the log.
const errInternal = "internal error in the Lua VM"

// quotedPerStep is how many bytes of an error's text take as long as one instruction:
// to quote is slow.
const quotedPerStep = 4

// Raise raises err in the script that called the host function running on L. A
// script can catch it, and tostring gives its text; if it does not, the error
// comes out of [VM.Call] as an [*Error] that unwraps to err. Raise does not return.
func Raise(L *lua.LState, err error) {
	ud := &lua.LUserData{Value: raised{err}, Metatable: lua.LNil}
	if vm := vmOf(L); vm != nil {
		text := len(err.Error()) // it may quote what the script has made
		vm.built(L, text)
		vm.spend(L, text/quotedPerStep)
		ud.Metatable = vm.errorMeta
	}
	L.Error(ud, 0)
}

// raised marks the userdata that carries a Go error through Lua.
type raised struct{ err error }

func raisedBy(v lua.LValue) error {
	if ud, ok := v.(*lua.LUserData); ok {
		if r, ok := ud.Value.(raised); ok {
			return r.err
		}
	}
	return nil
}
