-- category: escape
-- attack: setmetatable and getmetatable on every kind of value
-- unsafe: the script reaches the host
-- safe: the name is absent or the call fails
-- expect: SAFE
local p = ...
for _, v in ipairs({1, "x", true, print or type, p, string, table, math, _G}) do
  local mt = getmetatable(v)
  if type(mt) == "table" then return "a metatable is visible: " .. type(v) end
  if v ~= _G and pcall(setmetatable, v, {}) then return "metatable set on " .. type(v) end
end
if getmetatable(nil) then return "nil has one" end
return "SAFE"
