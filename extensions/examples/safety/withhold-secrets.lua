-- Withholds the result of a call that shows a secret.
--
-- What has reached the model cannot be taken back, so the whole result is
-- withheld and the model is told how to go on. The patterns are those of tokens
-- that name themselves; each begins with letters that little else has, which makes it
-- cheap. A result that is too large to be looked at is withheld as well.

local json = require "json"
local re = require "re"

local secrets = {
  { "a private key", [[-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY]] },
  { "an access key of AWS", [[AKIA[0-9A-Z]{16}\b]] },
  { "a temporary access key of AWS", [[ASIA[0-9A-Z]{16}\b]] },
  { "a token of GitHub", [[ghp_[0-9A-Za-z]{36}]] },
  { "a token of GitHub", [[gho_[0-9A-Za-z]{36}]] },
  { "a token of GitHub", [[ghu_[0-9A-Za-z]{36}]] },
  { "a token of GitHub", [[ghs_[0-9A-Za-z]{36}]] },
  { "a token of GitHub", [[ghr_[0-9A-Za-z]{36}]] },
  { "a token of GitHub", [[github_pat_[0-9A-Za-z_]{40}]] },
  { "a token of GitLab", [[glpat-[0-9A-Za-z_-]{20}]] },
  { "a token of npm", [[npm_[0-9A-Za-z]{36}]] },
  { "a token of Slack", [[xox[abeoprs]-[0-9A-Za-z-]{10}]] },
  { "a key of Anthropic", [[sk-ant-[0-9A-Za-z_-]{20}]] },
  { "a key of OpenAI", [[sk-(?:proj-)?[0-9A-Za-z_-]{40}]] },
  { "a key of Google", [[AIza[0-9A-Za-z_-]{35}]] },
  { "a live key of Stripe", [[sk_live_[0-9A-Za-z]{20}]] },
  { "a live key of Stripe", [[rk_live_[0-9A-Za-z]{20}]] },
  { "a signed web token", [[eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}]] },
}

-- A password in a URL, unless it only stands for one.
local credentials = [[://[^/\s:@"'\\]+:([^/\s:@"'\\]+)@]]
local placeholder = [[^(?i:[*x.]+|<.*>|\$.*|%.*%|\{.*\}|\[.*\]|pass(?:word)?|secret|changeme|example|token|user|postgres|root|test)$]]

local most = 1024 * 1024 -- bytes that re looks at

-- What a text shows that nobody should see, or nil.
local function secret_in(text)
  for _, s in ipairs(secrets) do
    if re.match(s[2], text) then return s[1] end
  end
  for _, found in ipairs(re.all(credentials, text)) do
    if not re.match(placeholder, found.groups[1]) then return "a password in a URL" end
  end
end

dsh.on("tools/post-execute", { rule = "withhold-secrets" }, function(done)
  local text = json.encode(done.result)
  local found = #text > most and "more than can be searched for secrets" or secret_in(text)
  if found then
    return dsh.block {
      feedback = "The result is withheld: it holds " .. found .. ". Ask for what you need without it: the names of settings, "
        .. "whether a value is set, a part of the output. Do not try to read it in another way.",
    }
  end
end)
