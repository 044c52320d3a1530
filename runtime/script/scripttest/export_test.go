package scripttest

import (
	"testing"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// LimitTests has the tests of files run on other limits until t is done.
func LimitTests(t *testing.T, limits luavm.Limits) {
	t.Helper()
	before := testLimits
	testLimits = limits
	t.Cleanup(func() { testLimits = before })
}
