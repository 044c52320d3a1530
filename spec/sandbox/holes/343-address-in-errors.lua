-- category: escape
-- attack: read an address from the text of any error
-- unsafe: the script reaches the host
-- safe: the name is absent or the call fails
-- expect: SAFE
local function leak(f, ...)
  local ok, e = pcall(f, ...)
  e = tostring(e)
  if e:find("0x%x+") or e:find("%(%*?lua%.") or e:find("goroutine") or e:find("runtime error") then return e end
end
local t, f = {}, function() end
local tries = {
  function() local x = nil return x[t] end, function() local x = nil x[t] = 1 end, function() return t + 1 end,
  function() return t .. f end, function() return t < {} end, function() return #f end, function() return -t end,
  function() return f() .. t end, function() return ("x")[t].y end, function() t() end, function() return 1 < t end,
  function() error(t) end, function() error(f) end, function() string.format("%d", t) end, function() string.rep(t, 1) end,
  function() setmetatable(1, t) end, function() ipairs(f) end, function() next({}, t) end, function() unpack(f) end,
  function() table.concat({t}) end, function() ("x"):gsub("x", function() return t end) end, function() tonumber("1", t) end,
  function() string.format("%s %s", t, f) error(string.format("%s", t)) end, function() error(tostring(f)) end,
  function() select(-5, 1) end, function() math.max(t) end, function() string.char(-1) end, function() for i = 1, t do end end,
}
for i, try in ipairs(tries) do local found = leak(try) if found then return i .. ": " .. found end end
return "SAFE"
