package serve

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An Output is the JSON that a hook prints. Empty fields are left out.
type Output struct {
	Stop       bool   // continue: false
	StopReason string // stopReason
	Tell       string // systemMessage
	Decision   string // decision
	Reason     string // reason

	// Inside hookSpecificOutput:

	Permission       string      // permissionDecision
	PermissionReason string      // permissionDecisionReason
	Input            value.Value // updatedInput
	Context          string      // additionalContext
	ToolOutput       value.Value // updatedToolOutput
	Answer           Answer      // decision
}

// An Answer answers a client's question for permission; zero means none.
type Answer struct {
	Behavior  string
	Message   string
	Interrupt bool
}

func (a Answer) value() value.Value {
	if a.Behavior == "" {
		return value.Value{}
	}
	return value.OfObject(
		value.Member{Key: "behavior", Value: text(a.Behavior)},
		value.Member{Key: "message", Value: text(a.Message)},
		value.Member{Key: "interrupt", Value: only(a.Interrupt, true)},
	)
}

// encode writes o on one line; it is empty if there is nothing to say.
func (o Output) encode(event string) []byte {
	specific := value.OfObject(
		value.Member{Key: "decision", Value: o.Answer.value()},
		value.Member{Key: "permissionDecision", Value: text(o.Permission)},
		value.Member{Key: "permissionDecisionReason", Value: text(o.PermissionReason)},
		value.Member{Key: "updatedInput", Value: o.Input},
		value.Member{Key: "additionalContext", Value: text(o.Context)},
		value.Member{Key: "updatedToolOutput", Value: o.ToolOutput},
	)
	if specific.Len() == 0 {
		specific = value.Value{}
	} else {
		specific = named(event, specific)
	}
	all := value.OfObject(
		value.Member{Key: "continue", Value: only(o.Stop, false)},
		value.Member{Key: "stopReason", Value: text(o.StopReason)},
		value.Member{Key: "systemMessage", Value: text(o.Tell)},
		value.Member{Key: "decision", Value: text(o.Decision)},
		value.Member{Key: "reason", Value: text(o.Reason)},
		value.Member{Key: "hookSpecificOutput", Value: specific},
	)
	if all.Len() == 0 {
		return nil
	}
	return append(all.AppendJSON(nil), '\n')
}

func named(event string, specific value.Value) value.Value {
	members := []value.Member{{Key: "hookEventName", Value: value.OfString(event)}}
	for key, v := range specific.Members() {
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...)
}

func text(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfString(s)
}

// only returns the boolean v where it is to be said, else nothing.
func only(said, v bool) value.Value {
	if !said {
		return value.Value{}
	}
	return value.OfBool(v)
}

// Or returns s, or other if s is blank.
func Or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

// What is said where a policy gives no reason. A client takes a blank one for no
// refusal at all, or puts its own words there.
const (
	DenyReason   = "denied by a policy that gives no reason"
	AskReason    = "a policy asks for approval and gives no reason"
	BlockReason  = "the result is withheld by a policy that gives no reason"
	HaltReason   = "the turn was ended by a policy that gives no reason"
	rejectReason = "the prompt is blocked by a policy that gives no reason"
	goOnReason   = "a policy wants this turn to go on and gives no reason"
)

// Told returns what extensions told the human.
func Told(e *session.Effects) string { return lines(e.Told()) }

// join puts all that is for the model under each other.
func join(texts []string, contexts []session.Context, e *session.Effects) (string, error) {
	for _, c := range contexts {
		texts = append(texts, c.Text)
	}
	injected, err := textsOf("inject", e.Injected())
	return lines(append(texts, injected...)), err
}

// textsOf returns the texts of messages; a hook can print nothing else.
func textsOf(what string, messages []session.Message) ([]string, error) {
	texts := make([]string, len(messages))
	for i, m := range messages {
		if !onlyText(m.Content) {
			return nil, fmt.Errorf("%s: this client's hooks can only %s text", what, what)
		}
		texts[i] = Text(m.Content)
	}
	return texts, nil
}

func lines(texts []string) string {
	var kept []string
	for _, s := range texts {
		if Or(s, "") != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "\n")
}

// failed is the answer where nobody could be asked. Without the name of an event
// that the client sends, only the exit status can refuse.
func (c *Client) failed(row *Row, fault error) Served {
	s := Served{Fault: fault}
	if row == nil {
		s.Reply = host.Reply{Stderr: c.lineOf(fault), Exit: exitRefuse}
		return s
	}
	s.Event = row.Name
	var out Output
	switch row.Role {
	case BeforeTool:
		s.Point, s.Decision = tool.PreExecute, refusal(fault)
		out, _ = c.Before(&Before{Decision: refusal(fault), Effects: session.NewEffects(), Note: ignore})
	case Permission:
		s.Point, s.Decision = tool.OnApprove, refusing(fault)
		out = answered(refusing(fault))
	case AfterTool:
		s.Point, s.Decision = tool.PostExecute, withholding(fault)
		out, _ = c.After(&After{Decision: withholding(fault), Effects: session.NewEffects(), Note: ignore})
	case Prompt:
		s.Point, s.Decision = agent.PreStep, rejecting(fault)
		out = blocked(rejecting(fault).Reason)
	case Stop, ChildStop:
		out = ending(fault)
	case Start, Silent:
		s.Reply.Stderr = c.lineOf(fault)
	}
	s.Reply.Stdout = out.encode(row.Name)
	return s
}

func (c *Client) lineOf(fault error) []byte { return append(c.line(fault.Error()), '\n') }

func ignore(string) {}

// exitRefuse is the exit status with which every client lets a hook refuse;
// exitBroken is one that every client passes over.
const (
	exitBroken = 1
	exitRefuse = 2
)

// line makes text one line that says who speaks.
func (c *Client) line(text string) []byte {
	return []byte("dsh: " + c.Name + ": " + strings.Join(strings.Fields(text), " "))
}

func (a *asking) logStack(fault error) {
	var h *point.HandlerError
	if errors.As(fault, &h) && len(h.Stack) > 0 {
		a.options.log(string(h.Stack))
	}
}
