local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "git reset --hard" },
    { "git clean -fd" },
    { "git checkout -- $X", "checkout of paths" },
    { "git checkout -- ." },
    { "git stash drop" },
    { "git stash clear" },
    { "git checkout -f main", "forced checkout" },
    { "git checkout --ours a.go", "overwrites files" },
    { "git checkout main a.go", "checkout of paths" },
    { "git checkout .", "checkout of paths" },
    { "git switch -f main", "forced switch" },
    { "git restore src/", "git restore" },
    { "git restore -SW a.go", "git restore" },
    { "git -c clean.requireForce=false clean", "git clean" },
    { "git worktree remove --force ../wt", "removal of a work tree" },
    { "git checkout-index -fa", "overwrites files" },
    { "git read-tree --reset -u HEAD", "overwrites the work tree" },
    { "git update-ref -d refs/stash", "all stashes" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-discard-work"
  end)
end)

describe("asks about", function()
  test.cases({
    { "git apply -R a.patch", "taken back" },
    { "patch -R < a.patch", "taken back" },
    { "in-turn git reset --hard", "throws uncommitted work away" },
    { "git show HEAD:main.go > main.go", "is overwritten" },
    { [[git config alias.undo "reset --hard"]], "alias.undo may hide" },
    { "git reset --merge", "--merge" },
    { "git reset $HOW", "not known" },
    { "git checkout -p -- a.go", "parts that are chosen" },
    { "git restore -p a.go", "parts that are chosen" },
    { "git checkout .github/workflows/ci.yml", "looks like a path" },
    { [[git checkout "a$X"]], "branch or a path" },
    { "git clean -i", "in no commit" },
    { [[git stash "$X"]], "may drop a stash" },
    { "git rm -f a.go", "git rm -f" },
    { "git branch -D old", "may drop commits" },
    { "git submodule deinit -f lib", "submodules" },
    { "git reflog expire --all", "reflog" },
    { "git filter-branch HEAD", "rewrites" },
    { "git undo", "git undo may be an alias" },
    { "git show HEAD:a.go | tee a.go", "is overwritten" },
    { "hg revert a.go", "throws uncommitted work" },
    { "svn revert a.go", "throws uncommitted work" },
    { "gh pr checkout -f 1", "pull request" },
    { "rm -rf .git", "deletes the repository" },
    { [[python3 -c 'os.system("git reset --hard")']], "this program" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-discard-work"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    "git apply a.patch",
    "git apply -R --check a.patch",
    "patch < a.patch",
    "git reset HEAD~1",
    "git clean -n",
    "git clean -nf",
    "git clean",
    "git -c clean.requireForce=true clean",
    "git -c user.name=x clean",
    "git stash",
    "git stash list",
    "echo git reset --hard",
    "git checkout main",
    "git checkout -b fix",
    "git switch -c fix",
    "git restore --staged a.go",
    "git rm --cached a.bin",
    "git rm a.go",
    "git worktree list",
    "git branch --show-current",
    "git submodule update --init",
    "git reflog",
    "git update-ref refs/heads/a HEAD",
    "git read-tree HEAD",
    "git checkout-index a.go",
    "git show HEAD:a.go > /tmp/a.go",
    "git show HEAD:a.go",
    "ls | tee a.go",
    "hg status",
    "svn status",
    "gh pr checkout 1",
    "rm a.go",
    "python3 -c 'print(1)'",
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[git reset --hard]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
