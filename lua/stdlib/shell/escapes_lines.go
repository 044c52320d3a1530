package shell

import (
	"regexp"
	"strings"
	"sync"
)

// What commands of vi and ex run.
var exPatterns = sync.OnceValue(func() (p struct{ modifier, run, hidden, call *regexp.Regexp }) {
	p.modifier = regexp.MustCompile(`^(?:[ \t:%0-9,.$+-]+|'[a-z<>]|/[^/]*/|(?:sil(?:ent)?|noa(?:utocmd)?|kee[a-z]*|verb(?:ose)?|vert(?:ical)?|tab|bufdo|windo|argdo|tabdo|[gv]/[^/]*/|global/[^/]*/)(?:!|\b)?)`)
	p.run = regexp.MustCompile(`^(?:(?:r|re|rea|read|w|wr|wri|writ|write)[! \t]*(?:\+\+[^ \t]+[ \t]*)*!|!|te(?:r|rm|rminal|rmi|rmin|rmina)?!?[ \t]+(?:\+\+[^ \t]+[ \t]*)*)(.*)$`)
	p.hidden = regexp.MustCompile(`^(?:(?:sh|she|shell|so|source|ru|runtime)\b|(?:py[a-z0-9]*|perl?|perld[a-z]*|rub[a-z]*|tcl[a-z]*|lua[a-z]*|mz[a-z]*|exe[a-z]*)\b.*(?:!|system|exec|popen|spawn|os\.|io\.|vim\.|sh\b))`)
	p.call = regexp.MustCompile(`(?:system|systemlist|job_start|jobstart|termopen|term_start|libcall)\s*\(\s*(?:'([^']*)'\s*\)|"([^"]*)"\s*\))?`)
	return p
})

// exEscapes reads commands of vi and ex, which a bar or a line break parts.
func exEscapes(text string, out *escaped) {
	patterns := exPatterns()
	for line := range strings.SplitSeq(text, "\n") {
		for _, call := range patterns.call.FindAllStringSubmatch(line, -1) {
			out.add(call[1] + call[2])
		}
		for line != "" {
			if m := patterns.modifier.FindString(line); m != "" {
				line = line[len(m):]
				continue
			}
			if run := patterns.run.FindStringSubmatch(line); run != nil {
				out.add(run[1])
				break
			}
			first, rest, _ := strings.Cut(line, "|")
			if patterns.hidden.MatchString(first) {
				out.hidden = true
			}
			line = rest
		}
	}
}

// What lines of a makefile run.
var makePatterns = sync.OnceValue(func() (p struct{ shell, set, target, name *regexp.Regexp }) {
	p.shell = regexp.MustCompile(`\$[({]shell\s+`)
	p.set = regexp.MustCompile(`^[A-Za-z0-9_.-]+\s*!=\s*(.*)$`)
	p.target = regexp.MustCompile(`^[^\t=#][^=;]*:[^=;]*;(.*)$`)
	p.name = regexp.MustCompile(`\$(?:\$|\([^()]*\)|\{[^{}]*\}|.)`)
	return p
})

// makeEscapes reads a makefile. Which of its targets are made is not looked at.
func makeEscapes(text string, out *escaped) {
	patterns := makePatterns()
	for _, at := range patterns.shell.FindAllStringIndex(text, -1) {
		if out.full() {
			return
		}
		out.add(recipe(enclosed(text[at[1]:], text[at[0]+1])))
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			if rest = recipe(rest); rest != "" {
				out.add(rest)
			}
			continue
		}
		for _, pattern := range []*regexp.Regexp{patterns.set, patterns.target} {
			if found := pattern.FindStringSubmatch(line); found != nil {
				out.add(recipe(found[1]))
			}
		}
	}
}

// enclosed returns what stands in front of the bracket that closes the one given.
func enclosed(text string, open byte) string {
	closing := map[byte]byte{'(': ')', '{': '}'}[open]
	for i, depth := 0, 0; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case closing:
			if depth == 0 {
				return text[:i]
			}
			depth--
		}
	}
	return text
}

// recipe makes a line of shell of one of make: its variables are not known.
func recipe(text string) string {
	text = strings.TrimLeft(text, " \t@+-")
	return makePatterns().name.ReplaceAllStringFunc(text, func(name string) string {
		if name == "$$" {
			return "$"
		}
		return "$_unknown"
	})
}
