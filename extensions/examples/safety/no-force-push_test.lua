local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[git push --force]], [[git push origin +main]], [[git push origin :old]], [[sh -c "git push -f"]] }, function(line)
    expect(judge(line)):denies():rule "no-force-push"
  end)
end)

describe("asks about", function()
  test.cases({ [[git -c alias.p=push p]], [[gh repo delete app]] }, function(line)
    expect(judge(line)):asks():rule "no-force-push"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[git push]], [[git push --force-with-lease]], [[echo git push --force]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git push --force]], [[git push origin +main]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
