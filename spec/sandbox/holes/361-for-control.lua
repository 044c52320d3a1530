-- category: miscompile
-- attack: generic for with missing, surplus and open control values
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local function it(s, c) c = (c or 0) + 1 if c <= 3 then return c end end
local function none() end
local n = 0
for i in it do n = n + i end
for i in it, nil, none() do n = n + i end
for i in it, none() do n = n + i end
for i in it, nil, 1, 99 do n = n + i end
if n ~= 23 then return "got " .. n end
return "SAFE"
