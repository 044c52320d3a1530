local it, expect = test.it, test.expect

local function rm() return test.fire("tools/pre-execute", test.shell "rm -r build") end

it("asks from the eleventh on", function()
  for _ = 1, 10 do expect(rm()):silent() end
  expect(rm()):asks "11 destructive calls":rule "destructive-rate-shell"
end)

it("counts what tools delete as well", function()
  for i = 1, 10 do expect(test.fire("tools/pre-execute", test.delete("f" .. i))):silent() end
  expect(test.fire("tools/pre-execute", test.delete "last")):asks "11":rule "destructive-rate"
end)

it("forgets after ten minutes", function()
  for _ = 1, 10 do rm() end
  test.advance(601)
  expect(rm()):silent()
end)

it("counts nothing else", function()
  for _ = 1, 30 do expect(test.fire("tools/pre-execute", test.shell "ls -l")):silent() end
  expect(test.kept("session", "destroyed")):equals(nil)
end)
