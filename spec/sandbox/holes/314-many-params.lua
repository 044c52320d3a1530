-- category: crash
-- attack: a call with more arguments than registers
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: local f=type return f(1|1|,1|400|)|1

