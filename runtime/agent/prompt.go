package agent

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/runtime/session"
)

// A Prompt is what a model is told beside the conversation.
type Prompt struct {
	// Sections make the system text.
	Sections []Section
	// Contexts are the state of the world around the session, such as the current
	// directory. When they change, the model is shown them anew.
	Contexts []string
	// Variables are what {{name}} in a section stands for.
	Variables map[string]string
}

// A Section is a part of the system text.
type Section struct {
	// Name is for errors.
	Name string
	// Order says where it stands; of equals the first stays first.
	Order int
	// Text may refer to variables as {{name}}.
	Text string
}

// prompt asks for the prompt of a step.
func (a *Agent) prompt(ctx context.Context, p Proposal) (out Prompt, err error) {
	if a.options.Prompt == nil {
		return out, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("prompt: panic: %v", r)
		}
	}()
	return a.options.Prompt(ctx, p)
}

// The texts around the state of the world.
const (
	snapshotHead  = "Current state, which replaces what was said about it before:"
	snapshotEmpty = "What was said before about the current state no longer holds."
)

// snapshot returns the message that shows the contexts; none if the model was
// shown the same already.
func (a *Agent) snapshot(p Prompt) []session.Message {
	if a.options.Prompt == nil {
		return nil
	}
	contexts := slices.DeleteFunc(slices.Clone(p.Contexts), func(s string) bool { return s == "" })
	last := a.log.Snapshot()
	text := snapshotHead + "\n\n" + strings.Join(contexts, "\n\n")
	if len(contexts) == 0 {
		if text = snapshotEmpty; last == "" {
			return nil
		}
	}
	if text = clean(text); text == last {
		return nil
	}
	return []session.Message{{
		ID: a.newID(), Role: session.RoleUser, Content: []session.Part{session.Text{Text: text}},
		Source: session.Runtime{Form: session.FormSnapshot},
	}}
}

// reference finds what looks like a reference to a variable. It is compiled when
// it is first needed: most processes that link this package run no agent.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{(.*?)\}\}`) })

// system returns the system text. A reference is replaced once: what a variable
// holds is not looked at.
func (p Prompt) system() (string, error) {
	sections := slices.Clone(p.Sections)
	slices.SortStableFunc(sections, func(a, b Section) int { return a.Order - b.Order })
	var texts []string
	for _, s := range sections {
		var unknown error
		text := reference().ReplaceAllStringFunc(s.Text, func(found string) string {
			name := strings.TrimSpace(found[2 : len(found)-2])
			v, ok := p.Variables[name]
			if !ok || v == "" {
				unknown = fmt.Errorf("section %q of the prompt refers to %q, which has no value", s.Name, name)
			}
			return v
		})
		if unknown != nil {
			return "", unknown
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return clean(strings.Join(texts, "\n\n")), nil
}
