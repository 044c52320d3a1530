// Package tool owns tool calls: what a call is about to do, the Decisions that
// extensions take about it, and the extension points along its way.
//
// One call passes the points in the order of this file: tools/rewrite may change
// its arguments while it is still a proposal; tools/pre-execute allows, denies
// or asks; tools/approve answers what was asked; tools/guard can only refuse;
// tools/execute wraps the body; tools/post-execute accepts or blocks the result;
// tools/result tells what came of it. Each point has one kind of authority and
// cannot do another's job.
package tool

import (
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

//go:generate go run ../internal/pointgen

// Proposal is a call as the model wrote it, before it has its identity.
type Proposal struct {
	// ID correlates the call with its result.
	ID string `json:"id"`
	// Tool is the name of the tool to run.
	Tool string `json:"tool"`
	// Arguments are what the model passes to the tool.
	Arguments value.Value `json:"arguments"`
	// Action says what the call is about to do, in terms that fit every client.
	Action Action `json:"action"`
	// Fault says why the call will fail with these arguments: "unknown-tool", or
	// "invalid-arguments: " and what is wrong; absent if nothing is.
	Fault string `json:"fault,omitempty"`
	// Session is the session that the call belongs to.
	Session session.Ref `json:"session"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// Rewriting answers a proposal.
//
//sumtype:decl
type Rewriting interface{ isRewriting() }

// Keep leaves the arguments as they are.
type Keep struct{}

// Rewrite replaces the arguments. All later points and records see the new ones;
// arguments that do not fit the tool make the call a failure.
type Rewrite struct {
	// Arguments replace those of the model as a whole.
	Arguments value.Value `json:"arguments"`
	// Reason tells the model why something else was run.
	Reason string `json:"reason,omitempty"`
}

func (Keep) isRewriting()    {}
func (Rewrite) isRewriting() {}

// OnRewrite runs before a call has its identity, and is the only point that can
// change what runs. The default is keep. A failing handler makes the call a
// failure.
var OnRewrite = point.NewWaterfall("tools/rewrite", decls, point.Spec[Proposal, Rewriting]{
	Default: func(Proposal) Rewriting { return Keep{} },
	Join:    &point.Join[Proposal, Rewriting]{Refuses: func(Rewriting) bool { return false }, Merge: mergeRewriting},
	Shield:  (*Proposal).shield,
	Filters: filters,
	Subject: func(p Proposal) point.Subject { return subject(p.Tool, p.Action) },
})

// Call is one tool call. It never changes: what is judged, logged, shown and
// executed is the same call.
type Call struct {
	// ID correlates the call with its result.
	ID string `json:"id"`
	// Parent is the ID of the call whose body makes this one; absent for a call
	// of the model.
	Parent string `json:"parent,omitempty"`
	// Tool is the name of the tool to run.
	Tool string `json:"tool"`
	// Arguments are what is passed to the tool.
	Arguments value.Value `json:"arguments"`
	// Action says what the call is about to do, in terms that fit every client.
	Action Action `json:"action"`
	// Fault says why the call will fail whatever is decided: "unknown-tool", or
	// "invalid-arguments: " and what is wrong; absent if nothing is.
	Fault string `json:"fault,omitempty"`
	// Session is the session that the call belongs to.
	Session session.Ref `json:"session"`
	// Live acts on the session.
	Live session.Live `json:"-"`

	token Token
}

// PreDecision says whether a call may run.
//
//sumtype:decl
type PreDecision interface{ isPreDecision() }

// Allow has no objection. A client with a permission flow of its own still
// follows that.
type Allow struct {
	// Preapproved asks the client not to ask its user either. Only an extension
	// with the grant "preapprove" may say so.
	Preapproved bool `json:"preapproved,omitempty"`
	// Contexts are texts to add for the model.
	Contexts []session.Context `json:"contexts,omitempty"`
}

// Deny turns the call into a failure; the tool does not run.
type Deny struct {
	// Reason tells the model why, so that it can try something else.
	Reason string `json:"reason"`
	// Contexts are texts to add for the model.
	Contexts []session.Context `json:"contexts,omitempty"`
}

// Ask lets an approver decide; where there is none the call is denied.
type Ask struct {
	// Reason is shown to whoever approves.
	Reason string `json:"reason,omitempty"`
	// Contexts are texts to add for the model.
	Contexts []session.Context `json:"contexts,omitempty"`
}

func (Allow) isPreDecision() {}
func (Deny) isPreDecision()  {}
func (Ask) isPreDecision()   {}

// PreHandler is the type of a [PreExecute] handler.
type PreHandler = point.Handler[Call, PreDecision]

// PreNext is the next argument of a [PreHandler].
type PreNext = point.Next[PreDecision]

// PreExecute runs before the guards and before the tool. The default is to
// allow. A handler that fails denies the call.
var PreExecute = point.NewWaterfall("tools/pre-execute", decls, point.Spec[Call, PreDecision]{
	Default: func(Call) PreDecision { return Allow{} },
	Join:    &point.Join[Call, PreDecision]{Refuses: denies, Merge: mergePre},
	Shield:  (*Call).shield,
	Filters: filters,
	Subject: Call.subject,
})

// GuardDecision answers a guard.
//
//sumtype:decl
type GuardDecision interface{ isGuardDecision() }

// Abstain has no objection.
type Abstain struct{}

// Forbid refuses the call. Nothing can overrule it.
type Forbid struct {
	// Reason tells the model why.
	Reason string `json:"reason"`
}

func (Abstain) isGuardDecision() {}
func (Forbid) isGuardDecision()  {}

// OnGuard runs after a call was allowed or approved. It has no way to say yes,
// so what it forbids stays forbidden. The default is to abstain. A handler that
// fails forbids the call.
var OnGuard = point.NewGuard("tools/guard", decls, point.GuardSpec[Call, GuardDecision]{
	Abstain: Abstain{},
	Refuses: func(d GuardDecision) bool { _, no := d.(Forbid); return no },
	Shield:  (*Call).shield,
	Filters: filters,
	Subject: Call.subject,
})

// Approval is a call that somebody wants to see approved.
type Approval struct {
	// Call is the call, as it would run.
	Call Call `json:"call"`
	// Reason says why it needs approval.
	Reason string `json:"reason,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// ApprovalDecision answers a question for approval.
//
//sumtype:decl
type ApprovalDecision interface{ isApprovalDecision() }

// Pass leaves the answer to others.
type Pass struct{}

// Grant approves this one call.
type Grant struct{}

// Refuse denies the call.
type Refuse struct {
	// Reason tells the model why.
	Reason string `json:"reason,omitempty"`
}

func (Pass) isApprovalDecision()   {}
func (Grant) isApprovalDecision()  {}
func (Refuse) isApprovalDecision() {}

// OnApprove answers what tools/pre-execute asked. Only a grant lets the call go
// on, and it holds for this call alone. The default is to pass, which denies the
// call because nobody approved it. A handler that fails denies the call.
var OnApprove = point.NewWaterfall("tools/approve", decls, point.Spec[Approval, ApprovalDecision]{
	Default: func(Approval) ApprovalDecision { return Pass{} },
	Join:    &point.Join[Approval, ApprovalDecision]{Refuses: refusesApproval, Merge: mergeApproval},
	Shield:  (*Approval).shield,
	Filters: filters,
	Subject: func(a Approval) point.Subject { return a.Call.subject() },
})

// OnExecute wraps the body of the tool: for time-outs, retries, caches and
// measuring. Its innermost part runs the tool. next may be called at most 8
// times, and a handler that fails makes the call a failure.
var OnExecute = point.NewWaterfall("tools/execute", decls, point.Spec[Call, Result]{
	Default: func(c Call) Result {
		return Failure{Message: "no tool runtime runs " + c.Tool, Code: "UNKNOWN_TOOL"}
	},
	MaxNext:   8,
	Forgiving: true,
	Shield:    (*Call).shield,
	Filters:   filters,
	Subject:   Call.subject,
})

// Done is a call with its outcome.
type Done struct {
	// Call is the call.
	Call Call `json:"call"`
	// Result is its outcome.
	Result Result `json:"result"`
	// Ran is false for a call that never reached the tool's body.
	Ran bool `json:"ran"`
	// DurationMS is how long the body took, in milliseconds.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// PostDecision says what the model is shown of a result.
//
//sumtype:decl
type PostDecision interface{ isPostDecision() }

// Accept keeps the result, or replaces what the model is shown of it.
type Accept struct {
	// Content replaces what the model is shown; an empty list shows nothing.
	Content []session.Part `json:"content,omitempty"`
	// Value replaces the value, from which the content is made anew; null is a
	// value.
	Value value.Value `json:"value,omitempty"`
	// Contexts are texts to add for the model.
	Contexts []session.Context `json:"contexts,omitempty"`
}

// Block withholds the result: the model is shown the feedback instead.
type Block struct {
	// Feedback is what the model is shown.
	Feedback []session.Part `json:"feedback"`
	// Contexts are texts to add for the model.
	Contexts []session.Context `json:"contexts,omitempty"`
}

func (Accept) isPostDecision() {}
func (Block) isPostDecision()  {}

// PostExecute runs after the tool, before the model sees the result. The default
// is to accept. A handler that fails withholds the result.
var PostExecute = point.NewWaterfall("tools/post-execute", decls, point.Spec[Done, PostDecision]{
	Default: func(Done) PostDecision { return Accept{} },
	Join:    &point.Join[Done, PostDecision]{Refuses: blocks, Merge: mergePost},
	Shield:  (*Done).shield,
	Filters: filters,
	Subject: func(d Done) point.Subject { return d.Call.subject() },
})

// OnResult tells what came of a call, after everything else. Nothing can be
// changed here, and a failing handler changes nothing.
var OnResult = point.NewNotification("tools/result", decls, point.NotificationSpec[Done]{
	Shield:  (*Done).shield,
	Filters: filters,
	Subject: func(d Done) point.Subject { return d.Call.subject() },
})

// Points lists the extension points of this package, in the order in which a
// call passes them.
func Points() []point.Point {
	return []point.Point{OnRewrite, PreExecute, OnApprove, OnGuard, OnExecute, PostExecute, OnResult}
}

var filters = []point.FilterField{point.FilterTool, point.FilterAction, point.FilterMatch}

func (c Call) subject() point.Subject {
	if !c.token.IsZero() {
		return point.Subject{Tool: c.Tool, Action: c.token.id.action, Name: c.Tool}
	}
	return subject(c.Tool, c.Action)
}

func subject(tool string, a Action) point.Subject {
	return point.Subject{Tool: tool, Action: Kinds(a), Name: tool}
}
