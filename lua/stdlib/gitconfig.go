package stdlib

import "strings"

// parseGitConfig reads a configuration of git. Keys are section.subsection.name,
// of which section and name are in lower case; of several values the last counts.
// Lines that are none are left out.
func parseGitConfig(text string) map[string]string {
	config := map[string]string{}
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimSpace(lines[i])
		}
		if strings.HasPrefix(line, "[") {
			var ok bool
			if section, line, ok = configSection(line); !ok {
				section = ""
				continue
			}
		}
		name, val, _ := strings.Cut(line, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if section == "" || name == "" || strings.ContainsAny(name[:1], "#;") {
			continue
		}
		config[section+"."+name] = configValue(strings.TrimSpace(val))
	}
	return config
}

// configSection reads [section] or [section "subsection"] and returns what stands
// behind it on the line.
func configSection(line string) (section, rest string, ok bool) {
	name, quoted := "", false
	var sub strings.Builder
	seen := false
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\' && i+1 < len(line):
			i++
			sub.WriteByte(line[i])
		case c == '"':
			quoted, seen = !quoted, true
		case quoted:
			sub.WriteByte(c)
		case c == ']':
			section = strings.ToLower(strings.TrimSpace(name))
			if seen {
				section += "." + sub.String()
			}
			return section, strings.TrimSpace(line[i+1:]), section != ""
		default:
			name += string(c)
		}
	}
	return "", "", false
}

// configEscapes are those within values.
var configEscapes = [256]byte{'n': '\n', 't': '\t', 'b': '\b', '"': '"', '\\': '\\'}

// configValue takes quotes, escapes and comments off a value.
func configValue(text string) string {
	var b strings.Builder
	quoted := false
	kept := 0 // bytes that stay if only white space follows
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if escaped := configEscapes[text[i]]; escaped != 0 {
				b.WriteByte(escaped)
			}
			kept = b.Len()
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept]
}
