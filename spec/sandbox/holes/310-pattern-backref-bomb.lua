-- category: cpu
-- attack: back references to long captures
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
local s = ("ab"):rep(2000)
while true do s:find("(.*)%1%1%1x") end
