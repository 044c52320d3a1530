-- category: miscompile
-- attack: a call in parentheses assigned to the last parameter
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local function f(x) x = (tostring(x)) return x end
local function g(s) s = s .. "y" return s end
local function h(a, x) x = (select(1, x, a)) return x end
if f(5) ~= "5" or g("x") ~= "xy" or h(1, 2) ~= 2 then return "got " .. tostring(f(5)) end
return "SAFE"
