package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// Limits of what one run does outside of its state. No script can catch them.
const (
	ErrEffects = luavm.Limit("too many effects on the session: a run may have 64, with 262144 bytes of text")
	ErrLog     = luavm.Limit("too much for the log: a run may write 1000 lines, of 262144 bytes together")
)

const (
	maxEffects  = 64
	maxLogLines = 1000
	maxOutside  = 256 << 10 // bytes of text, of either
)

const (
	bytesPerStep = 16 // of a text that leaves the state, for one instruction
	stepsPerItem = 4  // instructions for an item that the library copies
)

// outside counts what a run says to others than its point.
type outside struct {
	effects, effectBytes int
	logLines, logBytes   int
}

// spendEffect charges for an effect with the given text, before it happens.
func (m *machine) spendEffect(L *lua.LState, text string) {
	m.vm.Charge(len(text) / bytesPerStep)
	m.outside.effects++
	m.outside.effectBytes += len(text)
	if m.outside.effects > maxEffects || m.outside.effectBytes > maxOutside {
		m.vm.Stop(L, ErrEffects)
	}
}

// spendLog charges for a line of the log, before it is written.
func (m *machine) spendLog(L *lua.LState, text string) {
	m.vm.Charge(len(text) / bytesPerStep)
	m.outside.logLines++
	m.outside.logBytes += len(text)
	if m.outside.logLines > maxLogLines || m.outside.logBytes > maxOutside {
		m.vm.Stop(L, ErrLog)
	}
}

// spendItems charges for the copy of n items.
func (m *machine) spendItems(n int) { m.vm.Charge(stepsPerItem * (1 + n)) }

// keys returns the node of v and the names of its members, in byte order. It charges
// for all keys that were looked at, also where v turns out not to have names alone.
func (m *machine) keys(what string, v lua.LValue) (*luavm.Node, []string, error) {
	reader := m.vm.Reader(what)
	node := reader.Root(v)
	keys, err := node.Keys()
	m.spendItems(max(len(keys), reader.Work()-1)) // v itself is one of the values
	return node, keys, err
}
