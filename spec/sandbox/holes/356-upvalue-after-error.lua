-- category: miscompile
-- attack: a captured variable that changes after a caught error
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local x = 1
local function get() return x end
pcall(error, "e")
x = 2
if get() ~= 2 then return "got " .. get() end
local function set(v) x = v end
pcall(error) set(3)
if x ~= 3 then return "kept " .. x end
return "SAFE"
