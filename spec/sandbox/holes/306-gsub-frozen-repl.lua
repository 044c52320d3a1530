-- category: freeze
-- attack: gsub with a frozen list and object as replacement
-- unsafe: the payload another script or the host sees is changed
-- safe: a clear error; the payload is unchanged
-- expect: SAFE
local p = ...
local a = ("tool none"):gsub("%a+", function(k) return p[k] and type(p[k]) end)
local ok = pcall(string.gsub, "input", "%a+", p)
if ok then return "a table became text" end
if p.tool ~= "Bash" then return "changed" end
return "SAFE " .. a
