-- category: crash
-- attack: a function with 250 upvalues in nested functions
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: any-error-or-SAFE
local src = 1
local a1,a2,a3,a4,a5,a6,a7,a8,a9,a10 = 1,2,3,4,5,6,7,8,9,10
local function f()
  local b1,b2,b3,b4,b5 = a1,a2,a3,a4,a5
  return function() return a1+a2+a3+a4+a5+a6+a7+a8+a9+a10+b1+b2+b3+b4+b5 end
end
if f()() ~= 70 then return "got " .. tostring(f()()) end
return "SAFE"
