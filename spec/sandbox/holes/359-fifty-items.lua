-- category: miscompile
-- attack: exactly fifty list items before a named field or a call
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local function g() return "g1", "g2" end
local t = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50, k = g(), g()}
if t[1] ~= 1 or t[50] ~= 50 or t[51] ~= "g1" or t[52] ~= "g2" or t.k ~= "g1" or #t ~= 52 then return "list " .. tostring(t[1]) .. tostring(t[51]) .. #t end
return "SAFE"
