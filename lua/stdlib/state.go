package stdlib

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// ErrStateUses is the limit on how often one run may use its state: each use is a
// transaction. No script can catch it.
const ErrStateUses = luavm.Limit("too many uses of the state: a run may have 64")

const maxStateUses = 64

// A store is the entries of one scope, as a script sees them.
type store struct {
	name  string // as messages call it
	field string // of the payload's session that identifies it
}

func storeClass() Class {
	key := Field{"key", "string", ""}
	ttl := Field{"ttl?", "number", "after how many seconds it is forgotten; else it stays"}
	return Class{
		Name: "dsh.state.Store", Doc: "Values under keys. Each method is one transaction.",
		Methods: []Function{
			{Name: "get", Doc: "Returns a value, or nil. A table cannot be changed; json.thaw copies it.", Params: []Field{key}, Returns: []Field{{"", "any", ""}}, Call: stateGet},
			{Name: "set", Doc: "Sets a value: anything that JSON can say but null. Without ttl it stays.", Params: []Field{key, {"value", "any", ""}, ttl}, Call: stateSet},
			{Name: "incr", Doc: "Adds to a number, which is 0 if it is not there, and returns the sum. The ttl counts from when the number is made and is not renewed: it is the length of a window in which things are counted.", Params: []Field{key, {"by?", "number", "1 if left out"}, ttl}, Returns: []Field{{"", "number", ""}}, Call: stateIncr},
			{Name: "ttl", Doc: "Returns after how many seconds a value is forgotten; nil if it is not there or stays. With seconds it sets that first, if the value is there.", Params: []Field{key, {"seconds?", "number", ""}}, Returns: []Field{{"", "number?", ""}}, Call: stateTTL},
			{Name: "delete", Doc: "Removes a value and reports whether it was there.", Params: []Field{key}, Returns: []Field{{"", "boolean", ""}}, Call: stateDelete},
			{Name: "keys", Doc: "Returns the keys, sorted.", Params: []Field{{"prefix?", "string", "that they begin with"}}, Returns: []Field{{"", "string[]", ""}}, Call: stateKeys},
		},
	}
}

func stateModule() Module {
	return Module{
		Name: "state",
		Doc: "What a policy remembers from one event to the next, although each hook is a process of its own: `state.session` for as long as the session, `state.project` for all sessions of a project. " +
			"A policy has its own entries, which no other file sees. Parallel hooks do not lose each other's changes, and what a method has done survives a crash. " +
			"Where the state cannot be had within 250 ms, the method fails, and with it the policy, which then denies. " +
			"A store has at most 1,000 keys of 256 bytes, values of 8 KiB, and 128 KiB in all; a run may use it 64 times. A store that nobody changed for 30 days is forgotten.",
		Classes: []Class{storeClass()},
		Fields: []Field{
			{"session", "dsh.state.Store", "What belongs to the session of the payload."},
			{"project", "dsh.state.Store", "What belongs to its project."},
		},
		Open: func(e *Env) map[string]lua.LValue {
			class := storeClass()
			return map[string]lua.LValue{
				"session": e.Object(class, store{"state.session", "id"}, nil),
				"project": e.Object(class, store{"state.project", "project"}, nil),
			}
		},
	}
}

var (
	errNoState   = errors.New("this host keeps no state")
	errNoPayload = errors.New("state is for handlers; a file that is loaded belongs to no session")
)

// maxScopeID is the limit on what identifies a session or a project, in bytes.
const maxScopeID = 8 << 10

// scope names what a store is about: the policies of others do not see it.
func (c *Call) scope() (string, error) {
	s, ok := c.Self.(store)
	if !ok || c.Payload().IsAbsent() {
		return "", errNoPayload
	}
	id := c.session(s.field)
	if id == "" {
		return "", fmt.Errorf("the client does not tell session.%s", s.field)
	}
	if len(id) > maxScopeID {
		return "", fmt.Errorf("session.%s: %d bytes; state is kept for at most %d", s.field, len(id), maxScopeID)
	}
	return Shelf{strings.TrimPrefix(s.name, "state."), id, c.run.Script}.scope(), nil
}

const stepsPerTransaction = 500

// transact runs f in one transaction on the store.
func (c *Call) transact(change bool, f func(*shelf) error) error {
	scope, err := c.scope()
	if err != nil {
		return err
	}
	state := c.Services().State
	if state == nil {
		return errNoState
	}
	if c.stateUses++; c.stateUses > maxStateUses {
		c.vm.Stop(c.L, ErrStateUses)
	}
	c.Charge(stepsPerTransaction)
	now, known := c.Now()
	run := state.View
	if change {
		run = state.Update
	}
	c.vm.Outside(func() {
		err = run(c.Context(), scope, func(entries Entries) error {
			return f(&shelf{entries: entries, now: now, timed: known})
		})
	})
	return err
}

func stateGet(c *Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	var found item
	if err := c.transact(false, func(s *shelf) (err error) { found, _, err = s.get(key); return err }); err != nil {
		return err
	}
	return c.Return(c.vm.Freeze(found.doc, nil, nil))
}

var errNilValue = errors.New("value: want what JSON can say, got nil; delete removes a key")

func stateSet(c *Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	if c.Arg(2) == lua.LNil || c.Arg(2) == c.vm.Null() {
		return errNilValue
	}
	doc, err := c.Value(2, "value")
	if err != nil {
		return err
	}
	ttl, err := c.ttl(3)
	if err != nil {
		return err
	}
	return c.transact(true, func(s *shelf) error { return s.put(key, item{doc: doc}, ttl) })
}

func stateIncr(c *Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	by := 1.0
	if n, ok := c.Arg(2).(lua.LNumber); ok {
		by = float64(n)
	}
	ttl, err := c.ttl(3)
	if err != nil {
		return err
	}
	var sum float64
	if err := c.transact(true, func(s *shelf) (err error) { sum, err = s.add(key, by, ttl); return err }); err != nil {
		return err
	}
	return c.Return(lua.LNumber(sum))
}

func stateTTL(c *Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	ttl, err := c.ttl(2)
	if err != nil {
		return err
	}
	var left float64
	if err := c.transact(ttl > 0, func(s *shelf) (err error) { left, err = s.left(key, ttl); return err }); err != nil {
		return err
	}
	if left == 0 {
		return c.Return(lua.LNil)
	}
	return c.Return(lua.LNumber(left))
}

func stateDelete(c *Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	var was bool
	if err := c.transact(true, func(s *shelf) (err error) { was, err = s.remove(key); return err }); err != nil {
		return err
	}
	return c.Return(lua.LBool(was))
}

func stateKeys(c *Call) error {
	var keys []string
	prefix := c.Str(1)
	if err := c.transact(false, func(s *shelf) (err error) { keys, err = s.keys(prefix); return err }); err != nil {
		return err
	}
	return c.Return(c.Texts(keys))
}

// key reads argument 1.
func (c *Call) key() (string, error) {
	key := c.Str(1)
	if key == "" || len(key) > maxKey {
		return "", fmt.Errorf("key: want 1 to %d bytes, got %d", maxKey, len(key))
	}
	return key, nil
}

// ttl reads argument i; 0 if it was left out.
func (c *Call) ttl(i int) (float64, error) {
	n, ok := c.Arg(i).(lua.LNumber)
	if ok && (n <= 0 || n > maxSeconds) {
		return 0, fmt.Errorf("ttl: want a number of seconds above 0 and up to %d", int64(maxSeconds))
	}
	return float64(n), nil
}
