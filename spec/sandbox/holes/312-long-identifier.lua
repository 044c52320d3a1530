-- category: crash
-- attack: an identifier of 200 KB
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any-error-or-SAFE
-- gen: local |1|a|200000| = 1 return "SAFE"|1
return "SAFE"
