package spec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// An expectedConfig is what a correct loader makes of one configuration.
type expectedConfig struct {
	Dialect, Outcome, Mode string
	Registered             []expectedHandler
	Skipped                []struct{ Path, Event, Kind string }
	Warnings               []string
	Errors                 []expectedError
	MatchProbes            [][3]json.RawMessage `json:"match_probes"`
}

type expectedHandler struct {
	Event    string
	Matcher  *string
	Command  string
	TimeoutS *float64 `json:"timeout_s"`
}

func (e expectedHandler) is(h hookproto.Handler) bool {
	return e.Event == h.Event && e.Command == h.Command && matcherText("", e.Matcher) == matcherText("", h.Matcher)
}

type expectedError struct {
	Kind, Path string
	MustName   []string `json:"must_name"`
}

func loadConfigs(dir string) ([]testCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "corpus", "configs", "*", "*.expect.json"))
	var cases []testCase
	for _, file := range files {
		text, readErr := os.ReadFile(file)
		var want expectedConfig
		if readErr == nil {
			readErr = json.Unmarshal(text, &want)
		}
		base := strings.TrimSuffix(file, ".expect.json")
		data, format, dataErr := configFile(base)
		id := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(base)
		if err := errors.Join(readErr, dataErr); err != nil {
			cases = append(cases, unreadable(id, err))
			continue
		}
		cases = append(cases, testCase{id: id, traits: map[string]string{"outcome": want.Outcome}, applicable: true, run: func() error {
			got, err := want.load(filepath.Base(base), format, data)
			if err != nil {
				return err
			}
			return want.compare(got)
		}})
	}
	return cases, err
}

func configFile(base string) (data []byte, format string, err error) {
	for _, format = range []string{".json", ".toml"} {
		if data, err = os.ReadFile(base + format); err == nil {
			return data, format, nil
		}
	}
	return nil, "", err
}

// usualPrograms are on the PATH of the machine for which files are checked.
var usualPrograms = []string{"bash", "bun", "cat", "curl", "deno", "git", "go", "grep", "jq", "make", "node", "npm", "npx", "perl", "pnpm", "python3", "ruby", "sed", "sh", "uv", "zsh"}

// A checkedConfig is a configuration with all that its author is told.
type checkedConfig struct {
	hookproto.Config
	findings []hookconfig.Finding
}

// load does what "dsh hooks check FILE" does, on a machine with the usual programs.
func (want expectedConfig) load(name, format string, data []byte) (got checkedConfig, err error) {
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		return got, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, name+format)
	if strings.Contains(name, "plugin") { // where it lies tells whose it is
		path = filepath.Join(dir, "plugin", "hooks", "hooks.json")
	}
	files := map[string]string{path: string(data)}
	for _, program := range usualPrograms {
		files[filepath.Join(dir, "bin", program)] = ""
	}
	for file, text := range files {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o700)) //nolint:gosec // programs
	}
	vars := map[string]string{"PATH": filepath.Join(dir, "bin"), "HOME": dir}
	system := hookconfig.System{Home: dir, Getenv: func(name string) string { return vars[name] }}
	sets, loadErr := hookconfig.Load(hookconfig.Source{Files: []string{path}, Dialect: want.Dialect, Lenient: want.Mode == "lenient", System: system})
	if err = errors.Join(err, loadErr); err != nil {
		return got, err
	}
	for _, set := range sets {
		got = checkedConfig{set.Config, hookconfig.Check(set, system)}
	}
	return got, nil
}

func (want expectedConfig) compare(got checkedConfig) error {
	var errs []error
	if want.Outcome != "either" || len(want.Registered) > 0 {
		errs = append(errs, want.compareRegistered(got.Config))
	}
	for _, s := range want.Skipped {
		// An event that has a point here may be registered instead; one that the
		// client lacks is told as such.
		event := s.Kind == "unsupported-event" && (told(got, "unknown-event", s.Path) ||
			slices.ContainsFunc(got.Handlers, func(h hookproto.Handler) bool { return h.Event == s.Event }))
		if !event && !told(got, s.Kind, s.Path) {
			errs = append(errs, fmt.Errorf("want %s skipped as %s", s.Path, s.Kind))
		}
	}
	for _, w := range want.Warnings {
		if w != "unsupported-event" && !told(got, w, "") {
			errs = append(errs, fmt.Errorf("want a warning %s", w))
		}
	}
	for _, e := range want.Errors {
		if err := e.compare(got.Config); err != nil {
			errs = append(errs, err)
		}
	}
	for _, probe := range want.MatchProbes {
		errs = append(errs, want.probe(got.Config, probe))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; told: %v", err, got.findings)
	}
	return nil
}

// compareRegistered compares the handlers. Events that have a point may be
// registered although the expectation skips them.
func (want expectedConfig) compareRegistered(got hookproto.Config) error {
	extra := map[string]bool{}
	for _, s := range want.Skipped {
		extra[s.Event] = s.Kind == "unsupported-event" || s.Kind == "unsupported-type"
	}
	expected, actual := []string{}, []string{}
	for _, h := range want.Registered {
		expected = append(expected, fmt.Sprint(h.Event, " ", matcherText("", h.Matcher), " ", h.Command))
	}
	for _, h := range got.Handlers {
		if !extra[h.Event] || slices.ContainsFunc(want.Registered, func(r expectedHandler) bool { return r.is(h) }) {
			actual = append(actual, fmt.Sprint(h.Event, " ", matcherText("", h.Matcher), " ", h.Command))
		}
	}
	// Between events there is no order that a hook could notice.
	byEvent := func(a, b string) int { return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0]) }
	slices.SortStableFunc(expected, byEvent)
	slices.SortStableFunc(actual, byEvent)
	err := differ("registered", expected, actual)
	if err != nil {
		return err
	}
	for _, h := range want.Registered {
		i := slices.IndexFunc(got.Handlers, func(o hookproto.Handler) bool { return h.is(o) })
		if h.TimeoutS != nil {
			err = errors.Join(err, differ("time-out of "+h.Command, *h.TimeoutS, got.Handlers[i].Timeout.Seconds()))
		}
	}
	return err
}

func told(got checkedConfig, kind, path string) bool {
	return slices.ContainsFunc(got.findings, func(f hookconfig.Finding) bool { return f.ID == kind && (path == "" || f.Path == path) })
}

func (e expectedError) compare(got hookproto.Config) error {
	for _, p := range got.Problems {
		if p.Kind != e.Kind || e.Path != "" && p.Path != e.Path {
			continue
		}
		for _, word := range e.MustName {
			if !strings.Contains(strings.Join([]string{filepath.Base(p.At.File), p.Path, p.Text, p.Event}, " "), word) {
				return fmt.Errorf("want %q named in %s", word, p)
			}
		}
		return nil
	}
	return fmt.Errorf("want an error %s at %q", e.Kind, e.Path)
}

// probe counts or lists the handlers that an event runs.
func (want expectedConfig) probe(got hookproto.Config, probe [3]json.RawMessage) error {
	var event, subject string
	if err := errors.Join(json.Unmarshal(probe[0], &event), json.Unmarshal(probe[1], &subject)); err != nil {
		return err
	}
	fits := []string{}
	for _, h := range got.Handlers {
		if yes, _ := dialects[want.Dialect].Matches(h, subject); yes && h.Event == event {
			fits = append(fits, h.Command)
		}
	}
	what := fmt.Sprintf("%s of %q", event, subject)
	var count int
	if json.Unmarshal(probe[2], &count) == nil {
		return differ(what, count, len(fits))
	}
	var names []string
	if err := json.Unmarshal(probe[2], &names); err != nil {
		return err
	}
	return differ(what, names, fits)
}
