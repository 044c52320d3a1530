-- category: crash
-- attack: __index and __newindex functions that call themselves
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any-error-or-SAFE
local t t = setmetatable({}, {__index = function(_, k) return t[k] end, __newindex = function(_, k, v) t[k] = v end})
pcall(function() return t.x end) pcall(function() t.x = 1 end) pcall(function() t[t] = t end)
return "SAFE"
