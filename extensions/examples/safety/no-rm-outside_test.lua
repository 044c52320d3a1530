local json = require "json"

local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { "rsync -a --remove-source-files /srv/a web1:", "/srv/a is outside" },
    { "gio trash /srv/a", "/srv/a is outside" },
    { "cmake -E remove_directory /srv/a", "/srv/a is outside" },
    { "cmake -E rm -rf a /srv/a", "/srv/a is outside" },
    { "git worktree remove -f /srv/a", "/srv/a is outside" },
    { "rm -rf /" },
    { [[rm -rf "/srv/$X"]], "/srv/… is outside" },
    { "wipe -rf /srv/a", "/srv/a is outside" },
    { "rm -rf ~" },
    { "rm -rf ../other" },
    { "rimraf ../other" },
    { "sudo rm -rf /etc" },
    { "find .. -name x -delete", "../* is outside" },
    { "find /tmp -mindepth 1 -delete", "/tmp/* is outside" },
    { "find /srv -type d -exec rm -rf {} +", "is outside" },
    { "find -L /srv -delete", "/srv is outside" },
    { "git -C /srv/a clean -fdx", "is outside" },
    { "git --work-tree=/srv/a clean -fd", "/srv/a is outside" },
    { "GIT_WORK_TREE=/srv/a git clean -fd", "/srv/a is outside" },
    { "git clean -fd /srv/a", "/srv/a is outside" },
    { "rsync -a --delete a/ /srv/a/", "/srv/a/ is outside" },
    { "tar cf a.tar --remove-files /srv/a", "/srv/a is outside" },
    { "zip -m a.zip /srv/a", "/srv/a is outside" },
    { "ssh web1 'rm -rf /srv/www'", "another machine" },
    { [[python3 -c 'rmtree("/srv/a")']], "/srv/a is outside" },
    { "find /srv | xargs rm", "outside" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-rm-outside"
  end)
end)

describe("asks about", function()
  test.cases({
    { "mount --bind /etc m; rm -rf m", "behind the link" },
    { "bindfs /etc m; rm -rf m", "behind the link" },
    { "sshfs web1: m; rm -rf m", "behind the link" },
    { "find . -name x -exec rm -rf {}/ +", "follows the links" },
    { "find -L . -name x -exec rm -rf {} +", "follows the links" },
    { "cd /; rsync -a --delete a/ web1:/srv/", "on another machine" },
    { [[rm -rf "$DIR"]], "nobody can tell" },
    { [[rm -rf "a/$X"]], "nobody can tell" },
    { [[rm -rf "/home/$X"]], "nobody can tell" },
    { [[rm -rf "/tmp/$X"]], "nobody can tell" },
    { [[rm -rf "/var/$X"]], "nobody can tell" },
    { [[cd "$DIR"; rm -rf "a/$X"]], "nobody can tell" },
    { "in-turn rm -rf /srv/a", "/srv/a is outside" },
    { "in-turn 'rm -rf /srv/a'", "/srv/a is outside" },
    { "in-turn --command='rm -rf /srv/a'", "/srv/a is outside" },
    { [[in-turn rm -rf "$X"]], "nobody can tell" },
    { "ansible all -m file -a 'path=/srv/a state=absent'", "a tree outside" },
    { "rm -rf .", "the whole project" },
    { "find . -delete", "the whole project" },
    { "rm -rf /tmp/..", "where /tmp/.. is" },
    { "rm -rf a/../*", "nobody" },
    { "ln -s /etc l; rm -rf l/", "behind the link" },
    { "find a | xargs rm -r" },
    { "rm $X", "may make this rm recursive" },
    { "ssh web1 'rm -rf a'", "on another machine" },
    { "rsync -a --delete a/ web1:/srv/a/", "on another machine" },
    { "docker run --rm -v /:/h alpine rm -rf /h/a", "in a container" },
    { "docker exec a rm -rf /a", "in a container" },
    { "mv a /dev/null", "to nowhere" },
    { "aws s3 rm s3://a --recursive", "a tree outside" },
    { "rclone sync a b:c", "a tree outside" },
    { "mv /srv/a . && rm -rf a", "makes or moves" },
    { "mv ../a b; rm -rf b", "makes or moves" },
    { [[mv "$A" b; rm -rf b]], "makes or moves" },
    { [[powershell.exe -Command "rm -r -fo a"]], "deletes folders" },
    { "python3 -c 'rmtree(x)'", "deletes folders" },
    { [[perl -e 'system("rm -rf a")']], "may run rm" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-rm-outside"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    "find a -name '*.log' | xargs rm -f",
    "find . -type l -xtype l -delete",
    "gio info /srv/a",
    "mv build old && rm -rf old",
    "cmake -E remove_directory build",
    "cmake -E rm /srv/a",
    "cmake --build /srv/a",
    "mv a b c; rm -rf c",
    "rm -rf build",
    "rsync -an --delete a/ /srv/a/",
    "in-turn rm -rf build",
    "in-turn 'it is rm -rf build'",
    "in-turn 'rm it'",
    "rm -rf /tmp/mine",
    "rm a.txt",
    "rm -rf *.log",
    "find . -name '*.log' -delete",
    "find /srv -name x",
    "ln -s /etc l; rm -rf l",
    "ln -s /etc l; rm -rf a",
    "git clean -fd",
    "git clean -n /srv/a",
    "rsync -a a/ /srv/a/",
    "tar cf a.tar /srv/a",
    "zip a.zip /srv/a",
    "ssh web1 ls",
    "docker run --rm alpine rm -rf /a",
    "mv a b",
    "aws s3 ls",
    [[powershell.exe -Command "ls"]],
    "python3 -c 'print(1)'",
    [[perl -e 'system("ls")']],
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.it("asks about what only the project can tell, where that is not known", function()
  local call = test.shell "rm -rf build"
  call.session = { cwd = json.null, project = json.null }
  expect(test.fire("tools/pre-execute", call)):asks "the project is not known"
end)

test.it("asks about a line that is not all there", function()
  expect(test.fire("tools/pre-execute", { action = { kind = "shell", command = "ls", partial = true } })):asks "not all of the call can be seen"
end)

test.property("never lets it pass, however it is written", { [[rm -rf /]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
