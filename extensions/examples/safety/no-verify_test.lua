local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[git commit --no-verify -m x]], [[git commit -nm x]], [[HUSKY=0 git push]], [[git -c core.hooksPath=/dev/null commit]], [[rm .git/hooks/pre-commit]] }, function(line)
    expect(judge(line)):denies():rule "no-verify"
  end)
end)

describe("asks about", function()
  test.cases({ [[git commit-tree HEAD]] }, function(line)
    expect(judge(line)):asks():rule "no-verify"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[git commit -m "no --no-verify here"]], [[git push]], [[chmod +x .git/hooks/pre-commit]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git commit --no-verify -m x]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
