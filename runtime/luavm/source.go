package luavm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A Source is a list or an object of the host that a script sees as a frozen view,
// like JSON, and whose members are made when they are read. It must not change
// while a view of it is in use.
type Source interface {
	// Len is the number of items of a list, and negative for an object.
	Len() int
	// Member returns a member of an object: a Source, or the value of any
	// other, which is absent if there is no such member.
	Member(name string) (value.Value, Source)
	// Item returns item i of a list, from 0, likewise.
	Item(i int) (value.Value, Source)
	// Value returns the whole as JSON, which must agree with the members.
	Value() value.Value
}

// FreezeSource is [VM.Freeze] for a source. Whoever calls it has charged for all
// that the source may make.
func (vm *VM) FreezeSource(s Source, shape Shape) lua.LValue {
	vm.views.sources = append(vm.views.sources, s)
	return vm.viewOfSource(s, shape)
}

func (vm *VM) viewOfSource(s Source, shape Shape) *lua.LUserData {
	f := &view{vm: vm, source: s, shape: shape}
	f.userdata = lua.LUserData{Value: f, Metatable: vm.viewMeta}
	return &f.userdata
}

// SourceOf returns the source that v is a view of, whether v is what FreezeSource
// returned or a part of it.
func SourceOf(v lua.LValue) (s Source, ok bool) {
	if f := viewOf(v); f != nil && f.source != nil {
		return f.source, true
	}
	return nil, false
}

// whole returns the document that f shows.
func (f *view) whole() value.Value {
	if f.source != nil && f.doc.IsAbsent() {
		f.doc = f.source.Value()
	}
	return f.doc
}

func (f *view) isList() bool {
	if f.source != nil {
		return f.source.Len() >= 0
	}
	return f.doc.Kind() == value.List
}

// at returns item i of a list, from 0, as it is not seen by scripts yet.
func (f *view) at(i int) (value.Value, Source) {
	if f.source != nil {
		return f.source.Item(i)
	}
	return f.doc.At(i), nil
}

// field is at for members.
func (f *view) field(key string) (value.Value, Source) {
	if f.source != nil {
		return f.source.Member(key)
	}
	return f.doc.Get(key), nil
}

// within returns the view of a member or an item that is itself a list or an
// object; nil if it is none.
func (f *view) within(v value.Value, s Source, shape Shape) *lua.LUserData {
	if s != nil {
		return f.vm.viewOfSource(s, shape)
	}
	if v.Kind() == value.List || v.Kind() == value.Object {
		return f.vm.freeze(v, shape).(*lua.LUserData)
	}
	return nil
}
