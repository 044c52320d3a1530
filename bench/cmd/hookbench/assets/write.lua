-- No write to files that a tool generates: the next run of that tool would undo
-- it, and a reviewer would not see where the change belongs.

local generated = {
  { "/vendor/", "is vendored" },
  { "/node_modules/", "belongs to the package manager" },
  { "/dist/", "is built" },
  { "go.sum", "is written by the go command" },
  { "package-lock.json", "is written by npm" },
}

dsh.on("tools/pre-execute", { action = "write" }, function(call)
  for _, file in ipairs(call.action.files) do
    for _, entry in ipairs(generated) do
      if string.find(file.path, entry[1], 1, true) then
        return dsh.deny(file.path .. " " .. entry[2])
      end
    end
  end
end)
