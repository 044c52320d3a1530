// Package scripttest runs tests of policies that are written in Lua themselves.
//
// A file of tests is named NAME_test.lua and judges the policy NAME.lua beside
// it, or those that it names. It runs in a Lua state of its own, with one library
// beyond the language: the table test. The policies run as in production: the
// same compiler, limits, points and checks. A test puts a payload to a point
// ([Fired], from Lua test.fire), the very bytes of a client to its dialect
// (test.hook), or plays a whole session through the agent loop with a scripted
// model (test.session), and says what it expects of the answer.
//
//	dsh.on("tools/pre-execute", { rule = "no-rm" }, ...)     -- no-rm.lua
//
//	test.it("denies rm -rf", function()                      -- no-rm_test.lua
//	  local answer = test.fire("tools/pre-execute", test.shell "rm -rf /")
//	  test.expect(answer):denies("recursive"):rule("no-rm")
//	end)
//
// # What is never a pass
//
// A test that expects nothing fails; so do a file without tests, an expectation
// that is begun and not said, a fault of a policy that nobody expected, and a
// failed expectation that the test swallowed with pcall.
//
// # The world
//
// Policies under test reach nothing of the machine. Their modules see an invented
// file system, clock and state, which begin anew with every test ([Options] says
// nothing of them; tests do).
//
// # Order
//
// Files run in parallel, the tests of one file one after the other. Tests of one
// file share its local variables and nothing else.
package scripttest
