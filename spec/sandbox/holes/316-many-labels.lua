-- category: cpu
-- attack: forty thousand labels
-- unsafe: the call never ends, or ends long after the limit
-- safe: abort the call with a limit error within the wall limit plus a small margin
-- expect: load-error
-- gen: ::a|1|a|1|::|1| do end ::b:: do ::c:: end|20000

