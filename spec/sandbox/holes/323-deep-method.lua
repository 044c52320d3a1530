-- category: crash
-- attack: deeply nested function literals as arguments
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: load-error
-- gen: local f=type |1|f(function() |5000|return 1 |1| end)|5000

