-- category: miscompile
-- attack: a loop whose body begins with a jump
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local n = 0
for _ in pairs({1, 2, 3}) do if nil then n = n + 100 elseif true then n = n + 1 end end
for _ in next, {1, 2, 3} do local v = true or n n = n + (v and 1 or 100) end
local i = 0
repeat local x = nil and i i = i + 1 n = n + 1 until i == 3
while true do while true do break end n = n + 1 if n > 11 then break end end
do local k = 0 ::top:: local w = false or k k = k + 1 n = n + 1 if k < 3 then goto top end end
if n ~= 15 then return "got " .. n end
return "SAFE"
