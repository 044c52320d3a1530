package claudecode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A fieldKind is what a field of an output must be.
type fieldKind string

const (
	anyField      fieldKind = "any"
	stringField   fieldKind = "a string"
	boolField     fieldKind = "true or false"
	objectField   fieldKind = "an object"
	stringsField  fieldKind = "a list of strings"
	legacyField   fieldKind = "approve or block"
	decisionField fieldKind = "allow, deny, ask or defer"
	actionField   fieldKind = "accept, decline or cancel"
	behaviorField fieldKind = "an object with behavior allow or deny"
	specificField fieldKind = "an object with hookEventName"
)

// words lists the values of the kinds that have few.
var words = map[fieldKind][]string{
	legacyField:   {"approve", "block"},
	decisionField: {"allow", "deny", "ask", "defer"},
	actionField:   {"accept", "decline", "cancel"},
}

// common lists the fields that every event's output can have.
var common = map[string]fieldKind{
	"continue": boolField, "suppressOutput": boolField, "stopReason": stringField, "decision": legacyField,
	"reason": stringField, "systemMessage": stringField, "hookSpecificOutput": specificField,
}

// answers are the fields of PermissionRequest's decision.
var answers = map[string]fieldKind{
	"message": stringField, "interrupt": boolField, "updatedInput": objectField,
}

// noReason stands for a reason that a hook did not give.
const noReason = "The hook gave no reason."

// parse tells what a result means under an event.
func parse(name string, r hookproto.Result) hookproto.Output {
	event, known := Lookup(name)
	switch {
	case !known:
		return failed(fmt.Sprintf("%q is no event of Claude Code", name))
	case r.Err != nil:
		return failed("it could not be started: " + r.Err.Error())
	case r.TimedOut:
		return failed("its time was up")
	case r.Canceled:
		return failed("it was cancelled")
	case r.Exit < 0:
		return failed("a signal ended it: " + r.Signal)
	}
	out, fault := event.stdout(hookproto.Trim(hookproto.UTF8(r.Stdout)), r.Exit)
	if r.Exit == 2 && event.Effects.Block {
		return event.exit2(out, hookproto.UTF8(r.Stderr))
	}
	switch {
	case fault != "":
		return failed(fault)
	case r.Exit != 0 && out.Status == "": // there was no JSON
		return failed(fmt.Sprintf("it ended with exit status %d", r.Exit))
	}
	return event.finish(out)
}

func failed(why string) hookproto.Output {
	return hookproto.Output{Status: hookproto.StatusFailed, Failure: why}
}

// stdout reads standard output. The status is set if it was JSON; a fault says
// why it was none although it had to be.
func (e Event) stdout(text string, exit int) (hookproto.Output, string) {
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		if text == "" || exit != 0 || !e.Effects.Plain {
			return hookproto.Output{}, ""
		}
		return hookproto.Output{Contexts: []string{text}, Plain: true}, ""
	}
	root, err := document.ParseJSON([]byte(text))
	if err != nil {
		return hookproto.Output{}, "its output is not JSON: " + err.Error()
	}
	if fault := e.check(root); fault != "" {
		return hookproto.Output{}, "its output is not valid: " + fault
	}
	return e.read(root), ""
}

// check holds an output against the client's schema.
func (e Event) check(root *document.Node) string {
	if fault := checkFields("", root, common); fault != "" {
		return fault
	}
	specific := root.Get("hookSpecificOutput")
	if specific == nil {
		return ""
	}
	name := specific.Get("hookEventName")
	switch {
	case name == nil || name.Kind != document.String:
		return "hookSpecificOutput.hookEventName is missing"
	case name.Text != e.Name:
		return fmt.Sprintf("hookSpecificOutput.hookEventName is %q, expected %q", name.Text, e.Name)
	case e.Specific == nil:
		return e.Name + " has no hookSpecificOutput"
	}
	return checkFields("hookSpecificOutput.", specific, e.Specific)
}

// checkFields returns what is wrong with the known fields of an object.
func checkFields(path string, n *document.Node, fields map[string]fieldKind) string {
	for _, m := range n.Members {
		kind, known := fields[m.Name]
		if known && n.Get(m.Name) == m.Value && !kind.holds(m.Value) {
			return fmt.Sprintf("%s%s must be %s", path, m.Name, kind)
		}
	}
	return ""
}

// holds reports whether n is of the kind.
func (k fieldKind) holds(n *document.Node) bool {
	switch k {
	case anyField:
		return true
	case stringField:
		return n.Kind == document.String
	case boolField:
		return n.Kind == document.Bool
	case objectField, specificField:
		return n.Kind == document.Object
	case stringsField:
		return n.Kind == document.Array && !slices.ContainsFunc(n.Items, func(i *document.Node) bool { return i.Kind != document.String })
	case behaviorField:
		behavior := n.Get("behavior")
		return behavior != nil && behavior.Kind == document.String && (behavior.Text == "allow" || behavior.Text == "deny") &&
			checkFields("", n, answers) == ""
	default:
		return n.Kind == document.String && slices.Contains(words[k], n.Text)
	}
}

// read takes a valid output.
func (e Event) read(root *document.Node) hookproto.Output {
	specific := root.Get("hookSpecificOutput")
	out := hookproto.Output{
		Status: hookproto.StatusCompleted, Halt: root.Get("continue").Is("false"), HaltReason: text(root, "stopReason"),
		SystemMessage: text(root, "systemMessage"), Suppress: root.Get("suppressOutput").Is("true"),
		UpdatedInput: raw(specific, "updatedInput"), UpdatedOutput: raw(specific, "updatedToolOutput"),
	}
	if mcp := raw(specific, "updatedMCPToolOutput"); mcp != nil && out.UpdatedOutput == nil {
		out.UpdatedOutput, out.MCPOutput = mcp, true
	}
	if n := specific.Get("additionalContext"); n != nil && n.Text != "" {
		out.Contexts = []string{n.Text}
	}
	e.decision(&out, root, specific)
	e.keepRest(&out, specific)
	return out
}

// strength orders the decisions that one output can hold together.
var strength = map[hookproto.Decision]int{
	hookproto.Allow: 1, hookproto.Ask: 2, hookproto.Defer: 3, hookproto.Deny: 4, hookproto.Block: 4,
}

// legacy reads the top-level decision about a call.
var legacy = map[string]hookproto.Decision{"approve": hookproto.Allow, "block": hookproto.Deny}

// decision reads what the output decides: the stronger of its two forms.
func (e Event) decision(out *hookproto.Output, root, specific *document.Node) {
	top, nested := text(root, "decision"), text(specific, "permissionDecision")
	answer := specific.Get("decision")
	switch {
	case e.Effects.Answer && answer != nil:
		out.Decision, out.Reason = hookproto.Decision(text(answer, "behavior")), text(answer, "message")
		out.UpdatedInput, out.Interrupt = raw(answer, "updatedInput"), answer.Get("interrupt").Is("true")
	case e.Effects.Decide:
		out.Decision, out.Reason = legacy[top], text(root, "reason")
		if out.Decision != "" {
			out.Word = top
		}
		if v := hookproto.Decision(nested); nested != "" && strength[v] >= strength[out.Decision] {
			out.Decision, out.Word, out.Reason = v, "", text(specific, "permissionDecisionReason")
		}
	case e.Effects.Block && (top == "block" || nested == "deny"):
		out.Decision, out.Reason = hookproto.Block, text(root, "reason")
		if nested == "deny" && top != "block" {
			out.Reason = text(specific, "permissionDecisionReason")
		}
	}
}

// taken lists the fields that have a place of their own in an output.
var taken = []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext", "updatedInput", "updatedToolOutput", "updatedMCPToolOutput"}

func (e Event) keepRest(out *hookproto.Output, specific *document.Node) {
	for name := range e.Specific {
		if n := specific.Get(name); n != nil && !slices.Contains(taken, name) {
			if out.Fields == nil {
				out.Fields = map[string]json.RawMessage{}
			}
			out.Fields[name] = n.JSON()
		}
	}
}

// exit2 is the block of exit status 2: a denial in valid JSON keeps its own
// reason, anything else that JSON says about the matter is overridden.
func (e Event) exit2(out hookproto.Output, stderr string) hookproto.Output {
	if out.Plain {
		out = hookproto.Output{}
	}
	if strength[out.Decision] < strength[hookproto.Deny] || out.Reason == "" {
		out.Decision, out.Word, out.Reason = hookproto.Block, "", stderr
		if e.Effects.Decide {
			out.Decision, out.Word = hookproto.Deny, "block"
		}
	}
	return e.finish(out)
}

// finish drops what has no effect under the event, and sets the status.
func (e Event) finish(out hookproto.Output) hookproto.Output {
	f := e.Effects
	blocks := out.Decision == hookproto.Deny || out.Decision == hookproto.Block
	if blocks && strings.TrimSpace(out.Reason) == "" {
		out.Reason = noReason
	}
	if blocks && f.BlockHalt {
		out.Halt, out.HaltReason = true, out.Reason
	}
	if !f.Halt {
		out.Halt, out.HaltReason = false, ""
	}
	if !f.Context && !out.Plain {
		out.Contexts = nil
	}
	if !f.Input {
		out.UpdatedInput = nil
	}
	if !f.Output {
		out.UpdatedOutput, out.MCPOutput = nil, false
	}
	out.Status = hookproto.StatusCompleted
	switch {
	case out.Halt:
		out.Status = hookproto.StatusStopped
	case blocks:
		out.Status = hookproto.StatusBlocked
	}
	return out
}

func text(n *document.Node, name string) string {
	if v := n.Get(name); v != nil && v.Kind == document.String {
		return v.Text
	}
	return ""
}

func raw(n *document.Node, name string) json.RawMessage {
	if v := n.Get(name); v != nil {
		return v.JSON()
	}
	return nil
}
