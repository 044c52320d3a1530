local describe, it, expect = test.describe, test.it, test.expect

test.grant "preapprove"

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("spares the question about", function()
  test.cases({ "git status", "git log -3 && ls src", "cat main.go | grep -n x", "cd src; wc -l a.go" }, function(line)
    expect(judge(line)):allows():answer { kind = "allow", preapproved = true }
  end)
end)

describe("asks about", function()
  test.cases({ "git push", "cat /etc/passwd", "ls > out", "git -c core.pager=sh log", "FOO=1 ls", "cat $FILE" }, function(line)
    expect(judge(line)):asks():rule "allow-git-read"
  end)
end)

it("asks about what cannot be read", function()
  expect(judge [[git log "]]):asks "cannot be read":rule "allow-git-read"
end)

it("is not fooled by links", function()
  test.files { out = { link = "/etc" } }
  expect(judge "cat out/passwd"):asks "leaves the project"
end)

it("says nothing of its grant where it has it", function() expect(test.fire "agent/session-start"):no_effects() end)
