local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({ [[psql -c "DROP TABLE users"]], [[mysql -e "drop database app"]], [[sqlite3 app.db "delete from users; drop table users"]] }, function(line)
    expect(judge(line)):denies():rule "no-drop-table"
  end)
end)

describe("has nothing to say of", function()
  test.cases({ [[psql -c "select 1"]], [[grep -r "drop table" src]], [[echo "drop table users"]] }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[psql -c "DROP TABLE users"]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
