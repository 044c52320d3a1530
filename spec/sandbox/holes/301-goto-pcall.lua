-- category: cpu
-- attack: a goto around a pcall that catches the limit
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
::again::
pcall(function() while true do end end)
goto again
