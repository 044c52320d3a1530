local it, expect = test.it, test.expect

local function done(call, result)
  call.result = result
  return test.fire("tools/result", call)
end
local function stop(stops) return test.fire("agent/turn-stopping", { stops = stops or 0 }) end
local function success(line) return done(test.shell(line), { kind = "success", value = "ok" }) end

it("has nothing to say before a change", function() expect(stop()):no_effects() end)

it("wants tests after a change", function()
  done(test.edit "main.go")
  expect(stop()):steers "/home/dev/app/main.go"
  expect(stop(1)):steers "have not passed"
  expect(stop(2)):no_effects()
end)

it("is content when they passed", function()
  for _, line in ipairs { "go test ./...", "CI=1 npm test", "cd app && make test" } do
    done(test.write "main.go")
    success(line)
    expect(stop()):no_effects()
  end
end)

it("is not content with less", function()
  for _, line in ipairs { "go build", "go test ./... | tail", "go test || true", "echo go test" } do
    done(test.edit "main.go")
    success(line)
    expect(stop()):steers()
  end
end)

it("takes a failure for one", function()
  done(test.edit "main.go")
  done(test.shell "go test ./...", { kind = "failure", message = "exit status 1", code = "TOOL_ERROR" })
  expect(stop()):steers()
end)

it("looks at what ran, and at files that tests look at", function()
  local call = test.edit "main.go"
  call.ran = false
  expect(test.fire("tools/result", call)):is "told"
  done(test.edit "README.md")
  done(test.edit "/tmp/x.go")
  expect(stop()):no_effects()

  done(test.edit "main.go")
  call = test.shell "go test ./..."
  call.ran = false
  test.fire("tools/result", call)
  expect(stop()):steers()
end)

it("works in a whole session", function()
  local session = test.session {
    tools = { Edit = "edited", Bash = "ok" },
    answers = {
      { tools = { { tool = "Edit", arguments = { file_path = "/home/dev/app/a.go", old_string = "a", new_string = "b" } } } },
      { text = "finished" },
      { tools = { { tool = "Bash", arguments = { command = "go test ./..." } } } },
      { text = "finished, and tested" },
    },
  }
  local turn = session:say "change it"
  expect(turn.text):equals "finished, and tested"
  expect(turn.messages[2]):contains "Run them"
end)
