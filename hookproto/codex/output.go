package codex

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// parse is Dialect.Parse.
func parse(event string, r hookproto.Result) hookproto.Output {
	e, known := Lookup(event)
	stderr := strings.TrimSpace(hookproto.UTF8(r.Stderr))
	switch {
	case !known:
		return failed("unknown event " + event)
	case r.TimedOut:
		return failed("the hook timed out")
	case r.Canceled:
		return failed("the hook was canceled")
	case r.Err != nil:
		return failed(r.Err.Error())
	case r.Signal != "" || r.Exit < 0:
		return failed("the hook ended without an exit status")
	case r.Exit == 2 && e.Blocks && stderr != "":
		out := e.deny(hookproto.Output{}, stderr)
		out.Word = string(hookproto.Block)
		return out
	case r.Exit == 2 && e.Blocks:
		return failed("exit status 2 without a reason on stderr")
	case r.Exit != 0 && e.StderrError && stderr != "":
		return failed(stderr)
	case r.Exit != 0:
		return failed(fmt.Sprintf("exit status %d", r.Exit))
	}
	return e.stdout(strings.TrimSpace(hookproto.UTF8(r.Stdout)))
}

func failed(why string) hookproto.Output {
	return hookproto.Output{Status: hookproto.StatusFailed, Failure: why}
}

// deny turns an output into the refusal of its event.
func (e Event) deny(o hookproto.Output, reason string) hookproto.Output {
	o.Status, o.Decision, o.Reason = hookproto.StatusBlocked, hookproto.Block, reason
	if e.Name == "PreToolUse" || e.Name == "PermissionRequest" {
		o.Decision = hookproto.Deny
	}
	return o
}

// stdout reads the trimmed standard output of a hook that exited with 0.
func (e Event) stdout(text string) hookproto.Output {
	done := hookproto.Output{Status: hookproto.StatusCompleted}
	switch {
	case text == "" || e.Keys == nil:
		return done
	case text[0] == '{' || text[0] == '[':
		root, err := document.ParseJSON([]byte(text))
		switch {
		case err != nil:
			return failed("invalid JSON output: " + err.Error())
		case root.Depth() > depthLimit:
			return failed("invalid JSON output: it nests too deeply")
		}
		return e.object(root)
	case e.Plain == PlainContext:
		done.Contexts, done.Plain = []string{text}, true
	case e.Plain == PlainInvalid:
		return failed("the output is not JSON")
	}
	return done
}

func (e Event) object(root *document.Node) hookproto.Output {
	e.placed(root)
	if err := e.check(root); err != nil {
		return failed("invalid JSON output: " + err.Error())
	}
	o := hookproto.Output{Status: hookproto.StatusCompleted, SystemMessage: text(root, KeySystem), Suppress: flag(root, KeySuppress)}
	o.Halt, o.HaltReason = isFalse(root, KeyContinue), text(root, KeyStop)
	if specific := root.Get(string(KeySpecific)); present(specific) {
		if c := specific.Get("additionalContext"); present(c) {
			o.Contexts = []string{c.Text}
		}
	}
	settled := e.supported(root, o)
	settled.SystemMessage = o.SystemMessage
	return settled
}

// supported applies what the client refuses of a valid output. After a tool,
// continue false counts whatever else there is.
func (e Event) supported(root *document.Node, o hookproto.Output) hookproto.Output {
	for _, k := range e.Unsupported {
		if e.refuses(root, k) && (!o.Halt || e.Name != "PostToolUse") {
			return failed(fmt.Sprintf("%s is not supported on %s", k, e.Name))
		}
	}
	return e.effect(root, o)
}

// placed turns a hookSpecificOutput that is an array into the object that the
// client reads it as, by the places of its fields.
func (e Event) placed(root *document.Node) {
	n := root.Get(string(KeySpecific))
	if n == nil || n.Kind != document.Array || len(n.Items) > 1+len(e.Specific) {
		return
	}
	names := append([]string{nameField}, e.Specific...)
	for i, item := range n.Items {
		n.Members = append(n.Members, document.Member{Name: names[i], Line: item.Line, Value: item})
	}
	n.Kind, n.Items = document.Object, nil
}

const nameField = "hookEventName"

// refuses reports whether an unsupported key is used in earnest.
func (e Event) refuses(root *document.Node, k Key) bool {
	switch k {
	case KeyContinue:
		return isFalse(root, k)
	case KeySuppress:
		return flag(root, k)
	default:
		return present(root.Get(string(k)))
	}
}

// effect applies the event's own rules to a valid output.
func (e Event) effect(root *document.Node, o hookproto.Output) hookproto.Output {
	switch e.Name {
	case "PreToolUse":
		return e.preToolUse(root, o)
	case "PermissionRequest":
		return e.permission(root, o)
	case "PostToolUse":
		if n := root.Get(string(KeySpecific)).Get("updatedMCPToolOutput"); present(n) && !o.Halt {
			return failed("updatedMCPToolOutput is not supported")
		}
	case "SubagentStart":
		return o
	}
	if o.Halt {
		o.Status = hookproto.StatusStopped
		if e.Name == "PostToolUse" {
			o.Decision = hookproto.Block
			o.Reason = cmp.Or(text(root, KeyReason), o.HaltReason, stoppedByHook)
		}
		return o
	}
	return e.decided(root, o)
}

// stoppedByHook stands for the reason that a hook did not give.
const stoppedByHook = "A hook asked to stop here and gave no reason."

// decided applies the decision key of events that know block alone.
func (e Event) decided(root *document.Node, o hookproto.Output) hookproto.Output {
	decision, reason := text(root, KeyDecision), text(root, KeyReason)
	switch {
	case decision == "" && e.Name == "PostToolUse" && present(root.Get(string(KeyReason))):
		return failed("a reason without a decision")
	case decision == "":
		return o
	case strings.TrimSpace(reason) == "":
		return failed("decision block without a reason")
	case e.Name == "Stop" || e.Name == "SubagentStop":
		reason = strings.TrimSpace(reason)
	}
	return e.deny(o, reason)
}

func (e Event) preToolUse(root *document.Node, o hookproto.Output) hookproto.Output {
	s := root.Get(string(KeySpecific))
	decision, reason := s.Get("permissionDecision"), s.Get("permissionDecisionReason")
	input := s.Get("updatedInput")
	allow := present(decision) && decision.Text == "allow"
	switch {
	case present(input) && !allow:
		return failed("updatedInput without permissionDecision allow")
	case allow && !present(input):
		return failed("permissionDecision allow is not supported without updatedInput")
	case allow:
		o.Decision, o.UpdatedInput = hookproto.Allow, input.JSON()
		return o
	case present(decision) && decision.Text == "ask":
		return failed("permissionDecision ask is not supported")
	case present(decision) && (!present(reason) || strings.TrimSpace(reason.Text) == ""):
		return failed("permissionDecision deny without a permissionDecisionReason")
	case present(decision):
		return e.deny(o, strings.TrimSpace(reason.Text))
	case present(reason):
		return failed("permissionDecisionReason without permissionDecision")
	}
	return e.legacy(root, o)
}

// legacy applies PreToolUse's top-level decision.
func (e Event) legacy(root *document.Node, o hookproto.Output) hookproto.Output {
	reason := strings.TrimSpace(text(root, KeyReason))
	switch text(root, KeyDecision) {
	case "approve":
		return failed("decision approve is not supported")
	case "block":
		if reason == "" {
			return failed("decision block without a reason")
		}
		return e.deny(o, reason)
	}
	if present(root.Get(string(KeyReason))) {
		return failed("a reason without a decision")
	}
	return o
}

// deniedByHook stands for the message that a hook did not give.
const deniedByHook = "A PermissionRequest hook denied this call."

func (e Event) permission(root *document.Node, o hookproto.Output) hookproto.Output {
	d := root.Get(string(KeySpecific)).Get("decision")
	if !present(d) {
		return o
	}
	for _, name := range []string{"updatedInput", "updatedPermissions"} {
		if present(d.Get(name)) {
			return failed(name + " is not supported on PermissionRequest")
		}
	}
	if n := d.Get("interrupt"); n != nil && n.Text == "true" {
		return failed("interrupt is not supported on PermissionRequest")
	}
	if d.Get("behavior").Text == "allow" {
		o.Decision = hookproto.Allow
		return o
	}
	message := ""
	if n := d.Get("message"); present(n) {
		message = strings.TrimSpace(n.Text)
	}
	return e.deny(o, cmp.Or(message, deniedByHook))
}

func present(n *document.Node) bool { return n != nil && n.Kind != document.Null }

// text returns the string at a key; "" if it is missing or null.
func text(root *document.Node, k Key) string {
	if n := root.Get(string(k)); present(n) {
		return n.Text
	}
	return ""
}

func flag(root *document.Node, k Key) bool {
	n := root.Get(string(k))
	return n != nil && n.Text == "true"
}

func isFalse(root *document.Node, k Key) bool {
	n := root.Get(string(k))
	return n != nil && n.Text == "false"
}

// A rule is what a key of an output may hold.
type rule struct {
	kind     document.Kind // "": anything
	nullable bool
	oneOf    []string
	keys     map[string]rule // of an object, which is closed
	required []string
}

var (
	optional = rule{kind: document.String, nullable: true}
	anything = rule{nullable: true}
	boolean  = rule{kind: document.Bool}
)

// specificRules returns the keys within hookSpecificOutput.
var specificRules = sync.OnceValue(func() map[string]rule {
	return map[string]rule{
		"permissionDecision":       {kind: document.String, nullable: true, oneOf: []string{"allow", "deny", "ask"}},
		"permissionDecisionReason": optional,
		"updatedInput":             anything,
		"additionalContext":        optional,
		"updatedMCPToolOutput":     anything,
		"decision": {kind: document.Object, nullable: true, required: []string{"behavior"}, keys: map[string]rule{
			"behavior":           {kind: document.String, oneOf: []string{"allow", "deny"}},
			"updatedInput":       anything,
			"updatedPermissions": anything,
			"message":            optional,
			"interrupt":          boolean,
		}},
	}
})

// check holds an output against the closed schema of the event.
func (e Event) check(root *document.Node) error {
	return rule{kind: document.Object, keys: e.rules()}.check("", root)
}

func (e Event) rules() map[string]rule {
	specific := map[string]rule{nameField: {kind: document.String, oneOf: answered()}}
	for _, name := range e.Specific {
		specific[name] = specificRules()[name]
	}
	all := map[Key]rule{
		KeyContinue: boolean, KeySuppress: boolean, KeyStop: optional, KeySystem: optional, KeyReason: optional,
		KeyDecision: {kind: document.String, nullable: true, oneOf: e.Decisions},
		KeySpecific: {kind: document.Object, nullable: true, keys: specific, required: []string{nameField}},
	}
	keys := map[string]rule{}
	for _, k := range e.Keys {
		keys[string(k)] = all[k]
	}
	return keys
}

// answered returns the names that hookEventName may hold: any event whose output
// is read. It need not be the one that happened.
func answered() []string {
	var names []string
	for _, e := range events() {
		if e.Keys != nil {
			names = append(names, e.Name)
		}
	}
	return names
}

func (r rule) check(path string, n *document.Node) error {
	switch {
	case n.Lone:
		return fmt.Errorf("%s: half of a surrogate pair", cmp.Or(path, "output"))
	case n.Kind == document.Null && r.nullable, r.kind == "":
		return nil
	case n.Kind != r.kind:
		return fmt.Errorf("%s: %s, expected %s", cmp.Or(path, "output"), n.Kind, r.kind)
	case r.oneOf != nil && !slices.Contains(r.oneOf, n.Text):
		return fmt.Errorf("%s: %q, expected one of %s", path, n.Text, strings.Join(r.oneOf, ", "))
	}
	return r.members(path, n)
}

func (r rule) members(path string, n *document.Node) error {
	for _, name := range r.required {
		if n.Get(name) == nil {
			return fmt.Errorf("%s: missing", join(path, name))
		}
	}
	for _, m := range n.Members {
		sub, ok := r.keys[m.Name]
		if !ok {
			return fmt.Errorf("%s: no such key", join(path, m.Name))
		}
		if err := sub.check(join(path, m.Name), n.Get(m.Name)); err != nil {
			return err
		}
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
