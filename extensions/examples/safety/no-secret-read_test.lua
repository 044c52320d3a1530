local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[cat .env]], [[base64 ~/.ssh/id_rsa]], [[grep -r key ~/.aws]] }, function(line)
    expect(judge(line)):denies():rule "no-secret-read"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[cat .env.example]], [[ls -l]], [[cat ~/.ssh/id_rsa.pub]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[cat .env]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)

describe("tools", function()
  test.it("may not read a secret", function()
    expect(test.fire("tools/pre-execute", test.read ".env")):denies():rule "no-secret-read-file"
    expect(test.fire("tools/pre-execute", test.read "main.go")):silent()
  end)
  test.it("may not search files whose names may be those of secrets", function()
    local search = { tool = "Grep", arguments = { glob = ".e*" }, action = { kind = "search", pattern = "x", files = { { path = "/home/dev/app", real = "/home/dev/app", change = "read" } } } }
    expect(test.fire("tools/pre-execute", search)):asks():rule "no-secret-read-search"
  end)
  test.it("may not search where secrets are", function()
    local search = { tool = "Grep", arguments = {}, action = { kind = "search", pattern = "x", files = { { path = "/home/dev/.ssh", real = "/home/dev/.ssh", change = "read" } } } }
    expect(test.fire("tools/pre-execute", search)):asks "may hold secrets":rule "no-secret-read-search"
  end)
end)
