// Package rule reads permission rules as Claude Code writes them, "Bash(git *)",
// and holds tool calls against them.
//
// A rule about a shell command looks at every simple command in it, through
// lists, pipes, substitutions and variables set in front. A command that cannot
// be parsed fits every rule about its tool: what a rule guards must not be
// skipped because of a quote that is missing.
package rule

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
)

// A Rule is one permission rule. The zero Rule fits every call.
type Rule struct {
	tool    string
	content string
	whole   bool // there is no content: every call of the tool fits
}

// form is the shape of a rule. Most processes read none.
var form = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_\-]*(?:\*)?)(?:\((.*)\))?$`)
})

// Parse reads a rule. The empty text is a rule that fits every call.
func Parse(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Rule{}, nil
	}
	parts := form().FindStringSubmatchIndex(text)
	if parts == nil {
		return Rule{}, fmt.Errorf("%q is no permission rule; expected Tool or Tool(what)", text)
	}
	r := Rule{tool: text[parts[2]:parts[3]], whole: parts[4] < 0}
	if !r.whole {
		r.content = text[parts[4]:parts[5]]
		r.whole = r.content == "" || r.content == "*"
	}
	if !r.whole && !strings.HasPrefix(r.tool, "mcp__") && subjects[r.tool].fits == nil {
		return Rule{}, fmt.Errorf("%q: a rule about %s has no content", text, r.tool)
	}
	return r, nil
}

// A Call is what a rule is held against.
type Call struct {
	Tool    string
	Aliases []string // further names of the tool
	Input   json.RawMessage
	Cwd     string // of the session
	Home    string
}

// Fits reports whether the call is one that the rule speaks of.
func (r Rule) Fits(c Call) bool {
	if r.tool == "" {
		return true
	}
	named := r.names(c.Tool)
	for _, alias := range c.Aliases {
		named = named || r.names(alias)
	}
	if !named || r.whole {
		return named
	}
	subject, known := subjects[r.tool]
	if !known {
		return false
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(c.Input, &input) != nil {
		return false
	}
	for _, field := range subject.fields {
		var text string
		if json.Unmarshal(input[field], &text) == nil && input[field] != nil {
			return subject.fits(r.content, text, c)
		}
	}
	return false
}

// names reports whether the rule is about a tool. The name of an MCP server
// stands for all of its tools.
func (r Rule) names(tool string) bool {
	if r.tool == tool {
		return true
	}
	if !strings.HasPrefix(r.tool, "mcp__") {
		return false
	}
	if prefix, wild := strings.CutSuffix(r.tool, "*"); wild {
		return strings.HasPrefix(tool, prefix)
	}
	return strings.Count(r.tool, "__") == 1 && strings.HasPrefix(tool, r.tool+"__")
}

// A subject is what the content of a rule about a tool is compared with.
type subject struct {
	fields []string // of the input; the first that is there
	fits   func(content, text string, c Call) bool
}

// subjects lists the tools that have one.
var subjects = map[string]subject{
	"Bash":         {[]string{"command"}, command},
	"PowerShell":   {[]string{"command"}, func(content, text string, _ Call) bool { return line(content, text) }},
	"Read":         {[]string{"file_path"}, file},
	"Write":        {[]string{"file_path"}, file},
	"Edit":         {[]string{"file_path"}, file},
	"MultiEdit":    {[]string{"file_path"}, file},
	"NotebookEdit": {[]string{"notebook_path"}, file},
	"Glob":         {[]string{"path"}, file},
	"Grep":         {[]string{"path"}, file},
	"WebFetch":     {[]string{"url"}, domain},
	"WebSearch":    {[]string{"query"}, exact},
	"Agent":        {[]string{"subagent_type"}, exact},
	"Task":         {[]string{"subagent_type"}, exact},
	"Skill":        {[]string{"skill", "command"}, func(content, text string, _ Call) bool { return line(content, text) }},
}

func exact(content, text string, _ Call) bool { return content == text }

// domain compares the host of an address with "domain:HOST".
func domain(content, text string, _ Call) bool {
	want, is := strings.CutPrefix(content, "domain:")
	u, err := url.Parse(text)
	if !is || err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if parent, wild := strings.CutPrefix(want, "*."); wild {
		return strings.HasSuffix(host, "."+strings.ToLower(parent))
	}
	return host == strings.ToLower(want)
}

// line compares one command line with a pattern: "git:*" and "git *" are git
// with any arguments or none, other stars are any text, all else is exact.
func line(pattern, text string) bool {
	text = strings.TrimSpace(text)
	if prefix, is := strings.CutSuffix(pattern, ":*"); is {
		return text == prefix || strings.HasPrefix(text, prefix+" ")
	}
	if prefix, is := strings.CutSuffix(pattern, " *"); is && wild(prefix, text) {
		return true
	}
	return wild(pattern, text)
}

// wild compares a text with a pattern in which a star is any text.
func wild(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, is := strings.CutPrefix(text, parts[0])
	if !is {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// file compares a path with a pattern as .gitignore writes them: "//" begins an
// absolute one, "~/" one in the home folder, "/" and "./" one in the folder of
// the session; one without a slash fits at any depth.
func file(pattern, name string, c Call) bool {
	if !path.IsAbs(name) {
		name = path.Join(c.Cwd, name)
	}
	name = path.Clean(name)
	if inHome, is := strings.CutPrefix(pattern, "~/"); is {
		return c.Home != "" && globbed(path.Join(c.Home, inHome), name)
	}
	if absolute, is := strings.CutPrefix(pattern, "//"); is {
		return globbed("/"+absolute, name)
	}
	relative := strings.TrimPrefix(strings.TrimPrefix(pattern, "."), "/")
	if !strings.Contains(strings.TrimSuffix(relative, "/"), "/") && !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "./") {
		return globbed("/**/"+pattern, name)
	}
	return globbed(path.Join(c.Cwd, relative), name)
}

// globbed compares a clean absolute path with a pattern: "**" is any folders,
// "*" and "?" stay within one, and a folder holds what is in it.
func globbed(pattern, name string) bool {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "/**/"):
			b.WriteString("/(?:.*/)?")
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	b.WriteString(`(?:/.*)?$`)
	re, err := regexp.Compile(b.String())
	return err == nil && re.MatchString(name)
}
