-- category: cpu
-- attack: an order function that is always true, on a large list
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: any-error-or-SAFE
local t = {}
for i = 1, 20000 do t[i] = i end
local ok = pcall(table.sort, t, function() return true end)
if #t ~= 20000 then return "items lost" end
return "SAFE"
