// Package subagent owns agents that work for an agent, and the extension points
// of their lives.
package subagent

import (
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
)

//go:generate go run ../internal/pointgen

// Started tells that a subagent begins.
type Started struct {
	// Session is the session that it works for.
	Session session.Ref `json:"session"`
	// ID identifies the subagent.
	ID string `json:"id"`
	// Type is the kind of subagent.
	Type string `json:"type,omitempty"`
	// Prompt is its task.
	Prompt string `json:"prompt,omitempty"`
	// Transcript is the path of its own log; absent if it keeps none.
	Transcript string `json:"transcript,omitempty"`
	// Live acts on the subagent.
	Live session.Live `json:"-"`
}

// OnStart tells that a subagent begins. Its handlers have returned before the
// subagent's first request to the model.
var OnStart = point.NewNotification("subagent/start", decls, point.NotificationSpec[Started]{
	Filters: onType, Subject: func(p Started) point.Subject { return point.Subject{Name: p.Type} },
})

// Ended tells that a subagent is done.
type Ended struct {
	// Session is the session that it worked for.
	Session session.Ref `json:"session"`
	// ID identifies the subagent.
	ID string `json:"id"`
	// Type is the kind of subagent.
	Type string `json:"type,omitempty"`
	// Outcome says how it ended.
	Outcome string `json:"outcome,omitempty"`
	// LastMessage is the text of its last answer.
	LastMessage string `json:"last_message,omitempty"`
	// StopActive is true if an extension already made the subagent go on.
	StopActive bool `json:"stop_active,omitempty"`
	// Live acts on the subagent; steer makes it go on.
	Live session.Live `json:"-"`
}

// OnEnd tells that a subagent is done.
var OnEnd = point.NewNotification("subagent/end", decls, point.NotificationSpec[Ended]{
	Filters: onType, Subject: func(p Ended) point.Subject { return point.Subject{Name: p.Type} },
})

var onType = []point.FilterField{point.FilterMatch}

// Points lists the extension points of this package.
func Points() []point.Point { return []point.Point{OnStart, OnEnd} }
