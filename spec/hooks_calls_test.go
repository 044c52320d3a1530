package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A hookRun is one run of a scripted hook.
type hookRun struct {
	ID    string
	N     int // counts the runs of the ID, from 0
	Start int64
	End   int64 // 0: it did not come to its end
	Cwd   string
	Env   map[string]string
	Args  []string
	Stdin []byte // nil: it did not read it

	Event   string
	Payload value.Value
}

// calls returns the runs of hooks so far, in the order in which they had read
// their input.
func (w *hookWorld) calls() ([]hookRun, error) {
	data, err := os.ReadFile(filepath.Join(w.hooks, "calls.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []hookRun
	for line := range bytes.Lines(data) {
		var l struct {
			hookRun
			Kind string
			At   int64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, err
		}
		if l.Kind == "end" {
			i := slices.IndexFunc(out, func(c hookRun) bool { return c.ID == l.ID && c.N == l.N })
			out[i].End = l.At
			continue
		}
		l.Start = l.At
		if len(l.Stdin) > 0 {
			if l.Payload, err = value.Parse(l.Stdin); err != nil {
				return nil, err
			}
			l.Event = l.Payload.Get("hook_event_name").String()
		}
		out = append(out, l.hookRun)
	}
	return out, nil
}

// left lists the files in the project, by their paths below it.
func (w *hookWorld) left() ([]string, error) {
	var out []string
	err := filepath.WalkDir(w.project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(w.project, path)
		out = append(out, filepath.ToSlash(name))
		return err
	})
	slices.Sort(out)
	return out, err
}

// injected lists the texts of extensions among the messages, and what stands
// around them: "prompt" for the human's, "results" for results of calls, "answer"
// for the model's own.
func injected(messages []session.Message) []string {
	var out []string
	for _, m := range messages {
		switch m.Source.(type) {
		case session.Extension:
			out = append(out, "text: "+m.Text())
		case session.User:
			out = append(out, "prompt")
		case session.Call:
			out = append(out, "results")
		case session.Model:
			out = append(out, "answer")
		case session.Runtime:
		}
	}
	return out
}

// resultsOf returns the results of calls among the messages, by the ID of the
// call.
func resultsOf(messages []session.Message) map[string]session.ToolResult {
	out := map[string]session.ToolResult{}
	for _, m := range messages {
		for _, p := range m.Content {
			if r, ok := p.(session.ToolResult); ok {
				out[r.Call] = r
			}
		}
	}
	return out
}

// textOfParts joins the texts of content.
func textOfParts(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		if t, ok := p.(session.Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
