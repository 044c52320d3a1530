-- category: cpu
-- attack: an error object whose __tostring raises another such object
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: any-error-or-SAFE
local mt = {}
mt.__tostring = function() error(setmetatable({}, mt)) end
for i = 1, 1e7 do pcall(tostring, setmetatable({}, mt)) end
return "SAFE"
