local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[git reset --hard]], [[git clean -fd]], [[git checkout -- .]], [[git stash drop]] }, function(line)
    expect(judge(line)):denies():rule "no-discard-work"
  end)
end)

describe("asks about", function()
  test.cases({ [[git show HEAD:main.go > main.go]], [[git config alias.undo "reset --hard"]] }, function(line)
    expect(judge(line)):asks():rule "no-discard-work"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[git reset HEAD~1]], [[git clean -n]], [[git stash list]], [[echo git reset --hard]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git reset --hard]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
