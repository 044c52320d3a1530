-- category: crash
-- attack: a long pattern of nothing but captures and frontiers
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any-error-or-SAFE
local p = ("%f[%w]()"):rep(5000)
pcall(string.find, "word", p)
pcall(string.find, "word", ("[" .. "%w"):rep(3000))
pcall(string.find, "word", ("(()"):rep(3000))
return "SAFE"
