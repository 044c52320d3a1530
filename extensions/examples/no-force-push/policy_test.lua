local describe, it, expect = test.describe, test.it, test.expect
local json = require "json"

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("git push", function()
  it("is nothing to speak of", function() expect(judge "git push origin main"):silent() end)

  test.cases({ "git push --force", "git push -fu origin main", "git push origin +main", "git push origin :old" }, function(line)
    expect(judge(line)):denies("can drop commits"):rule "no-force-push"
  end)

  it("may force what nobody has changed since", function()
    expect(judge "git push --force-with-lease"):silent()
  end)
end)

it("is denied in the words of each client", function()
  for _, client in ipairs { "claude-code", "codex" } do
    local answer = test.hook(client, test.shell "git push --force")
    expect(answer):denies "--force"
    expect(answer.exit):equals(0)
    expect(answer.stdout):contains '"permissionDecision":"deny"'
  end
end)

it("does not judge what it cannot see in full", function()
  expect(test.fire("tools/pre-execute", { action = { command = "git push", partial = true } })):asks "plain list"
end)

-- A forced push is never let through, however it is written.
test.property("never passes", { "git push --force", "git push -f origin main", "git push origin +main" }, function(line)
  expect(judge(line).kind):differs "allow"
end)

-- Payloads of the real clients, with what is to come of each.
describe("cases.json", function()
  test.cases(json.decode(test.captured "cases.json"), function(case)
    local answer
    if case.from then
      answer = test.hook(case.from, json.encode(case.payload))
    else
      answer = test.fire(case.point, case.payload)
    end
    expect(answer):is(case.want.kind)
    expect(answer.rule):equals(case.want.rule)
  end)
end)
