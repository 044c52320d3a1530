-- category: memory
-- attack: twenty thousand functions
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: load-error
-- gen: local f = function() end f() |9000

