-- category: crash
-- attack: a hundred thousand unary operators
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: return |1|not |50000|1|1

