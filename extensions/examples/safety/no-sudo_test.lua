local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[sudo ls]], [[sudo -u root id]], [[bash -c "doas make install"]], [[su -c ls]], [[ls && pkexec true]] }, function(line)
    expect(judge(line)):denies():rule "no-sudo"
  end)
end)

describe("asks about", function()
  test.cases({ [[sudo -u postgres psql]], [[chmod u+s /usr/local/bin/x]] }, function(line)
    expect(judge(line)):asks():rule "no-sudo"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[echo sudo ls]], [[sudo --version]], [[git commit -m "use sudo"]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[sudo ls]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
