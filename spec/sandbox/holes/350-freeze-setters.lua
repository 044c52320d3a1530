-- category: freeze
-- attack: every function of the library that writes, on a view
-- unsafe: the payload another script or the host sees is changed
-- safe: a clear error; the payload is unchanged
-- expect: SAFE
local p = ...
for i, f in ipairs({
  function() p.tool = 1 end, function() p[1] = 1 end, function() p.list[1] = 1 end, function() p.list[#p.list + 1] = 1 end,
  function() rawset(p, "tool", 1) end, function() setmetatable(p, {}) end, function() table.insert(p.list, 1) end,
  function() table.remove(p.list) end, function() table.sort(p.list) end, function() p.input.command = nil end,
  function() local k = "tool" p[k] = 1 end, function() p.list[10] = nil end, function() function p.f() end end, function() function p:m() end end,
}) do if pcall(f) then return "write " .. i .. " went through" end end
return "SAFE"
