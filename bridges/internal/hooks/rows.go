package hooks

import (
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Events of the clients that stand at our points.
const (
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	PostToolBatch      = "PostToolBatch"
	UserPromptSubmit   = "UserPromptSubmit"
	SessionStart       = "SessionStart"
	SessionEnd         = "SessionEnd"
	Stop               = "Stop"
	StopFailure        = "StopFailure"
	SubagentStart      = "SubagentStart"
	SubagentStop       = "SubagentStop"
	PreCompact         = "PreCompact"
	PostCompact        = "PostCompact"
	Notification       = "Notification"
	Interrupt          = "Interrupt"
	PreModelRequest    = "PreModelRequest"
)

// A row says which point stands for events, and attaches their handler to it. A
// row without events is for the bridge itself and always attached.
type row struct {
	point  point.Point
	events []string
	attach func(b *Bridge, in *point.Installer)
}

var rows = []row{
	{tool.OnRewrite, []string{PreToolUse}, func(b *Bridge, in *point.Installer) { tool.OnRewrite.Handle(in, b.rewrite) }},
	{tool.PreExecute, []string{PreToolUse}, func(b *Bridge, in *point.Installer) { tool.PreExecute.Handle(in, b.decide) }},
	{tool.OnApprove, []string{PermissionRequest}, func(b *Bridge, in *point.Installer) { tool.OnApprove.Handle(in, b.approve) }},
	{tool.PostExecute, []string{PostToolUse, PostToolUseFailure}, func(b *Bridge, in *point.Installer) { tool.PostExecute.Handle(in, b.review) }},
	{tool.OnResult, []string{PreToolUse, PostToolBatch}, func(b *Bridge, in *point.Installer) { tool.OnResult.Handle(in, b.result) }},
	{agent.PreStep, []string{UserPromptSubmit, SessionStart, PostToolBatch, PreToolUse, PostToolUse}, func(b *Bridge, in *point.Installer) { agent.PreStep.Handle(in, b.step) }},
	{agent.OnSessionStart, []string{SessionStart}, func(b *Bridge, in *point.Installer) { agent.OnSessionStart.Handle(in, b.start) }},
	{agent.OnSessionEnd, nil, func(b *Bridge, in *point.Installer) { agent.OnSessionEnd.Handle(in, b.end) }},
	{agent.OnTurnStopping, []string{Stop, SubagentStop}, func(b *Bridge, in *point.Installer) { agent.OnTurnStopping.Handle(in, b.stopping) }},
	{agent.OnRequest, []string{PreModelRequest}, func(b *Bridge, in *point.Installer) { agent.OnRequest.Handle(in, b.request) }},
	{agent.OnRequestError, []string{StopFailure}, func(b *Bridge, in *point.Installer) { agent.OnRequestError.Handle(in, b.requestFailed) }},
	{subagent.OnStart, nil, func(b *Bridge, in *point.Installer) { subagent.OnStart.Handle(in, b.childStart) }},
	{agent.PreCompact, []string{PreCompact}, func(b *Bridge, in *point.Installer) { agent.PreCompact.Handle(in, b.compact) }},
	{agent.OnCompacted, []string{PostCompact}, func(b *Bridge, in *point.Installer) { agent.OnCompacted.Handle(in, b.compacted) }},
	{agent.OnNotify, []string{Notification}, func(b *Bridge, in *point.Installer) { agent.OnNotify.Handle(in, b.notify) }},
	{agent.OnInterrupt, []string{Interrupt}, func(b *Bridge, in *point.Installer) { agent.OnInterrupt.Handle(in, b.interrupted) }},
}

func (r row) needed(events map[string]bool) bool {
	return r.events == nil || slices.ContainsFunc(r.events, func(e string) bool { return events[e] })
}

// unfired lists the points that the agent loop never fires.
var unfired = []point.Point{agent.PreCompact, agent.OnCompacted, agent.OnNotify}

// fires reports whether the host fires p.
func (o Options) fires(p point.Point) bool {
	is := func(q point.Point) bool { return q.Name() == p.Name() }
	if o.Fires == nil {
		return !slices.ContainsFunc(unfired, is)
	}
	return slices.ContainsFunc(o.Fires, is)
}

// standsFor returns the point whose firing is the event; nil if there is none.
func (c Client) standsFor(event string) point.Point {
	if s, is := stands[event]; is && slices.Contains(c.Events, event) {
		return s.point
	}
	return nil
}

// load finds out which events are fired, and lists what will not run.
func (b *Bridge) load() {
	b.events = map[string]bool{}
	b.problems = slices.Clone(b.options.Config.Problems)
	told := map[string]bool{}
	for _, h := range b.options.Config.Handlers {
		p := b.client.standsFor(h.Event)
		switch {
		case p != nil && b.options.fires(p):
			b.events[h.Event] = true
			b.loadHandler(h)
		case !told[h.Event]:
			told[h.Event] = true
			b.notFired(h, p)
		}
	}
	b.unshown()
}

// unshown tells of the lines that the client shows its user while hooks run.
func (b *Bridge) unshown() {
	all := b.options.Config.Handlers
	i := slices.IndexFunc(all, func(h hookproto.Handler) bool { return h.StatusMessage != "" })
	if i < 0 {
		return
	}
	b.problems = append(b.problems, hookproto.Problem{
		At: all[i].At, Severity: hookproto.FieldIgnored, Kind: "unshown", Event: all[i].Event,
		Text: "statusMessage is shown nowhere here, neither that of this hook nor another's",
	})
}

func (b *Bridge) notFired(h hookproto.Handler, p point.Point) {
	why := "nothing here stands for it"
	if p != nil {
		why = fmt.Sprintf("%s stands for it, which is never fired here", p.Name())
	}
	b.problems = append(b.problems, hookproto.Problem{
		At: h.At, Severity: hookproto.HandlerNotRun, Kind: "unsupported-event", Event: h.Event,
		Text: fmt.Sprintf("hooks of %s never run: %s", h.Event, why),
	})
}

// loadHandler lists a handler that cannot run.
func (b *Bridge) loadHandler(h hookproto.Handler) {
	if h.Kind != hookproto.MCPToolHandler || h.NotRun != "" || b.options.MCP != nil {
		return
	}
	b.problems = append(b.problems, hookproto.Problem{
		At: h.At, Severity: hookproto.HandlerNotRun, Kind: "unsupported-type", Event: h.Event,
		Text: fmt.Sprintf("the MCP server %q is not there to run its tool %q", h.Server, h.Tool),
	})
}
