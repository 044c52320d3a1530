-- category: miscompile
-- attack: strings as numbers, where both must agree or fail
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
if "10" + 1 ~= 11 or "0x10" * 1 ~= 16 or "010" + 0 ~= 10 or -"2" ~= -2 or "3" % 2 ~= 1 or 2 ^ "3" ~= 8 then return "arithmetic" end
if pcall(function() return "1_0" + 0 end) or pcall(function() return "inf" + 0 end) or pcall(function() return "" + 0 end) then return "accepted" end
if pcall(function() return 1 < "2" end) or pcall(function() return "a" + 1 end) then return "compared" end
if tonumber("0x") or tonumber("1e") or tonumber("1 2") or tonumber("--1") or tonumber("nan") or tonumber("infinity") then return "tonumber" end
if 1 == "1" or ("1"):rep("2") ~= "11" or 10 .. 20 ~= "1020" then return "mixed" end
return "SAFE"
