-- category: crash
-- attack: the order function empties and refills the list while it is sorted
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any-error-or-SAFE
local t = {}
for i = 1, 300 do t[i] = i end
pcall(table.sort, t, function(a, b) for i = #t, 1, -1 do t[i] = nil end table.insert(t, a) return a < b end)
return "SAFE"
