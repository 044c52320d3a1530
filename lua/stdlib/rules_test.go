package stdlib_test

import "testing"

const vendored = `local set = rules.new({
  { name = "no-vendor", reason = "vendored files are generated", hint = "change their source", match = "/vendor/" },
  { name = "no-lock", reason = "locks are generated", match = function(part) return path.base(part.path or part) == "x.lock" end },
}, {
  { rule = "no-vendor", path = "vendor/ours/**", expires = "2026-03-04", because = "is being moved" },
  { rule = "no-vendor", path = "/opt/vendor/*" },
  { rule = "no-lock", path = "old/**", expires = "2026-03-03" },
}) `

func TestRules(t *testing.T) {
	l := newLab(t, invented())
	for _, q := range []question{
		{`set:deny({{path = "/home/dev/app/src/a"}, {path = "/home/dev/app/vendor/a"}})`, `{"contexts":["change their source"],"kind":"deny","reason":"no-vendor: vendored files are generated"}`, ""},
		{`set:ask("x.lock")`, `{"kind":"ask","reason":"no-lock: locks are generated"}`, ""},
		{`set:deny({"a", "b"})`, `nil`, ""},
		{`set:deny({})`, `nil`, ""},
		{`set:hit({"/a/vendor/b"})`, `{"hint":"change their source","part":"/a/vendor/b","reason":"vendored files are generated","rule":"no-vendor"}`, ""},
		// an exception is for its rule, its path and its time
		{`set:deny("/home/dev/app/vendor/ours/a/b")`, `nil`, ""},
		{`set:deny("/elsewhere/vendor/ours/a").kind`, `"deny"`, ""},
		{`set:deny("/home/dev/app/vendor/ours/x.lock").reason`, `"no-lock: locks are generated"`, ""},
		{`set:deny("/opt/vendor/a")`, `nil`, ""},
		{`set:deny("/opt/vendor/a/b").kind`, `"deny"`, ""},
		{`set:deny("/home/dev/app/old/x.lock").kind`, `"deny"`, ""},
		// both the path and where it really is
		{`set:deny({{path = "/home/dev/app/vendor/ours/a", real = "/home/dev/app/vendor/theirs/a"}}).kind`, `"deny"`, ""},
		{`set:deny({{path = "/home/dev/app/vendor/ours/a", real = "/home/dev/app/vendor/ours/b"}})`, `nil`, ""},
		// allow only if every part does
		{`set:every({"/vendor/a", "x.lock"})`, `true`, ""},
		{`set:every({"/vendor/a", "b"})`, `false`, ""},
		{`set:every({})`, `false`, ""},

		{`set:deny()`, "", "set:deny: parts: want string|any[], got nil"},
		{`set:deny({a = 1})`, "", "parts: expected list"},
		{`set:deny({1})`, "", `rule "no-vendor": a pattern is for a part that is a text or has a path, got number`},
		{`set:deni({})`, "", `set has no "deni"; did you mean "deny"?`},
		{`set:every(json.decode('["/vendor/a"]'))`, `true`, ""},
	} {
		question{vendored + "return " + q.expression, q.want, q.wantErr}.put(t, l)
	}
}

// Without the time of the event no exception that expires holds.
func TestRulesWithoutTime(t *testing.T) {
	s := invented()
	s.Clock = nil
	l := newLab(t, s)
	question{vendored + `return set:deny("/home/dev/app/vendor/ours/a").kind`, `"deny"`, ""}.put(t, l)
	question{vendored + `return set:deny("/opt/vendor/a")`, `nil`, ""}.put(t, l)
}

// Mistakes are found when the rules are made.
func TestRulesAreChecked(t *testing.T) {
	ask(t, invented(), []question{
		{`rules.new({})`, "", "rules.new: rules: want a list of rules"},
		{`rules.new({{name = "a", reason = "b", mach = "c"}})`, "", `rules[1].mach: no such field; did you mean "match"?`},
		{`rules.new({{name = "a", match = "c"}})`, "", `rules[1].reason: want a text, got nil`},
		{`rules.new({{name = "a", reason = "b"}})`, "", `rules[1].match: want a text or a list of them, got nil`},
		{`rules.new({{name = "a", reason = "b", match = "("}})`, "", `rules[1].match: pattern: missing closing )`},
		{`rules.new({{name = "a", reason = "b", match = "c"}, {name = "a", reason = "b", match = "c"}})`, "", `rules[2].name: two rules are called "a"`},
		{`rules.new({{name = "no-rm", reason = "b", match = "c"}}, {{rule = "no-mr", path = "x"}})`, "", `exceptions[1].rule: no rule "no-mr"; did you mean "no-rm"?`},
		{`rules.new({{name = "a", reason = "b", match = "c"}}, {{rule = "a"}})`, "", `exceptions[1].path: want a text or a list`},
		{`rules.new({{name = "a", reason = "b", match = "c"}}, {{rule = "a", path = "[x"}})`, "", `exceptions[1].path: pattern cannot be read`},
		{`rules.new({{name = "a", reason = "b", match = "c"}}, {{rule = "a", path = "x", expires = "soon"}})`, "", `exceptions[1].expires: want a date such as 2026-12-31, got "soon"`},
	})
}
