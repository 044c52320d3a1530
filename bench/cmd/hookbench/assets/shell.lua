-- No command that destroys what cannot be had back. The texts are searched for
-- as they stand, so a command that only mentions one of them is refused too.

local refused = {
  { "rm -rf /", "deletes everything from the root" },
  { "push --force", "rewrites history that others share" },
  { "reset --hard", "drops work that is not committed" },
  { "chmod -R 777", "opens the tree to every user" },
  { "mkfs.", "formats a device" },
}

dsh.on("tools/pre-execute", { action = "shell" }, function(call)
  local command = call.action.command
  for _, entry in ipairs(refused) do
    if string.find(command, entry[1], 1, true) then
      return dsh.deny(entry[2])
    end
  end
end)
