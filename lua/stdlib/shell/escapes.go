package shell

import (
	"regexp"
	"strings"
	"sync"
)

// escaped are the texts of shell that a text in another language runs.
type escaped struct {
	texts  []string
	hidden bool // there are more of which nobody can tell
	size   int
}

func (e *escaped) add(text string) {
	text = strings.TrimSpace(text)
	if e.size += len(text); text == "" || e.full() {
		e.hidden = true
		return
	}
	e.texts = append(e.texts, text)
}

// full reports whether the texts are longer than any line, as only texts within each
// other can be.
func (e *escaped) full() bool { return e.size > MaxLine }

// escapesOf finds them: by the grammar of the language where a pattern would take
// its strings or patterns for commands, else by patterns.
func escapesOf(language, text string) escaped {
	var out escaped
	switch language {
	case "sed":
		p := sedReader{text: text, out: &out, closed: strings.LastIndexByte(text, ']')}
		p.script()
	case "awk":
		p := awkReader{text: text, out: &out}
		p.program()
	case "make":
		makeEscapes(text, &out)
	case "ex":
		exEscapes(text, &out)
	default:
		for _, row := range escapeRows() {
			if row.language != language {
				continue
			}
			for _, found := range row.pattern.FindAllStringSubmatch(text, -1) {
				out.add(found[len(found)-1])
			}
		}
	}
	return out
}

// An escapeRow is a pattern for the commands of a language that run what its last
// group matches.
type escapeRow struct {
	language string
	pattern  *regexp.Regexp
}

var escapeRows = sync.OnceValue(func() []escapeRow {
	return []escapeRow{
		{"ed", regexp.MustCompile(`(?m)^[ \t]*[0-9,;.$+-]*(?:[rw][ \t]*)?!(.*)$`)},
		{"gdb", regexp.MustCompile(`(?m)^[ \t]*(?:!|(?:shell|make|platform shell)\b)(.*)$`)},
		{"gdb", regexp.MustCompile(`(?m)^[ \t]*(?:python|py|script)\b()`)},
		{"sql", regexp.MustCompile(`(?m)^[ \t]*(?:\\!|system\b|\.(?:shell|system)\b)(.*)$`)},
		{"sql", regexp.MustCompile(`(?i)\bPROGRAM\s+'((?:[^']|'')*)'`)},
		{"sql", regexp.MustCompile(`(?m)(?:\\[og][a-z]*|^[ \t]*\.(?:output|once|import))[ \t]+["']?\|(.*?)["']?$`)},
		{"less", regexp.MustCompile(`!(.*)$`)},
		{"cron", regexp.MustCompile(`(?m)^[ \t]*(?:@[a-z]+|(?:[0-9*][^ \t\n]*[ \t]+){4}[0-9*a-zA-Z][^ \t\n]*)[ \t]+(.*)$`)},
	}
})
