-- category: crash
-- attack: errors raised from metamethods, iterators, order functions and replacements
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: SAFE
local function boom() error({"boom"}) end
local mt = {} for _, k in ipairs({"__index", "__newindex", "__call", "__add", "__concat", "__eq", "__lt", "__le", "__unm", "__len", "__tostring", "__pairs", "__mod", "__pow", "__div"}) do mt[k] = boom end
local a, b = setmetatable({}, mt), setmetatable({}, mt)
local n = 0
for _, f in ipairs({function() return a.x end, function() a.x = 1 end, function() return a() end, function() return a + 1 end, function() return a .. "x" end, function() return a == b end, function() return a < b end, function() return a <= b end, function() return -a end, function() return #a end, function() return tostring(a) end, function() for _ in pairs(a) do end end, function() return a % 2 end, function() table.sort({3, 2, 1}, boom) end, function() ("x"):gsub("x", boom) end, function() for _ in boom do end end, function() local k = "y" a[k] = 2 end}) do
  local ok, e = pcall(f)
  if ok or type(e) ~= "table" or e[1] ~= "boom" then return "number " .. n .. ": " .. tostring(e) end
  n = n + 1
end
return "SAFE"
