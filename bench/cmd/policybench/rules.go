package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A line of 140 bytes that breaks none of the rules.
const pipeline = `git log --oneline --author="A B" -n 200 -- src/runtime/engine docs/reference | grep -v 'Merge branch' | sort -u | head -30 > /tmp/changes.txt`

// lines are given to one run after the other, so that none was read just before.
func lines() []string {
	var list []string
	for end := 'a'; end <= 'z'; end++ {
		list = append(list, pipeline+string(end))
	}
	return list
}

// commandRules are five rules on commands: a program, its subcommand, and options
// that it must not have.
var commandRules = []struct{ name, sub, flags string }{
	{"rm", "", "r R recursive"},
	{"git", "push", "f force"},
	{"sort", "", "o output"},
	{"find", "", "delete"},
	{"git", "commit", "n no-verify"},
}

// textRules are five rules on the text, as guards have them.
var textRules = []string{
	`\brm\s+(-[a-zA-Z]*[rR][a-zA-Z]*\s+)+(/|~)`,
	`\bgit\s+push\b.*(--force\b|\s-f\b)`,
	`\b(curl|wget)\b[^|]*\|\s*(ba|z)?sh\b`,
	`(^|[;&|]\s*)sudo\b`,
	`\bgit\s+commit\b.*(--no-verify|\s-[a-z]*n)`,
}

// How many lines are judged for one time: in Go more than in Lua, so that both take
// about as long and what interrupts the machine hits both alike.
const (
	linesInLua = 60
	linesInGo  = 120
)

var errBroken = errors.New("the line breaks a rule")

// ruleEntries judge a line by five rules each way: in Lua through a module, and in
// Go by the same analysis.
func ruleEntries(ctx context.Context) ([]entry, error) {
	inShell, err := scripted(ctx, shellScript(findRule))
	if err != nil {
		return nil, err
	}
	inLoops, err := scripted(ctx, shellScript(loopRule))
	if err != nil {
		return nil, err
	}
	inText, err := scripted(ctx, textScript())
	if err != nil {
		return nil, err
	}
	return []entry{
		{shellInLua, linesInLua, inShell},
		{loopsInLua, linesInLua, inLoops},
		{shellInGo, linesInGo, shellRulesInGo()},
		{textInLua, linesInLua, inText},
		{textInGo, linesInGo, textRulesInGo()},
		{reading, linesInGo, readPipeline()},
	}, nil
}

// scripted puts lines to a policy that has no opinion of them.
func scripted(ctx context.Context, source string) (func() error, error) {
	opts := script.Options{Points: catalog.Points(), Actions: tool.ActionKinds()}
	loaded, err := script.Load(ctx, "rules.lua", source, opts)
	if err != nil {
		return nil, err
	}
	registry := new(point.Registry)
	if _, err := registry.Install(loaded); err != nil {
		return nil, err
	}
	var payloads []tool.Call
	for _, line := range lines() {
		payloads = append(payloads, call(line))
	}
	run, n := point.Run{Handlers: registry}, 0
	return func() error {
		n++
		answer, err := tool.PreExecute.Run(ctx, run, payloads[n%len(payloads)])
		if _, denied := answer.(tool.Deny); denied {
			return errBroken
		}
		return err
	}, nil
}

// A rule of a program and its options is one call of the module, or a loop over the
// commands as rules have it that look at more than that.
const (
	findRule = `local function rule(name, sub, flags)
  local program = sub and name .. " " .. sub or name
  return function(line) return shell.find(shell.parse(line), program, flags) end
end
`
	loopRule = `local function rule(name, sub, flags)
  return function(line)
    for _, command in ipairs(shell.parse(line).commands) do
      if command.name == name and command.sub == sub and shell.flag(command, flags) then return true end
    end
  end
end
`
)

// shellScript has rules that know nothing of each other, so each reads the line.
func shellScript(rule string) string {
	source := "local shell = require \"shell\"\n" + rule + "local rules = {}\n"
	for _, r := range commandRules {
		sub := "nil"
		if r.sub != "" {
			sub = fmt.Sprintf("%q", r.sub)
		}
		source += fmt.Sprintf("rules[#rules + 1] = rule(%q, %s, %q)\n", r.name, sub, r.flags)
	}
	return source + `dsh.on("tools/pre-execute", {action = "shell"}, function(call)
  for _, broken in ipairs(rules) do
    if broken(call.action.command) then return dsh.deny "a rule" end
  end
end)`
}

func textScript() string {
	source := "local re = require \"re\"\nlocal rules = {}\n"
	for _, r := range textRules {
		source += fmt.Sprintf("rules[#rules + 1] = [[%s]]\n", r)
	}
	return source + `dsh.on("tools/pre-execute", {action = "shell"}, function(call)
  for _, pattern in ipairs(rules) do
    if re.match(pattern, call.action.command) then return dsh.deny "a rule" end
  end
end)`
}

func shellRulesInGo() func() error {
	var p shell.Parser
	lines, n := lines(), 0
	return func() error {
		n++
		line := p.Parse(lines[n%len(lines)], shell.Options{Cwd: "/home/dev/project"})
		for _, r := range commandRules {
			for i := range line.Commands {
				c := &line.Commands[i]
				if c.Name != r.name {
					continue
				}
				parsed := c.Parsed()
				if _, has := parsed.Flag(strings.Fields(r.flags)...); has && parsed.Sub == r.sub {
					return errBroken
				}
			}
		}
		return nil
	}
}

func textRulesInGo() func() error {
	var rules []*regexp.Regexp
	for _, r := range textRules {
		rules = append(rules, regexp.MustCompile(r))
	}
	lines, n := lines(), 0
	return func() error {
		n++
		for _, r := range rules {
			if r.MatchString(lines[n%len(lines)]) {
				return errBroken
			}
		}
		return nil
	}
}

// readPipeline parses and walks a line, nothing more.
func readPipeline() func() error {
	var p shell.Parser
	return func() error {
		if line := p.Parse(pipeline, shell.Options{Cwd: "/home/dev/project", Home: "/home/dev"}); len(line.Commands) != 4 {
			return fmt.Errorf("read %d commands", len(line.Commands))
		}
		return nil
	}
}
