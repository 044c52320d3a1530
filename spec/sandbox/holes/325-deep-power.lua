-- category: crash
-- attack: a right-associative chain of powers
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: return 2|1|^2|40000

