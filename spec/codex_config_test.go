package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A codexSetup is the configuration of a case.
type codexSetup struct {
	HooksJSON       json.RawMessage            `json:"hooks_json"`
	ConfigTOMLExtra string                     `json:"config_toml_extra"`
	Files           map[string]json.RawMessage `json:"files"`
	Features        string                     `json:"features"`
	AppArgs         []string                   `json:"app_args"`
}

// A codexListed is one row of the client's list.
type codexListed struct {
	Event   string  `json:"event"`
	Type    string  `json:"type"`
	Command string  `json:"cmd"`
	Async   bool    `json:"async"`
	Matcher *string `json:"matcher"`
	Timeout int     `json:"timeout"`
	Status  *string `json:"sm"`
	Limit   *int    `json:"acl"`
	Source  string  `json:"src"`
	Key     string  `json:"key"`
	Order   int     `json:"ord"`
	Enabled bool    `json:"en"`
	Trust   string  `json:"trust"`
	Managed bool    `json:"managed"`
}

// Folders of a case, as a recording marks them.
const codexHome, codexRoot, codexCaseDir = "/case/ch", "/case/proj", "/case"

func codexMark(s string) string {
	return strings.NewReplacer("$CODEX_HOME", codexHome, "$PROJ", codexRoot, "$CASE", codexCaseDir).Replace(s)
}

func codexUnmark(s string) string {
	return strings.NewReplacer(codexHome, "$CODEX_HOME", codexRoot, "$PROJ", codexCaseDir, "$CASE").Replace(s)
}

// content is a file of a case: a text, or JSON, each of its parts on a line.
func (codexSetup) content(raw json.RawMessage) ([]byte, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(codexMark(text)), nil
	}
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", " ")
	return []byte(codexMark(b.String())), err
}

// files lays the case's files out.
func (s codexSetup) files() (map[string][]byte, error) {
	const pluginOf, pluginAt = "/case/market/plugins/plug/", codexHome + "/plugins/cache/mk/plug/1.0.0/"
	files := map[string][]byte{codexHome + "/config.toml": []byte("[features]\n" + s.Features + "\n" + codexMark(s.ConfigTOMLExtra))}
	all := map[string]json.RawMessage{}
	if string(s.HooksJSON) != "null" {
		all[codexHome+"/hooks.json"] = s.HooksJSON
	}
	for name, raw := range s.Files {
		if !strings.HasPrefix(name, "/") {
			name = codexCaseDir + "/" + name
		}
		all[strings.Replace(name, pluginOf, pluginAt, 1)] = raw
	}
	for name, raw := range all {
		text, err := s.content(raw)
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

func (s codexSetup) load() (codex.Config, error) {
	files, err := s.files()
	if err != nil {
		return codex.Config{}, err
	}
	places := codex.Places{Home: codexHome, Root: codexRoot, Dir: codexRoot, Etc: "/etc/codex", Read: func(path string) ([]byte, error) {
		if data, ok := files[path]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}}
	for i, arg := range s.AppArgs {
		if arg == "-c" {
			places.Flags = append(places.Flags, s.AppArgs[i+1])
		}
	}
	places.Folders = func(folder string) (names []string, err error) {
		for name := range files {
			if below, is := strings.CutPrefix(name, folder+"/"); is && strings.Contains(below, "/") {
				name, _, _ := strings.Cut(below, "/")
				names = append(names, name)
			}
		}
		return names, nil
	}
	found, _, err := codex.Discover(places)
	return codex.Load(found, codex.Options{ProjectRoot: codexRoot}), err
}

// runConfig holds what a configuration registers against the client's list, and
// what is told against its warnings.
func (c codexCase) runConfig() error {
	var s codexSetup
	var observed struct {
		Hooks    []codexListed `json:"hooks"`
		Warnings []string      `json:"warnings"`
		Exit     int           `json:"exit"`
	}
	if err := json.Unmarshal(c.Config, &s); err != nil {
		return err
	}
	if err := json.Unmarshal(c.Observed, &observed); err != nil {
		return err
	}
	config, err := s.load()
	if err != nil {
		return err
	}
	var d mismatches
	d.compare("refused", []string{fmt.Sprint(observed.Exit != 0)}, []string{fmt.Sprint(config.Refused)})
	d.compare("hooks", codexLines(observed.Hooks), codexLines(codexRows(config)))
	for _, w := range observed.Warnings {
		if !codexTold(config, codexMark(w)) {
			d = append(d, "nobody is told: "+w)
		}
	}
	if len(d) > 0 {
		return fmt.Errorf("%s", strings.Join(d, "\n"))
	}
	return nil
}

func codexLines(rows []codexListed) []string {
	var out []string
	for _, r := range rows {
		line, _ := json.Marshal(r)
		out = append(out, string(line))
	}
	return out
}

// codexTold reports whether a problem concerns a file that the warning names.
func codexTold(c codex.Config, warning string) bool {
	for _, p := range c.Problems {
		if strings.Contains(warning, p.At.File) {
			return true
		}
	}
	return false
}

// codexSources are the client's words for where a hook comes from, if they are
// not ours.
var codexSources = map[codex.Source]string{codex.Requirements: "system", codex.Session: "sessionFlags"}

func codexRows(c codex.Config) []codexListed {
	if c.Refused {
		return nil
	}
	var list []codexListed
	for _, h := range c.Hooks {
		row := codexListed{
			Event: strings.ToLower(h.Event[:1]) + h.Event[1:], Type: "command", Command: codexUnmark(h.Command), Async: h.Async, Matcher: h.Matcher,
			Timeout: int(h.Timeout / time.Second), Source: string(h.Source), Key: codexUnmark(h.Key), Order: h.Order,
			Enabled: h.Enabled, Trust: string(h.Trust), Managed: h.Trust == codex.Managed,
		}
		if h.Kind == "mcp_tool" {
			row.Type = "mcpTool"
		}
		if s, ok := codexSources[h.Source]; ok {
			row.Source = s
		}
		if h.StatusMessage != "" {
			row.Status = &h.StatusMessage
		}
		if h.ContextLimit >= 0 {
			row.Limit = &h.ContextLimit
		}
		list = append(list, row)
	}
	return list
}
