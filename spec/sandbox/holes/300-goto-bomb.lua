-- category: cpu
-- attack: nested backward gotos
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
local i = 0
::a::
i = i + 1
do ::b:: i = i + 1 if i % 3 > 0 then goto b end end
goto a
