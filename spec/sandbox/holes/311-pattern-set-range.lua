-- category: cpu
-- attack: sets with thousands of ranges, all tried at each position
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
local set = "[" .. ("a-b"):rep(20000) .. "]*x"
while true do ("b"):rep(20000):match(set) end
