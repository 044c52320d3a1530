-- Answers that are none, or that nobody returns.
local json = require "json"
local function refuse(why) dsh.deny(why) end --- want: "unused-answer"
local function judge(call)
  if call.tool == "Bash" then return "deny" end --- want: "invalid-answer: an answer is a table, got a string"
  return dsh.forbid "no" --- want: "unknown-kind: no answer of tools/pre-execute is of kind .forbid."
end
dsh.on("tools/pre-execute", { rule = "a" }, function(call)
  if call.tool == "Bash" then dsh.deny "no" end --- want: "unused-answer: the answer is built and dropped"
  if call.tool == "Edit" then return false end --- want: "invalid-answer: an answer is a table, got a boolean"
  if call.tool == "Read" then return nil, "no" end --- want: "invalid-answer: the handler returns several values"
  if call.tool == "Write" then return call end --- want: "invalid-answer: the payload is no answer"
  if call.tool == "Glob" then return { reason = "no" } end --- want: "unknown-kind: an answer needs its kind"
  if call.tool == "Grep" then return { kind = "denny", reason = "no" } end --- want: "unknown-kind: .* \(did you mean .deny.\?\)"
  if call.tool == "bash" then return { kind = "deny", reson = "no" } end --- want: "answer-field: answer.reson: no such field \(did you mean .reason.\?\)"
  if call.tool == "edit" then return dsh.deny() end --- want: "answer-field: dsh.deny needs reason"
  if call.tool == "read" then return dsh.deny {} end --- want: "answer-field: dsh.deny needs reason"
  if call.tool == "write" then return dsh.deny(1) end --- want: "wrong-argument: dsh.deny takes a text or a table, got a number"
  if call.tool == "Task" then return dsh.deny { reason = true } end --- want: "answer-field: dsh.deny.reason is a string, got a boolean"
  if call.tool == "WebFetch" then return dsh.deny("a", "b") end --- want: "wrong-argument: dsh.deny takes one argument"
  if call.tool == "WebSearch" then return dsh.allow { preapproved = true } end --- want: "needs-grant"
  refuse(call.tool)
  return call.tool == "NotebookEdit" and dsh.deny "no" --- want: "false-answer"
end)
dsh.on("tools/pre-execute", { rule = "b" }, judge)
dsh.on("tools/pre-execute", { rule = "c" }, function(call) return judge(call) end)
dsh.on("tools/pre-execute", { rule = "d" }, function(_, next)
  local ok, answer = pcall(next) --- want: "caught-next"
  dsh.log(ok)
  return answer
end)
dsh.on("tools/pre-execute", { rule = "e" }, function(call, next)
  if next().kind == "ask" then return dsh.deny "no" end
  for _ = 1, 2 do next() end --- want: "next-twice"
  return next(call) --- want: "next-twice|wrong-argument" "wrong-argument|next-twice"
end)
dsh.on("tools/result", { rule = "f" }, function(done, next)
  dsh.log(json.encode(done.result))
  dsh.log(12) --- want: "wrong-argument: dsh.log takes one text, got a number"
  next() --- want: "no-next"
  return dsh.accept() --- want: "invalid-answer: a handler of a notification returns nothing"
end)
-- What is right.
dsh.on("tools/pre-execute", { rule = "g" }, function(call, next)
  if call.tool == "Bash" then return next() elseif call.tool == "Edit" then return dsh.with(next(), { contexts = "x" }) end
  return call.tool == "Read" and dsh.deny "no" or nil
end)
dsh.on("tools/execute", { rule = "h" }, function(_, next) --- want: "not-everywhere"
  local ok, result = pcall(next)
  if not ok then result = next { timeout_ms = 10 } end
  return result
end)
