local limit = tonumber("ten") + 1 --- want: "load: attempt to perform arithmetic"
dsh.on("tools/pre-execute", { rule = "x" }, function(call) if #call.tool > limit then return dsh.deny "no" end end)
