local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "ln -s .git/config l; echo x > l", "repository" },
    { "git clone a .git/a", "repository" },
    { "git rm .claude/settings.json", "guards this agent" },
    { "cp -t ~ a/.zshrc", "every shell" },
    { "cd ~ && curl -O https://x.example/.bashrc", "every shell" },
    { "cd ~ && wget https://x.example/.bashrc?a=b", "every shell" },
    { "gawk -i inplace 1 ~/.bashrc", "every shell" },
    { "diskutil eraseDisk JHFS+ a /dev/disk2", "is a device" },
    { "uniq a .git/config", "repository" },
    { "tar --create -f a; mv a b .git", "repository" },
    { "7z x a.7z -o.git/a", "repository" },
    { "find . -fprint .git/a", "repository" },
    { "sed -n 'w .git/config' a", "repository" },
    { "echo x > .git/config" },
    { "cp x ~/.bashrc" },
    { "cp home/.bashrc ~" },
    { "tee -a ~/.ssh/authorized_keys" },
    { "dd if=x of=/dev/sda" },
    { "echo x > ~/.config/fish/config.fish", "every shell" },
    { "echo x > /Users/dev/.zshrc", "every shell" },
    { "echo x > /root/.profile", "every shell" },
    { "echo x > /srv/home/dev/.profile", "every shell" },
    { "echo x > /etc/profile", "every shell" },
    { "rm -rf .git", "inside of a repository" },
    { "rm -rf ~/.ssh", "who may log in" },
    { "mv .claude/settings.json a", "guards this agent" },
    { "mkfs.ext4 /dev/sdb1", "/dev/sdb1 is a device" },
    { "curl -o ~/.bashrc https://x.example", "every shell" },
    { "wget -O ~/.bashrc https://x.example", "every shell" },
    { "tar xf a.tar -C ~/.ssh", "who may log in" },
    { "unzip a.zip -d .git", "repository" },
    { "sort -o ~/.profile a", "every shell" },
    { "ssh-keygen -f ~/.ssh/id_new", "who may log in" },
    { "chmod 600 ~/.ssh/config", "who may log in" },
    { "sed -i 1d ~/.zshrc", "every shell" },
    { "find .git -delete", "repository" },
    { "cp -t ~/.ssh a", "who may log in" },
    { "mv -t ~/.ssh a", "who may log in" },
    { "rm .git/*", "repository" },
    { "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n*** Move to: .git/config \n@@\n+x\n*** End Patch\nEOF", "repository" },
    { "applypatch '*** Begin Patch\n*** Delete File: .claude/settings.json\n*** End Patch'", "guards this agent" },
    { "cat <<'EOF' | apply_patch\n*** Begin Patch\n*** Add File: /root/.profile\n+x\n*** End Patch\nEOF", "every shell" },
    { "apply_patch <<EOF\n*** Update File: .git/config\n@@\n+$X\nEOF", "repository" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-protected-write"
  end)
end)

describe("asks about", function()
  test.cases({
    { "ssh-copy-id web1", "who may log in" },
    { "rm .b*", "may match .bashrc" },
    { "rm */.git/x*", "leads into .git" },
    { [[cd "$D" && rm .bashrc]], "where .bashrc is" },
    { "ssh web1 'rm /root/.bashrc'", "another machine" },
    { [[echo x > "$F"]], "what this writes" },
    { [[echo x > "$D/.bashrc"]], "what this writes" },
    { "vim ~/.bashrc", "may be changed" },
    { "docker run -v ~/.ssh:/a b", "may change /home/dev/.ssh" },
    { "docker run --mount type=bind,source=/home/dev/.ssh,target=/a b", "may change /home/dev/.ssh" },
    { "conda init bash", "conda may write" },
    { "chsh -s /bin/zsh", "chsh may write" },
    { "in-turn tee ~/.bashrc", "every shell" },
    { "vim .git/config", "may be changed" },
    { "apply_patch < a.patch", "which files this patches" },
    { [[apply_patch "$P"]], "which files this patches" },
    { [[python3 -c 'open(".bashrc", "w")']], "may write .bashrc" },
    { [[python3 -c 'open(".git/config", "w")']], "protected file" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-protected-write"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    "ln -s a l; echo x > l",
    "ln -s .git/config l; echo x > a",
    "git clone a",
    "cat /dev/sda",
    "fdisk -l /dev/sda",
    "diskutil info /dev/disk2",
    "mount /dev/sda1 a",
    "git rm --cached .claude/settings.json",
    "cp -t a ~/.zshrc",
    "cd ~ && curl https://x.example/.bashrc",
    "cd ~ && wget -O a https://x.example/.bashrc",
    "curl -O https://x.example/a",
    "gawk -f a ~/.bashrc",
    "gawk -i a 1 ~/.bashrc",
    "docker run -v ~/.ssh:/a:ro b",
    "docker run -v ./a:/a b",
    "conda list",
    "find .git -name a",
    "echo x > out.txt",
    "cat .git/config",
    "cp ~/.bashrc copy",
    "echo x > /dev/null",
    "cat < ~/.bashrc",
    "sed 1d ~/.zshrc",
    "chmod +x a.sh",
    "ssh-keygen -l -f ~/.ssh/id.pub",
    "tar tf a.tar -C ~/.ssh",
    "find . -name .git",
    "find a -delete",
    "rm ./*.txt",
    "docker run a rm /root/.bashrc",
    "mkfs.ext4 a.img",
    "vim a.go",
    "jq . .git/config",
    [[echo x > "$D/a.txt"]],
    [[cd "$D" && rm a.txt]],
    "ssh web1 'rm a'",
    "python3 -c 'print(1)'",
    "dd if=/dev/sda of=a.img",
    "rm -rf a/*",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n+x\n*** End Patch\nEOF",
    "cat <<'EOF'\n*** Begin Patch\n*** Update File: .git/config\n*** End Patch\nEOF",
    "apply_patch",
  }, function(line)
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
