-- category: miscompile
-- attack: literals that other readers take for octal, NaN or two tokens
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
if 010 ~= 10 or 00777 ~= 777 or 1e999 ~= 1/0 or 0xff ~= 255 or 0x10p2 ~= 64 or .5 ~= 0.5 or 3. ~= 3 or 0xA ~= 10 then return "literal" end
if -2 ^ 2 ~= -4 or 2 ^ 3 ^ 2 ~= 512 or 5 % -3 ~= -1 or -5 % 3 ~= 1 then return "operator" end
return "SAFE"
