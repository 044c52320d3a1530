local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "git commit --no-verify -m x", "--no-verify" },
    { "git commit -nm x", "git commit -n" },
    { "HUSKY=0 git push", "HUSKY disables" },
    { "git -c core.hooksPath=/dev/null commit", "core.hooksPath" },
    { "rm .git/hooks/pre-commit", "disables a hook" },
    { "chmod -x .git/hooks/pre-commit", "disables a hook" },
    { "find .git/hooks -type f -delete", "deletes hooks" },
    { "overcommit --uninstall", "takes the hooks away" },
    { "lefthook uninstall", "takes the hooks away" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-verify"
  end)
end)

describe("asks about", function()
  test.cases({
    { "git config --unset core.hooksPath", "other hooks run" },
    { "dd of=.git/hooks/pre-commit if=a", "decides what hooks do" },
    { "git commit-tree HEAD", "runs no hooks" },
    { "git am -n a.patch", "git am -n" },
    { "git -c alias.c=status c", "alias.c may hide" },
    { "git -c include.path=a commit", "include.path may change" },
    { "git ci", "may be an alias" },
    { "git commit $ARGS", "may skip hooks" },
    { [[git push "$REF"]], "may skip hooks" },
    { "echo x > .husky/pre-commit", "decides what hooks do" },
    { "cp -t .git/hooks a", "decides what hooks do" },
    { "cp a .git/hooks/pre-commit", "decides what hooks do" },
    { "echo x >> .git/config", "configuration of git" },
    { "GIT_CONFIG_COUNT=1 make", "may change which hooks" },
    { "HUSKY=0 npm ci", "may disable hooks" },
    { [[rm "$(git rev-parse --git-dir)/hooks/pre-commit"]], "may change a hook" },
    { [[rm -r "$DIR/hooks"]], "may change a hook" },
    { [[truncate -s0 "$DIR/pre-push"]], "may change a hook" },
    { "npx release-it --git.commitArgs=--no-verify", "release-it may skip hooks" },
    { "npm version patch --no-commit-hooks", "npm may skip hooks" },
    { "in-turn git commit -n", "git commit -n" },
    { "in-turn 'cd a; git commit -n'", "git commit -n" },
    { [[python3 -c 'run("git commit --no-verify")']], "this program" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-verify"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    [[git commit -m "no --no-verify here"]],
    "git push",
    "chmod +x .git/hooks/pre-commit",
    "git am a.patch",
    "git config user.name x",
    [[git push origin "$REF"]],
    "rm a.go",
    "HUSKY=1 git push",
    "cp .git/hooks/pre-commit a",
    "cp -t a .git/hooks/pre-commit",
    "chmod +x .husky/pre-commit",
    [[rm "$DIR/a.go"]],
    "npm version patch --no-verify-access",
    "cargo publish --no-verify",
    "in-turn git commit -m x",
    "in-turn git",
    "in-turn 'never git push'",
    "in-turn 'git commit -m x'",
    "echo git commit -n",
    "echo x > a.txt",
    "cat < .git/config",
    "find . -delete",
    "FOO=1 git push",
    "lefthook run pre-commit",
    "python3 -c 'print(1)'",
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git commit --no-verify -m x]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
