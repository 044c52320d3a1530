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
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
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
		if err = errors.Join(err, readErr, dataErr); err != nil {
			return nil, err
		}
		id := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(base)
		cases = append(cases, testCase{id: id, traits: map[string]string{"outcome": want.Outcome}, applicable: true, run: func() error {
			return want.compare(want.load(filepath.Base(base)+format, data, format))
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

// found stands for a machine that has the usual programs, and no more.
func found(program string) bool {
	return !strings.Contains(program, ":") && !strings.HasPrefix(program, "/Users/") && !strings.Contains(program, "powershell")
}

func (want expectedConfig) load(name string, data []byte, format string) hookproto.Config {
	lenient := want.Mode == "lenient"
	if want.Dialect == "codex" {
		kind := codex.JSON
		if format == ".toml" {
			kind = codex.TOML
		}
		o := codex.Options{Lenient: lenient, TrustAll: true}
		return codex.Load([]codex.File{{Path: name, Data: data, Source: codex.User, Format: kind}}, o).Runnable(o)
	}
	file := claudecode.File{Path: name, Data: data, Layer: claudecode.User}
	if strings.Contains(name, "plugin") {
		file.Layer, file.Env = claudecode.Plugin, []string{"CLAUDE_PLUGIN_ROOT=/plugin"}
	}
	return claudecode.Load([]claudecode.File{file}, claudecode.Options{Lenient: lenient, Find: found})
}

func (want expectedConfig) compare(got hookproto.Config) error {
	var errs []error
	if want.Outcome != "either" || len(want.Registered) > 0 {
		errs = append(errs, want.compareRegistered(got))
	}
	for _, s := range want.Skipped {
		if s.Kind != "unsupported-event" && !told(got, s.Kind, s.Path) {
			errs = append(errs, fmt.Errorf("want %s skipped as %s", s.Path, s.Kind))
		}
	}
	for _, w := range want.Warnings {
		if w != "unsupported-event" && !told(got, w, "") {
			errs = append(errs, fmt.Errorf("want a warning %s", w))
		}
	}
	for _, e := range want.Errors {
		if err := e.compare(got); err != nil {
			errs = append(errs, err)
		}
	}
	for _, probe := range want.MatchProbes {
		errs = append(errs, want.probe(got, probe))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; told: %v", err, got.Problems)
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

func told(got hookproto.Config, kind, path string) bool {
	return slices.ContainsFunc(got.Problems, func(p hookproto.Problem) bool { return p.Kind == kind && (path == "" || p.Path == path) })
}

func (e expectedError) compare(got hookproto.Config) error {
	for _, p := range got.Problems {
		if p.Kind != e.Kind || e.Path != "" && p.Path != e.Path {
			continue
		}
		for _, word := range e.MustName {
			if !strings.Contains(p.String()+p.Event, word) {
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
