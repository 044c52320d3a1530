package luavm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A Shape says which members of a frozen view a script may read. A nil Shape is
// free-form JSON: members that are not there read as nil.
type Shape interface {
	// Field returns the shape of the member named name, which need not be
	// present. The error of a name that no such object can have is raised in
	// the script; it should name the nearest.
	Field(name string) (member Shape, err error)
	// Elem returns the shape of the items, if this is a list.
	Elem() Shape
}

// A view is a list or object that a script can read and not change. It is
// carried by a userdata, which no raw table function can touch, and makes the
// Lua values of its members when they are read.
type view struct {
	vm       *VM
	doc      value.Value // of a view of a source once all of it was asked for
	source   Source      // nil for a view of a document
	shape    Shape
	carry    any
	keys     []string // of an object with members that are not null, sorted; made on demand
	members  []madeView
	room     [1]madeView               // of members, as most views have no more
	index    map[string]*lua.LUserData // of members, once there are many
	elements []*lua.LUserData
	last     madeScalar
	userdata lua.LUserData // what carries it: one allocation for both
}

// A madeView is a member of a view that is one itself, once it has been read.
type madeView struct {
	key string
	ud  *lua.LUserData
}

// A madeScalar is the member without a view that was read last: rules read the same
// one again and again.
type madeScalar struct {
	key string
	v   lua.LValue // nil if there is none
}

// viewState is what a VM remembers during a run about the views it has handed out.
type viewState struct {
	roots   []value.Value
	sources []Source
	marked  map[*lua.LTable]place // tables whose constructor has the marked key
	big     map[string]bool       // texts of numbers that reached Lua as strings

	searched int             // how many roots digits is from
	sourced  int             // how many sources
	digits   map[string]bool // strings of the documents that look like such texts
}

func (s *viewState) reset() {
	clear(s.roots) // do not keep the documents alive
	s.roots = s.roots[:0]
	clear(s.sources)
	s.sources = s.sources[:0]
	clear(s.big)
	clear(s.digits)
	s.searched = 0
	s.sourced = 0
	clear(s.marked)
}

// Freeze returns the read-only view of v that a script gets: v itself for
// scalars, nil for null and absent values, and a view for lists and objects,
// which a script uses like a table. Numbers that a float64 would change reach
// the script as decimal strings and come back as numbers ([Reader]). The view
// costs nothing until it is read and may be handed out only by this VM.
//
// The carry, if not nil, is the Go value that v describes: [Carried] returns it
// when the script hands the view back.
func (vm *VM) Freeze(v value.Value, shape Shape, carry any) lua.LValue {
	vm.views.roots = append(vm.views.roots, v)
	lv := vm.freeze(v, shape)
	if ud, ok := lv.(*lua.LUserData); ok && carry != nil {
		ud.Value.(*view).carry = carry
	}
	return lv
}

func (vm *VM) freeze(v value.Value, shape Shape) lua.LValue {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.Bool()
		return lua.LBool(b)
	case value.Number:
		if f, ok := v.Float(); ok {
			return lua.LNumber(f)
		}
		return vm.bigNumber(v.BigText())
	case value.String:
		s, _ := v.Str()
		return lua.LString(s)
	case value.List, value.Object:
		f := &view{vm: vm, doc: v, shape: shape}
		f.userdata = lua.LUserData{Value: f, Metatable: vm.viewMeta}
		return &f.userdata
	case value.Absent, value.Null:
	}
	return lua.LNil
}

// bigNumber hands out a number as its text.
func (vm *VM) bigNumber(text string) lua.LValue {
	if vm.views.big == nil {
		vm.views.big = map[string]bool{}
	}
	vm.views.big[text] = true
	return lua.LString(text)
}

// wasBig reports whether text was handed out in place of a number. It was not if
// a document of this run also holds the same text as a string: then nobody can
// tell what the script returns.
func (vm *VM) wasBig(text string) bool {
	if !vm.views.big[text] {
		return false
	}
	for ; vm.views.searched < len(vm.views.roots); vm.views.searched++ {
		vm.views.collect(vm.views.roots[vm.views.searched])
	}
	for ; vm.views.sourced < len(vm.views.sources); vm.views.sourced++ {
		vm.views.collect(vm.views.sources[vm.views.sourced].Value())
	}
	return !vm.views.digits[text]
}

// collect remembers the strings within v that could be a number's text. Each
// document is searched once: a script that hands back many large numbers must not
// make every one of them a search.
func (s *viewState) collect(v value.Value) {
	if text, ok := v.Str(); ok && text != "" && strings.Trim(text, "-+.eE0123456789") == "" {
		if s.digits == nil {
			s.digits = map[string]bool{}
		}
		s.digits[text] = true
	}
	for _, item := range v.Items() {
		s.collect(item)
	}
	for _, member := range v.Members() {
		s.collect(member)
	}
}

// manyViews is the number of members from which a map beats a scan.
const manyViews = 16

func viewOf(v lua.LValue) *view {
	if ud, ok := v.(*lua.LUserData); ok {
		if f, ok := ud.Value.(*view); ok {
			return f
		}
	}
	return nil
}

// Carried returns the Go value that was given to [VM.Freeze] for this very view.
func Carried(v lua.LValue) (carry any, ok bool) {
	if f := viewOf(v); f != nil && f.carry != nil {
		return f.carry, true
	}
	return nil, false
}

// ValueOf returns the JSON value that v is a view of, whether v is what Freeze
// returned or a part of it.
func ValueOf(v lua.LValue) (doc value.Value, ok bool) {
	if f := viewOf(v); f != nil {
		return f.whole(), true
	}
	return value.Value{}, false
}

// get returns the member or item with key k.
func (f *view) get(L *lua.LState, k lua.LValue) lua.LValue {
	switch k := k.(type) {
	case lua.LString:
		if !f.isList() {
			return f.member(L, string(k))
		}
	case lua.LNumber:
		if f.isList() {
			if i, ok := toInt(float64(k)); ok && lua.LNumber(i) == k {
				return f.item(i)
			}
			return lua.LNil
		}
	}
	if f.shape != nil {
		return f.member(L, keyText(k)) // an error that names the key
	}
	return lua.LNil
}

func (f *view) member(L *lua.LState, key string) lua.LValue {
	if f.last.v != nil && f.last.key == key {
		return f.last.v
	}
	var shape Shape
	if f.shape != nil {
		var err error
		if extra, ok := f.shape.(Extra); ok {
			if lv := extra.Extra(key); lv != nil {
				return lv
			}
		}
		if shape, err = f.shape.Field(key); err != nil {
			Raise(L, err)
		}
	}
	if made := f.made(key); made != nil {
		return made
	}
	v, source := f.field(key)
	ud := f.within(v, source, shape)
	if ud != nil {
		f.keep(key, ud)
		return ud
	}
	made := f.vm.freeze(v, shape)
	if v.Kind() != value.Number { // a large one is remembered each time
		f.last = madeScalar{key, made}
	}
	return made
}

// made returns the view of a member that has been read before: a node of the
// document is the same Lua value each time.
func (f *view) made(key string) *lua.LUserData {
	if f.index != nil {
		return f.index[key]
	}
	for _, m := range f.members {
		if m.key == key {
			return m.ud
		}
	}
	return nil
}

func (f *view) keep(key string, ud *lua.LUserData) {
	if f.index == nil {
		if f.members == nil {
			f.members = f.room[:0]
		}
		f.members = append(f.members, madeView{key, ud})
		if len(f.members) < manyViews {
			return
		}
		f.index = make(map[string]*lua.LUserData, 2*manyViews)
		for _, m := range f.members {
			f.index[m.key] = m.ud
		}
		f.members = nil
	}
	f.index[key] = ud
}

// item returns item i, from 1.
func (f *view) item(i int) lua.LValue {
	if i < 1 || i > f.length() {
		return lua.LNil
	}
	if f.elements != nil && f.elements[i-1] != nil {
		return f.elements[i-1]
	}
	var shape Shape
	if f.shape != nil {
		shape = f.shape.Elem()
	}
	v, source := f.at(i - 1)
	ud := f.within(v, source, shape)
	if ud == nil {
		return f.vm.freeze(v, shape)
	}
	if f.elements == nil {
		f.elements = make([]*lua.LUserData, f.length())
	}
	f.elements[i-1] = ud
	return ud
}

// length is what the # operator gives: the number of items of a list.
func (f *view) length() int {
	switch {
	case !f.isList():
		return 0
	case f.source != nil:
		return f.source.Len()
	}
	return f.doc.Len()
}

// size counts the members that are not null.
func (f *view) size() (n int) {
	for _, member := range f.whole().Members() {
		if member.Kind() != value.Null {
			n++
		}
	}
	return n
}

func (f *view) sortedKeys(L *lua.LState) []string {
	if doc := f.whole(); f.keys == nil && doc.Len() > 0 {
		f.vm.spend(L, doc.Len())
		f.keys = make([]string, 0, doc.Len())
		for key, v := range doc.Members() {
			if v.Kind() != value.Null {
				f.keys = append(f.keys, key)
			}
		}
		slices.Sort(f.keys)
	}
	return f.keys
}

// next continues a traversal after key k: the keys of an object in order, the
// items of a list from the first. Members that are null are left out, as they
// read as nil. ok is false if k is no key of f.
func (f *view) next(L *lua.LState, k lua.LValue) (key, v lua.LValue, ok bool) {
	if f.isList() {
		return f.nextItem(L, k)
	}
	keys := f.sortedKeys(L)
	i := 0
	if k != lua.LNil {
		name, isString := k.(lua.LString)
		at, found := slices.BinarySearch(keys, string(name))
		if !isString || !found {
			return nil, nil, false
		}
		i = at + 1
	}
	if i >= len(keys) {
		return lua.LNil, lua.LNil, true
	}
	return lua.LString(keys[i]), f.member(L, keys[i]), true
}

func (f *view) nextItem(L *lua.LState, k lua.LValue) (key, v lua.LValue, ok bool) {
	i := 0
	if k != lua.LNil {
		n, isNumber := k.(lua.LNumber)
		if i, ok = toInt(float64(n)); !isNumber || !ok || lua.LNumber(i) != n || i < 1 || i > f.length() {
			return nil, nil, false
		}
	}
	for ; i < f.length(); i++ {
		f.vm.spend(L, 1)
		if v := f.item(i + 1); v != lua.LNil {
			return f.vm.count(i + 1), v, true
		}
	}
	return lua.LNil, lua.LNil, true
}

// openViews makes the metatable that all views of the VM share.
func (vm *VM) openViews() {
	L := vm.state
	meta := L.CreateTable(0, 4)
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		f := viewOf(L.Get(1))
		if f == nil {
			return 0
		}
		L.Push(f.get(L, L.Get(2)))
		return 1
	}))
	meta.RawSetString("__newindex", L.NewFunction(func(L *lua.LState) int {
		denyFrozen(L, L.Get(2))
		return 0
	}))
	meta.RawSetString("__len", L.NewFunction(func(L *lua.LState) int {
		if f := viewOf(L.Get(1)); f != nil {
			L.Push(lua.LNumber(f.length()))
			return 1
		}
		return 0
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	vm.viewMeta = meta
}

func denyFrozen(L *lua.LState, key lua.LValue) {
	L.RaiseError("attempt to modify a frozen table (key '%s')", keyText(key))
}

// keyText names a key in a message.
func keyText(k lua.LValue) string {
	switch k := k.(type) {
	case lua.LString:
		return shorten(string(k))
	case lua.LNumber:
		return numberText(k)
	case lua.LBool:
		return k.String()
	}
	return typeName(k)
}

// Thaw returns an ordinary table that is a deep copy of the view v, so that a
// script can change it; any other value is returned as it is. Null items of lists
// become [VM.Null], lest the list have holes; null members are left out. Thaw
// charges for what it copies and must be called from within a host function.
func (vm *VM) Thaw(v lua.LValue) lua.LValue {
	f := viewOf(v)
	if f == nil {
		return v
	}
	return vm.thaw(f.whole())
}

func (vm *VM) thaw(doc value.Value) lua.LValue {
	if doc.Kind() != value.List && doc.Kind() != value.Object {
		return vm.freeze(doc, nil)
	}
	L := vm.state
	vm.spend(L, 1+doc.Len())
	vm.built(L, 64+64*doc.Len())
	if doc.Kind() == value.List {
		t := L.CreateTable(doc.Len(), 0)
		for i, item := range doc.Items() {
			v := vm.thaw(item)
			if v == lua.LNil {
				v = vm.null
			}
			t.RawSetInt(i+1, v)
		}
		if doc.Len() == 0 {
			vm.MarkList(t)
		}
		return t
	}
	t := L.CreateTable(0, doc.Len())
	for key, member := range doc.Members() {
		if v := vm.thaw(member); v != lua.LNil {
			t.RawSetString(key, v)
		}
	}
	return t
}

// shortJSON is the beginning of the JSON text of doc, for messages.
func shortJSON(doc value.Value) string {
	if doc.Len() > maxRendered*maxRendered {
		return fmt.Sprintf("%s of %d", doc.Kind(), doc.Len())
	}
	return shorten(doc.String())
}
