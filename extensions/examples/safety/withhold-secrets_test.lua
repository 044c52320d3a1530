local it, expect = test.it, test.expect

local function show(text)
  return test.fire("tools/post-execute", { result = { kind = "success", value = text } })
end

it("lets an ordinary result through", function() expect(show "all is well"):silent() end)

test.cases({
  { "a key", "-----BEGIN RSA PRIVATE KEY-----" },
  { "an access key", "AKIAABCDEFGHIJKLMNOP" },
  { "a token of GitHub", "ghp_" .. ("a"):rep(36) },
  { "a password in a URL", "postgres://app:hunter2@db/x" },
}, function(case)
  expect(show("x " .. case[2] .. " y")):blocks "is withheld":rule "withhold-secrets"
end)

test.cases({ "postgres://app:password@db/x", "https://example.com/a:b@c", "AKIAshort" }, function(text)
  expect(show(text)):silent()
end)

it("says what it found", function() expect(show("AKIAABCDEFGHIJKLMNOP")):blocks "an access key of AWS" end)

it("does not trust what is too large to look at", function()
  expect(show(("x"):rep(1100000))):blocks "more than can be searched"
end)
