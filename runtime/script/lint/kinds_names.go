package lint

func nameKinds() []Kind {
	return []Kind{
		{ID: "syntax", Severity: Error, Title: "the file is not Lua", Doc: "The compiler cannot read the file. What looks like another language gets a hint.", Bad: `if x != 1 then end`},
		{ID: "unknown-global", Severity: Error, Title: "a name that nothing defines", Doc: "Neither Lua, dsh nor the file defines it. Loading the file fails.", Bad: `dsh.on("tools/pre-execute", function(call) return dhs.deny("no") end)`},
		{ID: "unknown-module", Severity: Error, Title: "a module that there is not", Doc: "Neither dsh nor the folder of the file has it.", Bad: `local p = require "pahts"
dsh.on("tools/pre-execute", function() return p.x end)`},
		{ID: "unknown-member", Severity: Error, Title: "a member that a library or object does not have", Doc: "Reading it is a fault at run time.", Bad: `local path = require "path"
dsh.on("tools/pre-execute", function(call) return path.cleen(call.tool) and dsh.deny "no" or nil end)`},
		{ID: "foreign-method", Severity: Warning, Title: "a method of another language", Doc: "Nothing in Lua has a method of that name, and the file defines none.", Bad: `dsh.on("tools/pre-execute", function(call)
  local words = call.arguments.words
  if words:startsWith("a") then return dsh.deny "no" end
end)`},
		{ID: "unknown-field", Severity: Error, Title: "a field that the payload does not have", Doc: "Reading it is a fault: a rule that looks at the wrong field would let everything pass.", Bad: `dsh.on("tools/pre-execute", function(call) if call.tol == "Bash" then return dsh.deny "no" end end)`},
		{ID: "other-kind", Severity: Warning, Title: "something that the filter keeps out", Doc: "The field or kind belongs to actions that the filter does not let through: it is always nil, or never equal.", Bad: `dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  for _, file in ipairs(call.action.files) do return dsh.deny(file.path) end
end)`},
		{ID: "client-argument", Severity: Hint, Title: "an argument of one client where the action fits all", Doc: "The names of arguments are those of one client's tool; the action says the same for every client.", Bad: `dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  if call.arguments.command == "ls" then return dsh.deny "no" end
end)`},
		{ID: "dot-call", Severity: Error, Title: "dot and colon confused", Doc: "Functions of modules are called with a dot, methods of the live handle with a colon.", Fix: "use the other one", Bad: `dsh.on("tools/result", function(done) done.live.tell("hello") end)`},
		{ID: "wrong-argument", Severity: Error, Title: "an argument that the function does not take", Doc: "Too many, too few, or of the wrong type: the call raises an error.", Bad: `local path = require "path"
dsh.on("tools/pre-execute", function(call) return path.clean() and dsh.deny "no" or nil end)`},
		{ID: "unused-ignore", Severity: Warning, Title: "a comment that ignores nothing", Doc: "The comment names no finding, one that does not exist, or one that is not there.", Bad: `-- dsh: ignore text-rule
dsh.on("tools/pre-execute", function() return dsh.deny "no" end)`},
	}
}

func registrationKinds() []Kind {
	return []Kind{
		{ID: "unknown-point", Severity: Error, Title: "a point that there is not", Doc: "Loading the file fails.", Bad: `dsh.on("tools/pre-exec", function() return dsh.deny "no" end)`},
		{ID: "never-fired", Severity: Warning, Title: "a point that no host fires", Doc: "No host that the file is checked for ever asks this handler.", Bad: `dsh.on("agent/notify", function(notice) dsh.log(notice.message) end)`},
		{ID: "not-everywhere", Severity: Hint, Title: "a point that some host never fires", Doc: "The rule does not hold there.", Bad: `dsh.on("agent/request", function(request, next) dsh.log(request.config.model or "") return next() end)`},
		{ID: "unknown-filter", Severity: Error, Title: "a field that filters do not have", Doc: "Loading the file fails.", Bad: `dsh.on("tools/pre-execute", { tols = "Bash" }, function() return dsh.deny "no" end)`},
		{ID: "unfit-filter", Severity: Error, Title: "a filter that the point does not have", Doc: "Only some points say what they are about. Loading the file fails.", Bad: `dsh.on("agent/turn-stopping", { tool = "Bash" }, function(turn) turn.live:steer "go on" end)`},
		{ID: "filter-value", Severity: Error, Title: "a filter of the wrong type", Doc: "Loading the file fails.", Bad: `dsh.on("tools/pre-execute", { action = 1 }, function() return dsh.deny "no" end)`},
		{ID: "unknown-tool", Severity: Warning, Title: "a tool that no host has", Doc: "The rule never speaks. Names of tools are exact; an action fits every client.", Bad: `dsh.on("tools/pre-execute", { tool = "Bsah" }, function() return dsh.deny "no" end)`},
		{ID: "unknown-action", Severity: Error, Title: "a kind of action that there is not", Doc: "Loading the file fails.", Bad: `dsh.on("tools/pre-execute", { action = "shel" }, function() return dsh.deny "no" end)`},
		{ID: "bad-match", Severity: Error, Title: "a match that is no pattern", Doc: "Loading the file fails.", Bad: `dsh.on("tools/pre-execute", { match = "mcp__[a" }, function() return dsh.deny "no" end)`},
		{ID: "same-rule", Severity: Error, Title: "two rules of one name", Doc: "Reports could not tell them apart. Loading the file fails.", Bad: `dsh.on("tools/pre-execute", { rule = "r", action = "shell" }, function() return dsh.deny "no" end)
dsh.on("tools/pre-execute", { rule = "r", action = "fetch" }, function() return dsh.deny "no" end)`},
		{ID: "shadowed-rule", Severity: Warning, Title: "a rule that is never asked", Doc: "A rule before it always refuses the same calls, which ends the chain.", Bad: `dsh.on("tools/pre-execute", { rule = "a", action = "shell" }, function() return dsh.deny "no" end)
dsh.on("tools/pre-execute", { rule = "b", action = "shell" }, function(call) return dsh.deny(call.tool) end)`},
		{ID: "late-registration", Severity: Error, Title: "dsh.on or require in a function", Doc: "Both are for file level; in a handler they are a fault.", Bad: `dsh.on("tools/pre-execute", function() dsh.on("tools/guard", function() return dsh.forbid "no" end) end)`},
		{ID: "computed-registration", Severity: Hint, Title: "a registration that is computed", Doc: "It works, but the file has to be run at every event to know what it registers.", Bad: `for _, action in ipairs { "shell", "fetch" } do
  dsh.on("tools/pre-execute", { action = action, rule = action }, function() return dsh.deny "no" end)
end`},
		{ID: "no-registration", Severity: Error, Title: "a file that registers nothing", Doc: "It guards nothing, whatever it is meant to do. A file that another one in its folder requires may do that.", Bad: `local x = 1
return x`},
		{ID: "load", Severity: Error, Title: "a file that cannot be loaded", Doc: "Running the file, which every host does before it asks a handler, fails.", Bad: `local limit = tonumber("ten") + 1
dsh.on("tools/pre-execute", function() return limit > 1 and dsh.deny "no" or nil end)`},
		{ID: "useless-raw", Severity: Warning, Title: "raw where it changes nothing", Doc: "Answers of this point are not joined.", Bad: `dsh.on("tools/guard", { raw = true }, function() return dsh.forbid "no" end)`},
		{ID: "raw-swallows", Severity: Warning, Title: "a raw handler that hides others", Doc: "With raw an answer is taken as it is. Given without next it hides the stricter answer of a rule behind it.", Bad: `dsh.on("tools/pre-execute", { raw = true }, function() return dsh.allow() end)`},
	}
}
