-- category: crash
-- attack: more locals than registers
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: local a=1 |300|return a|1

