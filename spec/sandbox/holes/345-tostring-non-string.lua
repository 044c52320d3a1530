-- category: types
-- attack: __tostring that returns no string, in every place that asks for it
-- unsafe: a crash or an endless walk while the host converts the returned value
-- safe: a validation error that names the path
-- expect: SAFE
local bad = setmetatable({}, {__tostring = function() return {} end})
if pcall(tostring, bad) or pcall(string.format, "%s", bad) then return "accepted" end
local num = setmetatable({}, {__tostring = function() return 12 end})
if type(tostring(num)) ~= "string" then return "not a string" end
local ok = pcall(error, bad)
return "SAFE"
