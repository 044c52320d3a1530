-- category: crash
-- attack: unpack, select, byte and sub with extreme ranges
-- unsafe: host process dies or a Go runtime panic surfaces
-- safe: raise an ordinary error or return SAFE; the host stays up
-- expect: SAFE
for _, i in ipairs({-1e308, -2^53, -2^31, -1, 0, 1, 2^31, 2^53, 1e308, 1/0, -1/0, 0/0}) do
  for _, j in ipairs({-1e308, -1, 0, 1, 2^31, 1e308, 1/0, 0/0}) do
    pcall(unpack, {1, 2}, i, j) pcall(string.sub, "abc", i, j) pcall(string.byte, "abc", i, j) pcall(select, i, 1, 2)
    pcall(string.find, "abc", "b", i) pcall(table.concat, {1}, "", i, j) pcall(string.rep, "", i) pcall(table.insert, {}, i, 1)
    pcall(table.remove, {1}, i) pcall(string.gsub, "abc", "b", "", i) pcall(math.ldexp, i, j) pcall(string.char, i) pcall(tonumber, "1", i)
  end
end
return "SAFE"
