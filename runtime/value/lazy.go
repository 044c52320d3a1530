package value

import (
	"sync"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
)

// A Record is an object that is not JSON yet. It makes members when they are read,
// because most readers look at two of them. It must not change, and must be safe
// for concurrent use.
type Record interface {
	// Member returns the member named key; absent if there is none.
	Member(key string) Value
	// Members returns all members in order. None is absent, no two have one key, and
	// the slice is the caller's.
	Members() []Member
}

// A Room is where a lazy object is kept: a part of its Record, so that both are one
// allocation. It serves once and must not be copied.
type Room struct {
	node node
	lazy lazy
}

// OfLazy returns the JSON object that r is. It keeps r. It is not for other
// modules: a Value is only as fixed as its Record.
func OfLazy(_ raw.Access, r Record, room *Room) Value {
	room.lazy.record = r
	room.node.lazy = &room.lazy
	return Value{kind: Object, node: &room.node}
}

type lazy struct {
	record Record
	once   sync.Once
}

// members returns the members of an object.
func (v Value) members() []Member {
	n := v.node
	if n.lazy != nil {
		n.lazy.once.Do(func() { n.members = n.lazy.record.Members() })
	}
	return n.members
}
