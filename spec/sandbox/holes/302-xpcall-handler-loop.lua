-- category: cpu
-- attack: the handler of xpcall is called with the limit and loops
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
while true do xpcall(function() while true do end end, function() while true do end end) end
