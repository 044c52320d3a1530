package docs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
	"github.com/dsh-lua/dsh/runtime/value"
)

// TestEmbedding holds pages to code that is compiled and whose output is compared:
// every Go block of the guide must stand in this file, and of the README in its
// example, line by line, whatever the indentation.
func TestEmbedding(t *testing.T) {
	for page, file := range map[string]string{"embedding.md": "embedding_test.go", "../README.md": "example_test.go"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		code := flat(string(source))
		found := 0
		for _, b := range blocks(string(text)) {
			if b.language == "go" {
				found++
				require.Contains(t, code, flat(b.text), "%s, line %d", page, b.line)
			}
		}
		require.NotZero(t, found, page)
	}
}

// flat drops indentation and empty lines.
func flat(text string) string {
	out := "\n"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out += line + "\n"
		}
	}
	return out
}

const noRM = `
dsh.on("tools/pre-execute", { action = "shell", rule = "no-rm" }, function(call)
  if call.action.command:find("^rm ") then
    return dsh.deny("move files to trash/ instead")
  elseif call.action.command:find("^git push") then
    return dsh.ask("this publishes")
  end
end)`

// policies installs one Lua policy.
func policies(ctx context.Context) (*point.Registry, error) {
	rules, err := script.Load(ctx, "no-rm.lua", noRM, script.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(),
	})
	if err != nil {
		return nil, err // with file and line: do not start without it
	}
	handlers := new(point.Registry)
	_, err = handlers.Install(rules)
	return handlers, err
}

func Example_points() {
	ctx := context.Background()
	handlers, err := policies(ctx)
	if err != nil {
		log.Fatal(err)
	}
	h := host.Host{Run: point.Run{Handlers: handlers}}
	for _, command := range []string{"ls", "rm notes.txt", "git push"} {
		call := tool.Call{ID: "1", Tool: "sh", Arguments: value.OfObject(), Action: tool.Shell{Command: command}}
		out := host.Fire(ctx, h, tool.PreExecute, call, func(fault error) tool.PreDecision {
			return tool.Deny{Reason: fault.Error()} // a fault is never consent
		})
		switch d := out.Decision.(type) {
		case tool.Allow:
			fmt.Println(command, "may run")
		case tool.Ask:
			fmt.Println(command, "needs approval:", d.Reason)
		case tool.Deny:
			fmt.Println(command, "may not run:", d.Reason)
		}
	}
	// Output:
	// ls may run
	// rm notes.txt may not run: move files to trash/ instead
	// git push needs approval: this publishes
}

// shell is a tool. Its body would start a process.
func shell() tool.Definition {
	return tool.Definition{
		Name: "sh", Description: "Runs a command line.",
		Parameters: value.MustFrom(map[string]any{
			"type":       "object",
			"properties": map[string]any{"command": map[string]any{"type": "string"}},
			"required":   []any{"command"},
		}),
		Output: tool.Output{Schema: value.OfObject()}, // any JSON
		Action: func(arguments value.Value) tool.Action {
			command, ok := arguments.Get("command").Str()
			return tool.Shell{Command: command, Partial: !ok}
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			return "ran " + run.Arguments().Get("command").String(), ctx.Err()
		},
		Timeout: time.Minute, // for wrap.Timeout
	}
}

// pipeline returns what runs calls, and on whose behalf.
func pipeline(ctx context.Context) (*tool.Runtime, *tool.Scope, error) {
	handlers, err := policies(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := handlers.Install(wrap.Timeout{}); err != nil {
		return nil, nil, err
	}
	tools := new(tool.Registry)
	if _, err := tools.Register(shell()); err != nil {
		return nil, nil, err
	}
	rt := &tool.Runtime{Approvals: &tool.Approvals{Approver: tool.ApproverFunc(
		func(_ context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
			return tool.Refuse{Reason: "not on a Friday"}, nil // a program would ask its user
		},
	)}}
	scope := &tool.Scope{
		Host: host.Host{Run: point.Run{Handlers: handlers}}, Tools: tools,
		Session: session.Ref{ID: "s1", Client: "my-harness"},
	}
	return rt, scope, nil
}

func Example_pipeline() {
	ctx := context.Background()
	rt, scope, err := pipeline(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, command := range []any{"ls", "rm notes.txt", "git push", 7} {
		result := rt.Execute(ctx, tool.Input{
			ID: "c1", Tool: "sh", Arguments: map[string]any{"command": command}, Agent: scope,
		})
		switch r := result.(type) {
		case tool.Success:
			fmt.Println(r.Value)
		case tool.Failure:
			fmt.Println("no:", r.Message)
		}
	}
	// Output:
	// ran ls
	// no: move files to trash/ instead
	// no: the user rejected tool "sh": not on a Friday
	// no: invalid arguments: "command" must be a string
}

func Example_loop() {
	ctx := context.Background()
	rt, scope, err := pipeline(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answers, err := model.ParseScript([]byte(`
		{"text": "I look around.", "tools": [{"tool": "sh", "arguments": {"command": "ls"}}]}
		{"text": "There is nothing."}`))
	if err != nil {
		log.Fatal(err)
	}
	record, err := session.NewLog(session.Header{ID: "s1"}, session.LogOptions{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(ctx, agent.Options{
		Session: session.Ref{ID: "s1", Client: "my-harness"}, Log: record,
		Model: answers, Config: agent.Config{Model: "scripted"},
		Handlers: scope.Host.Run.Handlers, Tools: scope.Tools, Pipeline: rt,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := a.Followup(ctx, agent.Said("what is here?")); err != nil {
		log.Fatal(err)
	}
	if err := a.WhenIdle(ctx); err != nil {
		log.Fatal(err)
	}
	for _, m := range record.History() {
		fmt.Printf("%s %q\n", m.Role, m.Text())
	}
	fmt.Println(record.Work().End.Kind)
	if err := a.Close(ctx, "done"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// user "what is here?"
	// assistant "I look around."
	// user ""
	// assistant "There is nothing."
	// completed
}

// echo is a model that repeats what it was told last.
type echo struct{}

func (echo) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if len(r.Messages) == 0 {
			yield(nil, &model.Error{Failure: session.Failure{Message: "nothing was said", Code: "INVALID"}})
			return
		}
		said := r.Messages[len(r.Messages)-1].Text()
		for _, word := range strings.SplitAfter(said, " ") {
			if ctx.Err() != nil || !yield(model.TextDelta{Text: word}, nil) {
				return
			}
		}
		_ = yield(model.Usage{Input: len(r.Messages), Output: 1}, nil) &&
			yield(model.Finish{Reason: model.Stop}, nil)
	}
}

// insist is a policy in Go: it tells the model something when the session starts,
// and does not let a turn end without a word of thanks.
type insist struct{}

func (insist) Name() string { return "insist" }

func (insist) Install(in *point.Installer) error {
	agent.OnSessionStart.Handle(in, func(_ context.Context, s agent.Started) error {
		return s.Live.Inject(session.FromExtension("insist", "be polite"))
	})
	agent.OnTurnStopping.Handle(in, func(_ context.Context, s agent.Stopping) error {
		if s.StopActive || strings.Contains(s.LastMessage, "thanks") {
			return nil
		}
		return s.Live.Steer(session.FromExtension("insist", "say thanks"))
	})
	return nil
}

func Example_extension() {
	ctx := context.Background()
	record, err := session.NewLog(session.Header{ID: "s1"}, session.LogOptions{
		Observers: []func(context.Context, session.Entry) error{func(_ context.Context, e session.Entry) error {
			if e.Type == session.EventAssistant {
				m, err := e.Message()
				fmt.Println("model:", m.Text())
				return err
			}
			return nil
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(ctx, agent.Options{
		Session: session.Ref{ID: "s1"}, Log: record, Model: echo{}, Config: agent.Config{Model: "echo"},
		Extensions: []point.Extension{insist{}, agent.Backoff{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	err = errors.Join(a.Followup(ctx, agent.Said("good morning")), a.WhenIdle(ctx), a.Close(ctx, "done"))
	fmt.Println(record.Work().End.Kind, err)
	// Output:
	// model: good morning
	// model: say thanks
	// completed <nil>
}

func Example_resume() {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "session.jsonl")
	options := session.LogOptions{Sync: session.SyncTurns}

	record, err := session.CreateLog(file, session.Header{ID: "s1"}, options)
	if err != nil {
		log.Fatal(err)
	}
	prompt(record, "startup", "one")
	_ = record.Close()

	record, err = session.OpenLog(file, options)
	if err != nil {
		log.Fatal(err)
	}
	prompt(record, "resume", "two")
	other, err := record.Fork("", record.LastEnd(), session.Header{ID: "s2"}, options)
	if err != nil {
		log.Fatal(err)
	}
	prompt(other, "fork", "three")
	for _, m := range other.History() {
		fmt.Print(m.Text(), " ")
	}
	fmt.Println(len(record.History()), len(other.History()))
	_ = record.Close()
	// Output:
	// one one two two three three 4 6
}

// prompt runs one turn of the session that record keeps.
func prompt(record *session.Log, source, text string) {
	ctx := context.Background()
	a, err := agent.New(ctx, agent.Options{
		Session: session.Ref{ID: record.Header().ID}, Log: record, Source: source,
		Model: echo{}, Config: agent.Config{Model: "echo"},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(a.Followup(ctx, agent.Said(text)), a.WhenIdle(ctx), a.Close(ctx, "done")); err != nil {
		log.Fatal(err)
	}
}

func Example_observer() {
	ctx := context.Background()
	handlers, err := policies(ctx)
	if err != nil {
		log.Fatal(err)
	}
	explain := point.ObserverFunc(func(h point.Handled) {
		switch {
		case h.Err != nil:
			fmt.Println(h.Rule, "failed:", h.Err)
		case h.Said != nil:
			fmt.Printf("%s said %T at %s\n", h.Rule, h.Said, h.At)
		}
	})
	run := point.Run{Handlers: handlers, Observer: explain}
	call := tool.Call{ID: "1", Tool: "sh", Arguments: value.OfObject(), Action: tool.Shell{Command: "rm x"}}
	_, err = tool.PreExecute.Run(ctx, run, call)
	fmt.Println(err)
	// Output:
	// no-rm said tool.Deny at no-rm.lua:4
	// <nil>
}

func Example_cancel() {
	ctx := context.Background()
	record, err := session.NewLog(session.Header{ID: "s1"}, session.LogOptions{})
	if err != nil {
		log.Fatal(err)
	}
	asked := make(chan struct{})
	hung := &model.Scripted{
		Replies: []model.Reply{{Text: "let me think", Hang: true}},
		Hanging: func(ctx context.Context, _ int) {
			if ctx.Err() == nil {
				close(asked)
			}
		},
	}
	a, err := agent.New(ctx, agent.Options{
		Session: session.Ref{ID: "s1"}, Log: record, Model: hung, Config: agent.Config{Model: "scripted"},
		TurnTimeout: 10 * time.Minute, StallTimeout: 2 * time.Minute,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := a.Followup(ctx, agent.Said("go")); err != nil {
		log.Fatal(err)
	}
	<-asked
	a.Cancel(session.Cause{Kind: session.CauseUser}, false)
	err = errors.Join(a.WhenIdle(ctx), a.Close(ctx, "quit"))
	end := record.Work().End
	fmt.Println(end.Kind, end.Cause, err)
	// Output:
	// aborted cancelled by user <nil>
}
