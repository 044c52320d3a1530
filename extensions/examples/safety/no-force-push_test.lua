local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "git push --force", "--force can drop" },
    { "git push origin +main", "+main can drop" },
    { "git push origin :old", ":old can drop" },
    { [[sh -c "git push -f"]] },
    { "git push --mirror", "--mirror can drop" },
    { [[git push origin "+$BRANCH"]], "+… can drop" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-force-push"
  end)
end)

describe("asks about", function()
  test.cases({
    { "curl -X DELETE https://api.example/repos/a/git/refs/heads/main", "changes branches" },
    { "glab api -X DELETE projects/1/repository/branches/a", "changes branches" },
    { "in-turn git push -f", "can drop commits" },
    { "http DELETE api.example/repos/a/git/refs/heads/main", "changes branches" },
    { "git $COMMAND", "may be an alias" },
    { [[GIT_CONFIG_PARAMETERS="'alias.p=push'" git fetch]], "alias.p may force" },
    { "git -c alias.p=push p", "alias.p may force" },
    { [[git push origin "$REF"]], "may force this push" },
    { [[git push -- "$REF"]], "may force this push" },
    { "git push $OPTIONS", "may force this push" },
    { [[git push "--$OPTION"]], "may force this push" },
    { "git remote add --mirror=push a b", "mirror" },
    { "git pf", "may be an alias" },
    { "git subtree push --force", "git subtree may force" },
    { "gh repo delete app", "drop commits" },
    { "gh repo sync dev/fork --force", "drop commits" },
    { "gh api -X PATCH repos/a/b/git/refs/heads/main -f sha=1", "changes branches" },
    { "gh api repos/a/b -f force=true", "changes branches" },
    { "gt submit --force", "may force a push" },
    { "jj git push --deleted", "may force a push" },
    { "GIT_CONFIG_GLOBAL=/tmp/x git push", "include.path" },
    { "GIT_CONFIG_COUNT=1 make", "GIT_CONFIG_COUNT may" },
    { [[python3 -c 'run("git push origin :main")']], "this program" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-force-push"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    "curl https://api.example/repos/a/git/refs",
    "gh api push -f a=b",
    "git push",
    "git push --force-with-lease",
    "echo git push --force",
    "git push origin main",
    "git fetch --force",
    "git remote -v",
    "git submodule update --init",
    "git config user.name x",
    "GIT_CONFIG_GLOBAL=/dev/null git push",
    "gh api repos/a/b/pulls/1",
    "gh api repos/a/b/git/refs",
    "gh repo view",
    "gh pr list",
    "jj git push",
    "jj git fetch --deleted",
    "gt submit",
    [[python3 -c 'run("git push")']],
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git push --force]], [[git push origin +main]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
