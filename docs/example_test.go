package docs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A harness of your own asks the extension points before it runs a tool. Whatever
// is installed answers: here a Lua policy.
func Example_harness() {
	const policy = `
		dsh.on("tools/pre-execute", { action = "shell" }, function(call)
			if call.action.command:find("^rm ") then
				return dsh.deny("move files to trash/ instead")
			end
		end)`
	ctx := context.Background()
	rules, err := script.Load(ctx, "no-rm.lua", policy, script.Options{Points: catalog.Points()})
	if err != nil {
		log.Fatal(err)
	}
	var installed point.Registry
	if _, err := installed.Install(rules); err != nil {
		log.Fatal(err)
	}

	asker := host.Host{Run: point.Run{Handlers: &installed}}
	for _, command := range []string{"ls", "rm notes.txt"} {
		call := tool.Call{ID: "1", Tool: "run", Arguments: value.OfObject(), Action: tool.Shell{Command: command}}
		asked := host.Fire(ctx, asker, tool.PreExecute, call, func(fault error) tool.PreDecision {
			return tool.Deny{Reason: fault.Error()} // a fault is never consent
		})
		switch d := asked.Decision.(type) {
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
}

// lockdown is a policy in Go: an extension like a script, with typed payloads and
// answers.
type lockdown struct{ tools map[string]bool }

// Name implements [point.Extension].
func (lockdown) Name() string { return "lockdown" }

// Install implements [point.Extension].
func (l lockdown) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(ctx context.Context, call tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		if !l.tools[call.Tool] {
			return tool.Deny{Reason: call.Tool + " is not on the list"}, nil
		}
		return next(ctx) // no opinion: whatever the handlers behind say
	})
	return nil
}

func Example_policyInGo() {
	var installed point.Registry
	if _, err := installed.Install(lockdown{map[string]bool{"read": true}}); err != nil {
		log.Fatal(err)
	}
	call := tool.Call{ID: "1", Tool: "run", Arguments: value.OfObject(), Action: tool.Other{}}
	decision, err := tool.PreExecute.Run(context.Background(), point.Run{Handlers: &installed}, call)
	fmt.Println(decision, err)
	// Output: {run is not on the list []} <nil>
}
