-- category: tamper
-- attack: libraries as metatables and with metatables
-- unsafe: the next script sees something changed
-- safe: an error; nothing is changed
-- expect: SAFE
local t = setmetatable({}, {__index = string})
if pcall(setmetatable, string, {__index = function() return 1 end}) then return "set" end
if pcall(setmetatable, {}, string) then return "library as metatable" end
pcall(function() t.upper = 1 end)
if string.upper == 1 then return "changed" end
if pcall(rawset, string, "upper", 1) or pcall(rawset, math, 1, 1) then return "rawset" end
if pcall(table.insert, string, 1) or pcall(table.sort, string) or pcall(table.remove, string) then return "table function" end
return "SAFE"
