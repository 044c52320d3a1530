-- category: crash
-- attack: a chain of fifty thousand operators
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any
-- gen: return 1|1| and 1|40000

