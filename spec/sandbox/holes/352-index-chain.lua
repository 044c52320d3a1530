-- category: cpu
-- attack: chains and cycles of __index and __newindex
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
local a, b = {}, {}
setmetatable(a, {__index = b, __newindex = b}) setmetatable(b, {__index = a, __newindex = a})
local k = "x"
while true do pcall(function() return a.x end) pcall(function() a[k] = 1 end) end
