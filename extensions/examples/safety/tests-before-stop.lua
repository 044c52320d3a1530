-- Lets a turn end only when the tests have passed since the last change.
--
-- What changes a file below the project marks the session as untested; a line of
-- the shell that runs the tests and succeeds takes the mark away. At the end of a
-- turn with the mark the agent is told to run them. It is told twice at most:
-- whoever cannot make the tests pass has to be able to say so.

local path = require "path"
local re = require "re"
local state = require "state"

-- What runs tests, where a simple command begins with it. Add your own here.
local runners = {
  [[^(make|just|task) (test|check)\b]],
  [[^go test\b]],
  [[^(cargo|swift|dotnet|mvn|mix|zig build|bazel|rake|gradle|\./gradlew) (\S+ )*(test|check|verify|nextest)\b]],
  [[^(npm|pnpm|yarn|bun|deno)( run)? test\b]],
  [[^(npx |pnpm exec )?(jest|vitest|mocha|ava|playwright test)\b]],
  [[^(python3? -m |uv run |poetry run )?(pytest|tox|nox|unittest)\b]],
  [[^(bundle exec )?(rspec|rake)\b]],
  [[^(ctest|phpunit|\./run_tests\.sh|busted)\b]],
}

-- A command that nothing is hidden in: no pipe, whose status would be that of its
-- last part, no ";" or "||", behind which a failure is forgotten.
local plain = [[^[^;&|<>()`$\n]+$]]

-- Files that no test looks at.
local prose = { [".md"] = true, [".txt"] = true, [".rst"] = true }

-- Whether the tests have passed if this line succeeds.
local function tests(line)
  local found = false
  for _, part in ipairs(re.split([[\s*&&\s*]], line)) do
    if not re.match(plain, part) then return false end
    found = found or re.any(runners, (re.replace([[^(\s*[A-Za-z_]\w*=\S*)*\s*]], part, ""))) ~= nil
  end
  return found
end

dsh.on("tools/result", { action = { "write", "edit", "delete" }, rule = "untested-change" }, function(done)
  if not done.ran then return end
  for _, file in ipairs(done.call.action.files or {}) do
    if path.inside(file.path) ~= false and not prose[path.ext(file.path)] then
      state.session:set("untested", file.path)
    end
  end
end)

dsh.on("tools/result", { action = "shell", rule = "tests-passed" }, function(done)
  if done.ran and done.result.kind == "success" and tests(done.call.action.command) then
    state.session:delete("untested")
  end
end)

dsh.on("agent/turn-stopping", { rule = "tests-before-stop" }, function(turn)
  local file = state.session:get("untested")
  if file and turn.stops < 2 then
    turn.live:steer("The tests have not passed since " .. file .. " was changed. Run them, and mend what fails; if they cannot pass, say why.")
  end
end)
