package shell

import "strings"

const blanks = " \t\n"

// separators returns the value of IFS if the line has set it to something else than
// blanks; one that is not known is the unknown mark.
func (st *state) separators() (ifs string, set bool) {
	v, ok := st.lookup("IFS")
	if !ok || !v.isList && len(v.texts) == 0 {
		return blanks, false
	}
	if v.isList || len(v.texts) != 1 {
		return unknown, true
	}
	return v.texts[0], v.texts[0] != blanks
}

// fields returns what is to be split at blanks for options that are split at IFS:
// where that would be other words nobody can tell which.
func (st *state) fields(options []content) []content {
	ifs, set := st.separators()
	if !set {
		return options
	}
	out := make([]content, 0, len(options))
	for _, o := range options {
		text := o.text + strings.Join(o.list, "")
		if o.way == nil && (strings.Contains(ifs, unknown) || strings.ContainsAny(text, ifs+blanks)) {
			o = content{text: unknown, many: true, from: o.from}
		}
		out = append(out, o)
	}
	return out
}
