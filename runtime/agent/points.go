// Package agent owns the agent loop: sessions, turns and steps, and the
// extension points along them.
package agent

import (
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

//go:generate go run ../internal/pointgen

// Started tells that a session begins.
type Started struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Source says how it begins: "startup", "resume", "clear", "compact", "fork".
	Source string `json:"source"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnSessionStart tells that a session begins. Its handlers have returned before
// the first request to the model; what they inject is part of that request.
var OnSessionStart = point.NewNotification("agent/session-start", decls, point.NotificationSpec[Started]{
	Filters: onName, Subject: func(p Started) point.Subject { return point.Subject{Name: p.Source} },
})

// Ended tells that a session is over.
type Ended struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Reason says why, in the client's words.
	Reason string `json:"reason,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnSessionEnd tells that a session is over. It is awaited only briefly.
var OnSessionEnd = point.NewNotification("agent/session-end", decls, point.NotificationSpec[Ended]{
	Filters: onName, Subject: func(p Ended) point.Subject { return point.Subject{Name: p.Reason} },
})

// Step is a step that the agent is about to take.
type Step struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1; 0 if the host cannot
	// tell.
	Turn int `json:"turn"`
	// Step counts the steps of the turn, from 1; 0 if the host cannot
	// tell.
	Step int `json:"step"`
	// Messages are the messages that would enter the conversation.
	Messages []session.Message `json:"messages"`
	// Prompt is the joined text of those that the human wrote; absent if there
	// are none.
	Prompt string `json:"prompt,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// StepDecision says whether a step is taken.
//
//sumtype:decl
type StepDecision interface{ isStepDecision() }

// Enter takes the step.
type Enter struct {
	// Messages are what enters the conversation, in order.
	Messages []session.Message `json:"messages"`
}

// Reject ends the turn; nothing enters the conversation.
type Reject struct {
	// Reason is kept with the turn and shown to the human.
	Reason string `json:"reason"`
}

func (Enter) isStepDecision()  {}
func (Reject) isStepDecision() {}

// PreStep runs before messages enter the conversation, at every step. The
// default is to enter what was proposed. A handler that fails ends the turn.
var PreStep = point.NewWaterfall("agent/pre-step", decls, point.Spec[Step, StepDecision]{
	Default: func(s Step) StepDecision { return Enter{s.Messages} },
	Join:    &point.Join[Step, StepDecision]{Refuses: rejects, Merge: mergeStep},
})

// Request is a request to the model that is about to be sent.
type Request struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1.
	Turn int `json:"turn"`
	// Step counts the steps of the turn, from 1.
	Step int `json:"step"`
	// Attempt counts the tries of this request, from 1.
	Attempt int `json:"attempt,omitempty"`
	// Config is what the request asks of the model.
	Config Config `json:"config"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// Config is what a request asks of a model, beside the conversation.
type Config struct {
	// Model names the model.
	Model string `json:"model,omitempty"`
	// MaxTokens bounds the length of the answer, in tokens.
	MaxTokens int `json:"max_tokens,omitempty"`
	// Options are settings in the provider's own terms.
	Options value.Value `json:"options,omitempty"`
}

// RequestDecision says what is sent.
//
//sumtype:decl
type RequestDecision interface{ isRequestDecision() }

// Send sends the request.
type Send struct {
	// Config is what is asked of the model.
	Config Config `json:"config"`
}

func (Send) isRequestDecision() {}

// OnRequest runs before a request is sent to the model. The default is to send
// it as it is. A handler that fails ends the turn.
var OnRequest = point.NewWaterfall("agent/request", decls, point.Spec[Request, RequestDecision]{
	Default: func(r Request) RequestDecision { return Send{r.Config} },
	Join: &point.Join[Request, RequestDecision]{
		Refuses: func(RequestDecision) bool { return false }, Merge: mergeRequest,
	},
})

// RequestFailure is a request that got no answer.
type RequestFailure struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1.
	Turn int `json:"turn"`
	// Step counts the steps of the turn, from 1.
	Step int `json:"step"`
	// Failure says what went wrong.
	Failure ModelFailure `json:"failure"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// ModelFailure says why a model gave no answer.
type ModelFailure struct {
	// Message is the provider's text.
	Message string `json:"message"`
	// Code is the provider's word for it.
	Code string `json:"code,omitempty"`
	// Status is the status of the transport, such as 429.
	Status int `json:"status,omitempty"`
	// RetryAfter is how long the provider asks to wait, in milliseconds.
	RetryAfter int `json:"retry_after,omitempty"`
	// Attempt counts the tries of this request, from 1.
	Attempt int `json:"attempt,omitempty"`
}

// RequestErrorDecision says what to do about a failed request.
//
//sumtype:decl
type RequestErrorDecision interface{ isRequestErrorDecision() }

// Fail ends the turn with the error.
type Fail struct{}

// Retry sends the request again.
type Retry struct {
	// After is how long to wait first, in milliseconds.
	After int `json:"after,omitempty"`
}

func (Fail) isRequestErrorDecision()  {}
func (Retry) isRequestErrorDecision() {}

// OnRequestError runs when a request to the model failed. The default is to
// fail. A handler that fails ends the turn.
var OnRequestError = point.NewWaterfall("agent/request-error", decls, point.Spec[RequestFailure, RequestErrorDecision]{
	Default: func(RequestFailure) RequestErrorDecision { return Fail{} },
	Join:    &point.Join[RequestFailure, RequestErrorDecision]{Refuses: func(RequestErrorDecision) bool { return false }, Merge: mergeRetry},
})

// Stopping tells that a turn is about to end.
type Stopping struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1; 0 if the host cannot
	// tell.
	Turn int `json:"turn"`
	// Reason says why the turn ends.
	Reason string `json:"reason,omitempty"`
	// LastMessage is the text of the model's last answer.
	LastMessage string `json:"last_message,omitempty"`
	// StopActive is true if an extension already made this turn go on.
	StopActive bool `json:"stop_active"`
	// Stops counts how often in a row that happened, as far as the host can
	// tell.
	Stops int `json:"stops"`
	// Live acts on the session; steer makes the turn go on.
	Live session.Live `json:"-"`
}

// OnTurnStopping tells that a turn is about to end. A handler that steers makes
// it go on, up to a limit. The first handler that fails is the last one told,
// and ends the turn.
var OnTurnStopping = point.NewNotification("agent/turn-stopping", decls, point.NotificationSpec[Stopping]{
	StopOnError: true,
})

// Compaction is a conversation that is about to be summarised.
type Compaction struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Trigger says who wants it: "manual" or "auto".
	Trigger string `json:"trigger"`
	// Instructions are for the summariser.
	Instructions string `json:"instructions,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// CompactionDecision says whether a conversation is summarised.
//
//sumtype:decl
type CompactionDecision interface{ isCompactionDecision() }

// Proceed lets it be summarised.
type Proceed struct {
	// Instructions are added to those for the summariser.
	Instructions string `json:"instructions,omitempty"`
}

// Cancel leaves the conversation as it is.
type Cancel struct {
	// Reason is shown to the human.
	Reason string `json:"reason"`
}

func (Proceed) isCompactionDecision() {}
func (Cancel) isCompactionDecision()  {}

// PreCompact runs before a conversation is summarised. The default is to
// proceed. A handler that fails cancels it.
var PreCompact = point.NewWaterfall("agent/pre-compact", decls, point.Spec[Compaction, CompactionDecision]{
	Default: func(Compaction) CompactionDecision { return Proceed{} },
	Join:    &point.Join[Compaction, CompactionDecision]{Refuses: cancels, Merge: mergeCompaction},
	Filters: onName,
	Subject: func(c Compaction) point.Subject { return point.Subject{Name: c.Trigger} },
})

// Compacted tells that a conversation was summarised.
type Compacted struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Trigger says who wanted it: "manual" or "auto".
	Trigger string `json:"trigger"`
	// Summary is what stands for the conversation now.
	Summary string `json:"summary,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnCompacted tells that a conversation was summarised.
var OnCompacted = point.NewNotification("agent/post-compact", decls, point.NotificationSpec[Compacted]{
	Filters: onName, Subject: func(p Compacted) point.Subject { return point.Subject{Name: p.Trigger} },
})

// Interrupted tells that the human cancelled a turn.
type Interrupted struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1.
	Turn int `json:"turn"`
	// Cause says what cancelled it.
	Cause string `json:"cause,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnInterrupt tells that the human cancelled a turn. It is awaited only briefly.
var OnInterrupt = point.NewNotification("agent/interrupt", decls, point.NotificationSpec[Interrupted]{})

// Notice is something that the agent tells its human.
type Notice struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Type is the kind of notice, in the client's words.
	Type string `json:"type,omitempty"`
	// Message is the text.
	Message string `json:"message"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnNotify tells what the agent tells its human.
var OnNotify = point.NewNotification("agent/notify", decls, point.NotificationSpec[Notice]{
	Filters: onName, Subject: func(p Notice) point.Subject { return point.Subject{Name: p.Type} },
})

// Status tells whether the agent is at work.
type Status struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Status is "idle" or "running".
	Status string `json:"status"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnStatus tells that the agent starts or stops to work.
var OnStatus = point.NewNotification("agent/status", decls, point.NotificationSpec[Status]{
	Filters: onName, Subject: func(p Status) point.Subject { return point.Subject{Name: p.Status} },
})

// Error tells that a turn ended in an error.
type Error struct {
	// Session is the session.
	Session session.Ref `json:"session"`
	// Turn counts the turns of the session, from 1.
	Turn int `json:"turn"`
	// Step counts the steps of the turn, from 1.
	Step int `json:"step"`
	// Message says what went wrong.
	Message string `json:"message"`
	// Code is a stable word for programs.
	Code string `json:"code,omitempty"`
	// Live acts on the session.
	Live session.Live `json:"-"`
}

// OnError tells that a turn ended in an error.
var OnError = point.NewNotification("agent/error", decls, point.NotificationSpec[Error]{})

var onName = []point.FilterField{point.FilterMatch}

// Points lists the extension points of this package.
func Points() []point.Point {
	return []point.Point{
		OnSessionStart, OnSessionEnd, PreStep, OnRequest, OnRequestError, OnTurnStopping,
		PreCompact, OnCompacted, OnInterrupt, OnNotify, OnStatus, OnError,
	}
}
