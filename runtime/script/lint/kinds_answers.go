package lint

func answerKinds() []Kind {
	return []Kind{
		{ID: "unused-answer", Severity: Error, Title: "an answer that nobody returns", Doc: "dsh.deny and its like build an answer; only what the handler returns decides.", Fix: "return it, where it is the last statement of its block", Bad: `dsh.on("tools/pre-execute", function(call) if call.tool == "Bash" then dsh.deny "no" end end)`},
		{ID: "invalid-answer", Severity: Error, Title: "something that is no answer", Doc: "An answer is one table. Strings, numbers, booleans, several values, and anything at a notification are faults.", Bad: `dsh.on("tools/pre-execute", function() return false end)`},
		{ID: "false-answer", Severity: Error, Title: "a condition that is returned where it is false", Doc: "a == b and dsh.deny(…) is false if a is not b, and false is no answer but a fault.", Fix: "add or nil", Bad: `dsh.on("tools/pre-execute", function(call) return call.tool == "Bash" and dsh.deny "no" end)`},
		{ID: "unknown-kind", Severity: Error, Title: "an answer of a kind that the point does not have", Doc: "It is a fault when it is returned.", Bad: `dsh.on("tools/guard", function() return dsh.deny "no" end)`},
		{ID: "answer-field", Severity: Error, Title: "a field of an answer that is missing, unknown or of the wrong type", Doc: "It is a fault when it is returned.", Bad: `dsh.on("tools/pre-execute", function() return dsh.deny { raeson = "no" } end)`},
		{ID: "needs-grant", Severity: Hint, Title: "preapproved without the grant", Doc: "To spare the user a question needs the grant preapprove. A project's own policies never have it, and the answer is a fault then.", Bad: `dsh.on("tools/pre-execute", function() return dsh.allow { preapproved = true } end)`},
		{ID: "never-answers", Severity: Warning, Title: "a handler that does nothing", Doc: "It never answers, and calls nothing that lasts.", Bad: `dsh.on("tools/pre-execute", function(call) local _ = call.tool end)`},
		{ID: "no-next", Severity: Error, Title: "next where there is none", Doc: "Handlers of guards and notifications get the payload alone; the second parameter is nil.", Bad: `dsh.on("tools/guard", function(_, next) return next() end)`},
		{ID: "next-twice", Severity: Error, Title: "next called twice", Doc: "At most points next may be called once; the second call is a fault.", Bad: `dsh.on("tools/pre-execute", function(_, next)
  if next().kind == "deny" then return dsh.deny "no" end
  return next()
end)`},
		{ID: "caught-next", Severity: Warning, Title: "pcall(next)", Doc: "A fault of a rule behind cannot be caught: the call is denied whatever this handler answers.", Bad: `dsh.on("tools/pre-execute", function(_, next)
  local ok, answer = pcall(next)
  return ok and answer or dsh.ask "a rule failed"
end)`},
	}
}

func codeKinds() []Kind {
	return []Kind{
		{ID: "unreachable", Severity: Warning, Title: "code that never runs", Doc: "The statement before it always leaves.", Bad: `dsh.on("tools/pre-execute", function(call)
  do return dsh.deny "no" end
  dsh.log(call.tool)
end)`},
		{ID: "constant-condition", Severity: Warning, Title: "a condition that decides nothing", Doc: "It is always true or never, or was tested before.", Bad: `dsh.on("tools/pre-execute", function() if false then return dsh.deny "no" end return dsh.ask "?" end)`},
		{ID: "truthy-or", Severity: Error, Title: "x == a or b", Doc: "The text behind or is not compared with anything; it is true by itself.", Bad: `dsh.on("tools/pre-execute", function(call)
  if call.tool == "Bash" or "Write" then return dsh.deny "no" end
end)`},
		{ID: "not-binds-tighter", Severity: Error, Title: "not x == y", Doc: "not belongs to x alone, so a boolean is compared.", Fix: "use ~=", Bad: `dsh.on("tools/pre-execute", function(call) if not call.tool == "Bash" then return dsh.deny "no" end end)`},
		{ID: "self-comparison", Severity: Warning, Title: "something compared with or assigned to itself", Doc: "One of the sides is meant to be another.", Bad: `dsh.on("tools/pre-execute", function(call) if call.tool == call.tool then return dsh.deny "no" end end)`},
		{ID: "plus-on-text", Severity: Error, Title: "+ on a text", Doc: "Texts are joined with two dots; + wants numbers.", Fix: "use two dots", Bad: `dsh.on("tools/pre-execute", function(call) return dsh.deny("no " + call.tool) end)`},
		{ID: "unfilled-text", Severity: Warning, Title: "a local named in a text", Doc: "${name} in a text is not replaced by the value of name; values are joined with two dots.", Bad: `dsh.on("tools/pre-execute", function(call)
  local tool = call.tool
  if tool ~= "Read" then return dsh.deny("not ${tool}") end
end)`},
		{ID: "unknown-value", Severity: Error, Title: "a comparison with a value that there is not", Doc: "The other side is one of a few values, and this is none of them.", Bad: `dsh.on("tools/pre-execute", function(call) if call.action.kind == "shel" then return dsh.deny "no" end end)`},
		{ID: "never-equal", Severity: Warning, Title: "values of two types compared", Doc: "Values of different types are never equal in Lua.", Bad: `dsh.on("agent/turn-stopping", function(turn) if turn.stops == "2" then turn.live:steer "go on" end end)`},
		{ID: "unused-local", Severity: Warning, Title: "a local that nobody reads", Doc: "It may be a slip of a name. One that begins with _ is meant.", Fix: "remove it, where its value does nothing", Bad: `local limit = 3
dsh.on("tools/pre-execute", function() return dsh.deny "no" end)`},
		{ID: "unused-result", Severity: Warning, Title: "a result that is dropped", Doc: "The function does nothing but return a value.", Bad: `dsh.on("tools/pre-execute", function(call)
  string.lower(call.tool)
  return dsh.deny "no"
end)`},
		{ID: "global-assignment", Severity: Warning, Title: "a global that is assigned", Doc: "Nothing is shared by globals, and a slip of a name goes unnoticed.", Fix: "add local, at file level", Bad: `limit = 3
dsh.on("tools/pre-execute", function() if limit > 2 then return dsh.deny "no" end end)`},
		{ID: "frozen", Severity: Error, Title: "a change of what cannot be changed", Doc: "Payloads, answers, libraries and modules are frozen.", Bad: `dsh.on("tools/pre-execute", function(call) call.tool = "x" end)`},
		{ID: "forgotten", Severity: Warning, Title: "something that is to be remembered", Doc: "Each run of a handler has the file to itself: the next run does not see what this one assigns.", Bad: `local seen = 0
dsh.on("tools/pre-execute", function()
  seen = seen + 1
  if seen > 3 then return dsh.deny "too many" end
end)`},
		{ID: "duplicate-key", Severity: Warning, Title: "a key that is there twice", Doc: "The last one counts.", Bad: `dsh.on("tools/pre-execute", { action = "shell", action = "fetch" }, function() return dsh.deny "no" end)`},
		{ID: "zero-index", Severity: Warning, Title: "an index 0", Doc: "Lists begin at 1; the item 0 is nil.", Bad: `dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  if call.action.files[0] then return dsh.deny "no" end
end)`},
		{ID: "bad-iterator", Severity: Error, Title: "a loop over a table without ipairs", Doc: "A table is no iterator, and calling it is a fault.", Fix: "add ipairs or pairs", Bad: `dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  for _, file in call.action.files do return dsh.deny(file.path) end
end)`},
	}
}

func textKinds() []Kind {
	return []Kind{
		{ID: "text-rule", Severity: Hint, Title: "a rule on the text of a command or an address", Doc: "The same command can be written in many ways, and its words may stand in a string. A module reads it.", Bad: `dsh.on("tools/pre-execute", { action = "fetch" }, function(call)
  if call.action.url:find("example") then return dsh.deny "no" end
end)`},
		{ID: "path-prefix", Severity: Warning, Title: "a folder that is compared as a text", Doc: "/srv/app-old begins with /srv/app and is not in it.", Bad: `dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  for _, file in ipairs(call.action.files) do
    if file.path:sub(1, 8) == "/srv/app" then return dsh.deny "no" end
  end
end)`},
		{ID: "bad-pattern", Severity: Error, Title: "a pattern that is malformed", Doc: "It is a fault when it is used: a pattern of Lua, or a regular expression of the module re.", Bad: `dsh.on("tools/pre-execute", function(call) if call.tool:find("(Bash") then return dsh.deny "no" end end)`},
		{ID: "foreign-pattern", Severity: Warning, Title: "a regular expression where a pattern of Lua stands", Doc: "Lua's patterns have no choice, no counts and no repeated groups, and their escape is %.", Bad: `dsh.on("tools/pre-execute", function(call) if call.tool:find("^Bash|Write$") then return dsh.deny "no" end end)`},
		{ID: "pattern-magic", Severity: Warning, Title: "a sign of a pattern that is meant as itself", Doc: "In a pattern - repeats what is before it, and . is any character.", Fix: "escape it with %", Bad: `dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  for _, file in ipairs(call.action.files) do
    if file.path:find("package-lock.json$") then return dsh.deny "no" end
  end
end)`},
		{ID: "unanchored", Severity: Hint, Title: "a name that is looked for within a name", Doc: "It fits every name that contains it.", Bad: `dsh.on("tools/pre-execute", function(call) if call.tool:find("Bash") then return dsh.deny "no" end end)`},
	}
}

func costKinds() []Kind {
	return []Kind{
		{ID: "endless-loop", Severity: Error, Title: "a loop that never ends", Doc: "The run is stopped by its limit of instructions, which is a fault.", Bad: `dsh.on("tools/pre-execute", function(call) while true do dsh.log(call.tool) end end)`},
		{ID: "nested-scan", Severity: Hint, Title: "a scan within a scan", Doc: "A text of a payload may be long; to scan it for every find in it uses up the limit.", Bad: `dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  for a in call.action.command:gmatch("%S+") do
    for b in call.action.command:gmatch("%S+") do
      if a == b .. b then return dsh.deny "no" end
    end
  end
end)`},
		{ID: "growing-text", Severity: Hint, Title: "a text that grows in a loop", Doc: "Every round copies the whole text.", Bad: `dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  local list = ""
  for _, file in ipairs(call.action.files) do list = list .. file.path end
  return dsh.deny(list)
end)`},
		{ID: "slow-pattern", Severity: Warning, Title: "a pattern that can take long", Doc: "Its time grows with a high power of the length of the text, up to the limit of a run, which is a fault.", Bad: `dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  if call.action.command:find(".*a.*b.*c") then return dsh.deny "no" end
end)`},
	}
}
