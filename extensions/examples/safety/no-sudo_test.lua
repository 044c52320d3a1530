local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "sudo ls" },
    { "sudo -u root id" },
    { [[bash -c "doas make install"]] },
    { "su -c ls" },
    { "su -l", "su changes the user to root" },
    { "sudo-rs id" },
    { "ls && pkexec true" },
    { "su - -c ls", "su changes the user to root" },
    { "machinectl shell", "machinectl" },
    { [[osascript -e 'do shell script "ls" with administrator privileges']], "administrator" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-sudo"
  end)
end)

describe("asks about", function()
  test.cases({
    { "sudo -u postgres psql", "user to postgres" },
    { "su - postgres", "user to postgres" },
    { [[sudo -u "$USER" id]], "one that is not known" },
    { "chmod u+s /usr/local/bin/x" },
    { "nsenter -t 1", "may change" },
    { "sudo -l", "runs nothing" },
    { "sudo -v", "runs nothing" },
    { "ansible all -b -m ping", "on other machines" },
    { "alias s='sudo -n'", "hides sudo" },
    { [[python3 -c 'os.system("sudo ls")']], "may use sudo" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-sudo"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    "echo sudo ls",
    "sudo --version",
    [[git commit -m "use sudo"]],
    "chmod +x a.sh",
    "alias l='ls -l'",
    "machinectl list",
    "setpriv -d",
    "ansible all -m ping",
    "python3 -c 'print(1)'",
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[sudo ls]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
