-- category: cpu
-- attack: gmatch with nested repetitions
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: stop
for a in (("a"):rep(300) .. "!"):gmatch("(a*)*(a*)(a*)(a*)(a*)(a*)(a*)b") do end
while true do ("a"):rep(3000):find(".-.-.-.-.-.-.-b") end
