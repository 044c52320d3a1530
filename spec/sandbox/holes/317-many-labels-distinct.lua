-- category: cpu
-- attack: deeply nested blocks with gotos
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: any
-- gen: do goto x |4000| ::x:: end|4000

