package spec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// casesFolder holds a folder of cases for every point, by its name.
const casesFolder = "cases"

// TestPoints runs the cases of every point. A case is prose that states a rule,
// and files:
//
//	*.lua         scripts, attached in byte order of their names
//	payload.json  what the point is given
//	grants.json   which grants a script has, by its name; may be missing
//	want.json     the answer, as JSON in which the order of members does not count
//	want.error    instead: a part of the message, one a line
//	want.effects  what was done to the session, as "tell: text"; may be missing
//	want.log      the lines that scripts wrote, as "file:line text"; may be missing
func TestPoints(t *testing.T) {
	for _, p := range catalog.Points() {
		t.Run(p.Name(), func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(casesFolder, filepath.FromSlash(p.Name()), "*.txtar"))
			require.NoError(t, err)
			require.NotEmpty(t, files, "the point has no case")
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { readCase(t, file).run(t, p) })
			}
		})
	}
}

// Every case belongs to a point.
func TestNoCaseIsLost(t *testing.T) {
	names := catalog.Names()
	require.NoError(t, filepath.WalkDir(casesFolder, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		folder, err := filepath.Rel(casesFolder, filepath.Dir(file))
		if err == nil && (!slices.Contains(names, filepath.ToSlash(folder)) || filepath.Ext(file) != ".txtar") {
			err = fmt.Errorf("%s is no case of any point", file)
		}
		return err
	}))
}

// A pointCase is one file, read.
type pointCase struct {
	scripts []string // names, in the order of attachment
	texts   map[string]string
	grants  map[string][]point.Grant
	effects *session.Effects
	log     []string
}

var caseFiles = []string{"payload.json", "grants.json", "want.json", "want.error", "want.effects", "want.log"}

func readCase(t *testing.T, file string) *pointCase {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	require.NotEmpty(t, strings.TrimSpace(string(archive.Comment)), "a case begins with the rule that it pins")
	c := &pointCase{texts: map[string]string{}}
	for _, f := range archive.Files {
		switch {
		case strings.HasSuffix(f.Name, ".lua"):
			c.scripts = append(c.scripts, f.Name)
		default:
			require.Contains(t, caseFiles, f.Name)
		}
		c.texts[f.Name] = string(f.Data)
	}
	slices.Sort(c.scripts)
	if text, ok := c.texts["grants.json"]; ok {
		require.NoError(t, json.Unmarshal([]byte(text), &c.grants))
	}
	c.effects = session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
	return c
}

func (c *pointCase) run(t *testing.T, p point.Point) {
	got, err := c.ask(t, p)
	if want, ok := c.texts["want.error"]; ok {
		require.NotContains(t, c.texts, "want.json")
		for line := range strings.Lines(want) {
			require.ErrorContains(t, err, strings.TrimSpace(line))
		}
	} else {
		require.NoError(t, err)
		c.compare(t, p, got)
	}
	if want, ok := c.texts["want.effects"]; ok {
		require.Equal(t, want, c.done())
	}
	if want, ok := c.texts["want.log"]; ok {
		require.Equal(t, want, strings.Join(c.log, ""))
	}
}

func (c *pointCase) ask(t *testing.T, p point.Point) (value.Value, error) {
	payload, err := value.ParseString(c.texts["payload.json"])
	require.NoError(t, err)
	var registry point.Registry
	for _, name := range c.scripts {
		s, err := script.Load(t.Context(), name, c.texts[name], script.Options{
			Points: catalog.Points(), Actions: tool.ActionKinds(),
			Log: func(at, text string) { c.log = append(c.log, at+" "+text+"\n") },
		})
		if err != nil {
			return value.Value{}, err
		}
		_, err = registry.Install(s, c.grants[name]...)
		require.NoError(t, err)
	}
	return p.RunValue(t.Context(), point.Run{Handlers: &registry}, payload, c.effects)
}

// compare holds an answer against the one that is wanted. A notification has
// none; its cases pin what was done or said.
func (c *pointCase) compare(t *testing.T, p point.Point, got value.Value) {
	want, ok := c.texts["want.json"]
	if p.Kind() == point.NotificationKind {
		require.False(t, ok, "a notification has no answer")
		require.True(t, c.texts["want.effects"] != "" || c.texts["want.log"] != "", "the case pins nothing")
		return
	}
	require.True(t, ok, "the case pins no answer")
	wanted, err := value.ParseString(want)
	require.NoError(t, err)
	if !wanted.Equal(got) {
		t.Errorf("want %sgot  %s", want, got)
	}
}

// done lists the effects on the session, by kind and then in order.
func (c *pointCase) done() string {
	var b strings.Builder
	messages := func(kind session.Effect, list []session.Message) {
		for _, m := range list {
			for _, part := range m.Content {
				fmt.Fprintf(&b, "%s: %s\n", kind, part.(session.Text).Text)
			}
		}
	}
	messages(session.EffectInject, c.effects.Injected())
	messages(session.EffectSteer, c.effects.Steered())
	if reason, ok := c.effects.Halted(); ok {
		fmt.Fprintf(&b, "%s: %s\n", session.EffectHalt, reason)
	}
	for _, text := range c.effects.Told() {
		fmt.Fprintf(&b, "%s: %s\n", session.EffectTell, text)
	}
	return b.String()
}
