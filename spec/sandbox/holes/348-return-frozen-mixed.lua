-- category: types
-- attack: views, libraries and functions within the returned value
-- unsafe: a crash or an endless walk while the host converts the returned value
-- safe: a validation error that names the path
-- expect: any
local p = ...
return {kind = "deny", a = p.input, b = string, c = {p.list, {p}}, d = type, e = {[1.5] = 1, [true] = 2, [p] = 3}}
