-- category: miscompile
-- attack: escapes that are read as plain letters
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: load-error
return "\x41\u{42}\z  c"
