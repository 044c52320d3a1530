-- category: freeze
-- attack: views as keys, in sets, and compared in every way
-- unsafe: the payload another script or the host sees is changed
-- safe: a clear error; the payload is unchanged
-- expect: SAFE
local p = ...
local t = {[p.input] = 1, [p.list] = 2}
if t[p.input] ~= 1 or t[p.list] ~= 2 or p.input == p.list then return "identity" end
if pcall(function() return p < p end) or pcall(function() return p + 1 end) or pcall(function() return p .. "x" end) or pcall(function() return p() end) then return "operation" end
if not rawequal(p.input, p.input) then return "rawequal" end
return "SAFE"
