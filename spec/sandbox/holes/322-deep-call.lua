-- category: crash
-- attack: sixty thousand calls in one expression
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: local a return a|1|()|60000

