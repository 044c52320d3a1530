-- category: crash
-- attack: every verb with every flag and extreme numbers
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: SAFE
for _, v in ipairs({"d","i","u","c","x","X","o","e","E","f","g","G","a","A","s","q","z","T","v","p","U"}) do
  for _, m in ipairs({"", "-", "+", " ", "#", "0", "99", ".99", "99.99", "-+ #099.99", ".", "-0"}) do
    for _, n in ipairs({0, -0, 1, -1, 2^53, 2^63, 1e308, -1e308, 5e-324, 1/0, -1/0, 0/0, "x", {}}) do
      local ok, s = pcall(string.format, "%" .. m .. v, n)
      if ok and (s:find("0xc0") or s:find("%%!") or s:find("lua%.")) then return s end
    end
  end
end
return "SAFE"
