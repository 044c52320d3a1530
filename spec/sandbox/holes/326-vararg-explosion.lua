-- category: memory
-- attack: varargs that double by recursion
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local function f(n, ...) if n == 0 then return select("#", ...) end return f(n - 1, ..., ...) end
local function g(n, ...) if n == 0 then return ... end return g(n - 1, 1, 1, 1, 1, ...) end
pcall(g, 1e9, 1)
return "SAFE"
