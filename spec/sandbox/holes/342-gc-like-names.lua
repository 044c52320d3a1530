-- category: escape
-- attack: __gc, __mode, __close and other names that hosts react to
-- unsafe: the script reaches the host
-- safe: the name is absent or the call fails
-- expect: SAFE
local n = 0
local mt = {__gc = function() n = n + 1 end, __mode = "k", __close = function() n = n + 1 end, __name = "x"}
do local t = setmetatable({}, mt) end
for i = 1, 2000 do local t = setmetatable({{}}, mt) end
if n ~= 0 then return "called " .. n end
if tostring(setmetatable({}, mt)):find("0x") then return "address" end
return "SAFE"
