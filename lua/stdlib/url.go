package stdlib

import (
	"net/url"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const maxURL = 16 << 10

func urlModule() Module {
	text := []Field{{"text", "string", ""}}
	return Module{
		Name: "url",
		Doc:  "Takes URLs of at most 16 KiB apart, as a browser would: what a rule must not do with patterns.",
		Classes: []Class{{Name: "dsh.url.URL", Doc: "The parts of a URL; parts that are not there are absent.", Fields: []Field{
			{"scheme", "string?", "in lower case"},
			{"user", "string?", "the name before `@`"},
			{"has_password", "boolean", "whether a password stands there too"},
			{"host", "string?", "in lower case, without port and without the dot of a full name"},
			{"port", "integer?", "as written; absent if the scheme implies it"},
			{"path", "string", "decoded"},
			{"query", "table<string, string[]>", "decoded, in the order of the text for each name"},
			{"fragment", "string?", "decoded"},
		}}},
		Functions: []Function{
			{Name: "parse", Doc: "Takes a URL apart. Nil and the reason if it is none.", Params: text, Returns: []Field{{"", "dsh.url.URL?", ""}, {"", "string?", "why not"}}, Call: urlParse},
			{Name: "within", Doc: "Reports whether the host of a URL, or a host alone, is the domain or below it. A text that is no URL is within nothing.", Params: []Field{{"url", "string", ""}, {"domain", "string|string[]", "without a dot in front"}}, Returns: []Field{{"", "boolean", ""}}, Call: urlWithin},
			{Name: "encode", Doc: "Escapes a text so that it can stand in a query.", Params: text, Returns: []Field{{"", "string", ""}}, Call: urlEncode},
			{Name: "decode", Doc: "Undoes that. Nil if an escape is broken.", Params: text, Returns: []Field{{"", "string?", ""}}, Call: urlDecode},
		},
	}
}

func urlParse(c *Call) error {
	text, err := c.Capped(1, maxURL)
	if err != nil {
		return err
	}
	u, err := parseURL(text)
	if err != nil {
		return c.Return(lua.LNil, c.vm.Text(urlMistake(err)))
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return c.Return(lua.LNil, c.vm.Text(urlMistake(err)))
	}
	query := c.vm.Table(0, len(values))
	for _, name := range sortedKeys(values) {
		query.RawSetString(name, c.Texts(values[name]))
	}
	_, password := u.User.Password()
	parts := map[string]lua.LValue{"has_password": lua.LBool(password), "path": c.vm.Text(u.Path), "query": query}
	for name, part := range map[string]string{
		"scheme": u.Scheme, "user": u.User.Username(), "host": hostOf(u), "fragment": u.Fragment,
	} {
		if part != "" {
			parts[name] = c.vm.Text(part)
		}
	}
	if port, ok := portOf(u); ok {
		parts["port"] = lua.LNumber(port)
	}
	return c.Return(c.Table(parts))
}

func sortedKeys(values url.Values) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// parseURL is url.Parse for what browsers take: a backslash is a slash, and white
// space around the text does not count.
func parseURL(text string) (*url.URL, error) {
	text = strings.Trim(text, " \t\r\n")
	scheme, rest, found := strings.Cut(text, ":")
	if found && isWebScheme(scheme) {
		end := strings.IndexAny(rest, "?#")
		if end < 0 {
			end = len(rest)
		}
		text = scheme + ":" + strings.ReplaceAll(rest[:end], `\`, "/") + rest[end:]
	}
	return url.Parse(text)
}

func isWebScheme(scheme string) bool {
	return slices.ContainsFunc([]string{"http", "https", "ws", "wss", "ftp"}, func(s string) bool { return strings.EqualFold(s, scheme) })
}

// urlMistake says what is wrong, without repeating a long text.
func urlMistake(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, `": `); i >= 0 {
		text = text[i+len(`": `):]
	}
	return text
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

func portOf(u *url.URL) (port int, ok bool) {
	for _, r := range u.Port() {
		if port = port*10 + int(r-'0'); port > 65535 {
			return 0, false
		}
		ok = true
	}
	return port, ok
}

func urlWithin(c *Call) error {
	text, err := c.Capped(1, maxURL)
	if err != nil {
		return err
	}
	domains, err := c.Strings(2, "domain")
	if err != nil {
		return err
	}
	if !strings.Contains(text, "//") {
		text = "//" + text
	}
	u, err := parseURL(text)
	if err != nil || u.Host == "" {
		return c.Return(lua.LFalse)
	}
	for _, d := range domains {
		c.Charge(1 + len(d)/bytesPerStep)
	}
	host := hostOf(u)
	return c.Return(lua.LBool(slices.ContainsFunc(domains, func(d string) bool {
		d = strings.TrimSuffix(strings.ToLower(d), ".")
		return d != "" && (host == d || strings.HasSuffix(host, "."+d))
	})))
}

func urlEncode(c *Call) error {
	text, err := c.Capped(1, maxURL)
	if err != nil {
		return err
	}
	return c.ReturnText(url.QueryEscape(text))
}

func urlDecode(c *Call) error {
	text, err := c.Capped(1, maxURL)
	if err != nil {
		return err
	}
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return c.Return(lua.LNil)
	}
	return c.ReturnText(plain)
}
