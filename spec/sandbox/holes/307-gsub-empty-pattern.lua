-- category: cpu
-- attack: gsub of the empty pattern over a large text, again and again
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
local s = ("x"):rep(100000)
while true do s = s:gsub("", "") end
