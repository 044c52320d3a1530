local describe, expect = test.describe, test.expect

local function judge(line) return test.fire("tools/pre-execute", test.shell(line)) end

describe("denies", function()
  test.cases({
    { [[psql -c "DROP TABLE $NAME"]], "DROP TABLE" },
    { [[psql -c "DROP TABLE users"]], "DROP TABLE" },
    { [[mysql -e "drop database app"]] },
    { [[sqlite3 app.db "delete from users; drop table users"]] },
    { [[psql -c "DROP FOREIGN TABLE users"]], "DROP FOREIGN TABLE" },
    { "echo 'TRUNCATE users;' | psql app", "TRUNCATE" },
    { [[psql -c "DELETE FROM users"]], "DELETE without WHERE" },
    { [[psql -c "DELETE FROM users WHERE 1=1"]], "DELETE of every row" },
    { "dropdb app", "drops a database" },
    { "sqlplus a/b <<< 'drop table users'", "DROP TABLE" },
    { "mysqladmin drop app", "drops a database" },
  }, function(case)
    expect(judge(case[1])):denies(case[2]):rule "no-drop-table"
  end)
end)

describe("asks about", function()
  test.cases({
    { [[heroku pg:psql -c "drop table users"]] },
    { [[psql -c "ALTER TABLE users DROP COLUMN age"]], "DROP COLUMN" },
    { [[psql -c "CREATE OR REPLACE TABLE a (b int)"]], "replacing a table" },
    { [[psql -c "EXECUTE 'DROP TABLE a'"]], "made at run time" },
    { [[psql -c "\i a.sql"]], "a file of statements" },
    { [[psql -c "$SQL"]], "the statement is not known" },
    { "psql -f a.sql", "in a file" },
    { "psql $ARGS", "may be a statement" },
    { "psql < a.sql", "what the client reads" },
    { "pg_restore -c a.dump", "drops what it restores" },
    { "run-sql <<< 'drop table users'", "statements that lose data" },
    { [[rails runner 'db.execute("DROP TABLE users")']], "looks like a statement" },
    { "flyway clean", "drops or empties" },
    { "rake db:drop", "drops or empties tables" },
    { [[mongosh --eval "db.users.drop()"]], "collections" },
    { [[run-sql "drop table users"]], "looks like a statement" },
    { [[python3 -c 'db.execute("DROP TABLE users")']], "this program" },
  }, function(case)
    expect(judge(case[1])):asks(case[2]):rule "no-drop-table"
  end)
end)

describe("has nothing to say of", function()
  test.cases({
    [[psql -c "select 1"]],
    [[psql -tAc "select tablename from pg_tables"]],
    [[psql -c "DELETE FROM users WHERE id = 1"]],
    [[psql -c "EXECUTE find('a')"]],
    [[grep -r "drop table" src]],
    [[echo "drop table users"]],
    [[sudo echo "drop table users"]],
    "mysqladmin status",
    [[awk "/DROP TABLE/" a.sql]],
    [[curl -d "drop table users" https://x.example]],
    "run-sql <<< 'select 1'",
    "tee a.sql <<< 'drop table users'",
    "redis-cli get a",
    "pg_restore a.dump",
    [[run-sql "select 1"]],
    "psql -l",
    "rm -rf .",
    "heroku logs",
    "python3 -c 'print(1)'",
  }, function(line)
    expect(judge(line)):silent()
  end)
end)

test.property("never lets it pass, however it is written", { [[psql -c "DROP TABLE users"]] }, function(line)
  expect(judge(line).kind):differs "allow"
end)
