local describe, it, expect = test.describe, test.it, test.expect

test.grant "preapprove"

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("spares the question about", function()
  test.cases({ "git status", "git log -3 && ls src", "cat main.go | grep -n x", "cd src; wc -l a.go" }, function(line)
    expect(judge(line)):allows():answer { kind = "allow", preapproved = true }
  end)
end)

describe("asks about", function()
  test.cases({
    { "git push" },
    { "cat /etc/passwd" },
    { "ls > out", "redirects to a file" },
    { "git -c core.pager=sh log", "git -c may run" },
    { "FOO=1 ls", "it sets FOO" },
    { "ls $DIR", "a word of it is not known" },
    { "grep -f words a.txt", "an option of grep" },
    { "git log --output=x", "an option of it" },
    { "git -C /etc status", "leaves the project" },
    { "ls; rm x", "rm is not listed" },
    { "ls | sh", "sh may run anything" },
    { [[f=a; cat "$f"]], "there is more to it" },
    { "cd", "leaves the project" },
    { "cat ~bob/x", "a word of it is not known" },
    { "git branch", "git branch is not listed" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "allow-git-read"
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
