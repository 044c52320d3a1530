-- dsh: ignore unanchored
dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  if call.tool:find("Bash") then return dsh.deny "no" end
  -- dsh: ignore truthy-or
  if call.tool == "Bash" or "Write" then return dsh.deny "no" end
  if not call.tool == "Bash" then return dsh.deny "no" end -- dsh: ignore not-binds-tighter
end)
