local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[echo x > .git/config]], [[cp x ~/.bashrc]], [[cp home/.bashrc ~]], [[tee -a ~/.ssh/authorized_keys]], [[dd if=x of=/dev/sda]] }, function(line)
    expect(judge(line)):denies():rule "no-protected-write"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[echo x > out.txt]], [[cat .git/config]], [[cp ~/.bashrc copy]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[rm .git/config]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)

describe("files", function()
  test.cases({ ".git/hooks/pre-push", "~/.ssh/config", ".claude/settings.json" }, function(path)
    expect(test.fire("tools/pre-execute", test.write(path))):denies():rule "no-protected-write-file"
  end)
  test.it("of the project may be written", function()
    expect(test.fire("tools/pre-execute", test.write "main.go")):silent()
  end)
end)
