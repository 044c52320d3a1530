local describe, it, expect = test.describe, test.it, test.expect
local json = require "json"

local function judge(call) return test.fire("tools/pre-execute", call) end

describe("files", function()
  it("of the project may change", function() expect(judge(test.edit "main.go")):silent() end)

  test.cases({ ".git/config", ".env", "web/.env.local", ".claude/settings.json", "~/.ssh/config", "~/.bashrc" }, function(path)
    for _, call in ipairs { test.write(path), test.edit(path), test.delete(path) } do
      expect(judge(call)):denies "is protected":rule "protected-paths"
    end
    expect(judge(test.read(path))):silent()
  end)

  it("count by where they lead", function()
    test.files { notes = { link = ".git/hooks/pre-push" } }
    expect(judge(test.write "notes")):denies "/home/dev/app/.git/hooks/pre-push"
  end)

  it("count each", function()
    expect(judge(test.edit("a.go", ".codex/config.toml"))):denies ".codex"
  end)
end)

describe("a line of the shell", function()
  it("may not change a protected file", function()
    expect(judge(test.shell "rm .env")):denies ".env":rule "protected-paths-shell"
  end)
  it("may read it", function() expect(judge(test.shell "cat .env")):silent() end)
  it("is a question where nobody knows the program", function() expect(judge(test.shell "vim .env")):asks "vim" end)
  it("may not remove the project", function() expect(judge(test.shell "rm -r ..")):denies() end)
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
