package codex_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A setup is the configuration of a recorded case.
type setup struct {
	HooksJSON       json.RawMessage            `json:"hooks_json"`
	ConfigTOMLExtra string                     `json:"config_toml_extra"`
	Files           map[string]json.RawMessage `json:"files"`
	Features        string                     `json:"features"`
	AppArgs         []string                   `json:"app_args"`
}

// A listedHook is one row of the client's list.
type listedHook struct {
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

const home, root, caseDir = "/case/ch", "/case/proj", "/case"

var marks = strings.NewReplacer("$CODEX_HOME", home, "$PROJ", root, "$CASE", caseDir)

// content is a file of a case: a text, or JSON as the rig wrote it.
func content(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(marks.Replace(text))
	}
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, raw, "", " "))
	return []byte(marks.Replace(b.String()))
}

// files lays the case's files out.
func (s setup) files(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{home + "/config.toml": []byte("[features]\n" + s.Features + "\n" + marks.Replace(s.ConfigTOMLExtra))}
	if !bytes.Equal(s.HooksJSON, []byte("null")) {
		files[home+"/hooks.json"] = content(t, s.HooksJSON)
	}
	for name, raw := range s.Files {
		if !strings.HasPrefix(name, "/") {
			name = caseDir + "/" + name
		}
		name = strings.Replace(name, "/case/market/plugins/plug/", home+"/plugins/cache/mk/plug/1.0.0/", 1)
		files[name] = content(t, raw)
	}
	return files
}

func (s setup) load(t *testing.T) codex.Config {
	t.Helper()
	files := s.files(t)
	places := codex.Places{Home: home, Root: root, Dir: root, Etc: "/etc/codex", Read: func(path string) ([]byte, error) {
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
	if strings.Contains(s.ConfigTOMLExtra, `[plugins."plug@mk"]`) {
		places.Plugins = []codex.PluginPlace{{Name: "plug@mk", Root: home + "/plugins/cache/mk/plug/1.0.0", Data: home + "/plugins/data/plug"}}
	}
	found, err := codex.Discover(places)
	require.NoError(t, err)
	return codex.Load(found, codex.Options{ProjectRoot: root})
}

// Every recorded configuration registers the hooks that the client lists, and
// whatever the client warns of is told.
func TestRecordedConfigurations(t *testing.T) {
	cases := recordedCases(t, "config")
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var s setup
			require.NoError(t, json.Unmarshal(c.Config, &s))
			var observed struct {
				Hooks    []listedHook `json:"hooks"`
				Warnings []string     `json:"warnings"`
				Exit     int          `json:"exit"`
			}
			require.NoError(t, json.Unmarshal(c.Observed, &observed))
			config := s.load(t)
			require.Equal(t, observed.Exit != 0, config.Refused)
			require.Equal(t, observed.Hooks, rows(config), config.Problems)
			for _, w := range observed.Warnings {
				require.True(t, told(config, marks.Replace(w)), w)
			}
		})
	}
	t.Logf("%d cases", len(cases))
}

// told reports whether a problem concerns a file that the warning names.
func told(c codex.Config, warning string) bool {
	for _, p := range c.Problems {
		if strings.Contains(warning, p.At.File) {
			return true
		}
	}
	return false
}

var sources = map[codex.Source]string{codex.Requirements: "system", codex.Session: "sessionFlags"}

func rows(c codex.Config) []listedHook {
	if c.Refused {
		return nil
	}
	list := []listedHook{}
	for _, h := range c.Hooks {
		row := listedHook{
			Event: strings.ToLower(h.Event[:1]) + h.Event[1:], Type: "command", Command: unmark(h.Command), Async: h.Async, Matcher: h.Matcher,
			Timeout: int(h.Timeout / time.Second), Source: string(h.Source), Key: unmark(h.Key), Order: h.Order,
			Enabled: h.Enabled, Trust: string(h.Trust), Managed: h.Trust == codex.Managed,
		}
		if h.Kind == "mcp_tool" {
			row.Type = "mcpTool"
		}
		if s, ok := sources[h.Source]; ok {
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
	return slices.Clip(list)
}

func unmark(s string) string {
	return strings.NewReplacer(home, "$CODEX_HOME", root, "$PROJ", caseDir, "$CASE").Replace(s)
}
