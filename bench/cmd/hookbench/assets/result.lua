-- Tells the model what it cannot see: that a command took long, so that it
-- runs the command again only when it has to.

local limits = {
  { 600000, "That took over ten minutes; do not repeat it." },
  { 120000, "That took over two minutes; repeat it only after a change." },
  { 30000, "That took over half a minute." },
}

dsh.on("tools/post-execute", { action = "shell" }, function(done)
  for _, limit in ipairs(limits) do
    if done.duration_ms > limit[1] then
      return { kind = "accept", contexts = { limit[2] } }
    end
  end
end)
