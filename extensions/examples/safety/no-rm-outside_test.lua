local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[rm -rf /]], [[rm -rf ~]], [[rm -rf ../other]], [[rimraf ../other]], [[sudo rm -rf /etc]] }, function(line)
    expect(judge(line)):denies():rule "no-rm-outside"
  end)
end)

describe("asks about", function()
  test.cases({ [[rm -rf "$DIR"]] }, function(line)
    expect(judge(line)):asks():rule "no-rm-outside"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[rm -rf build]], [[rm -rf /tmp/mine]], [[rm a.txt]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[rm -rf /]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
