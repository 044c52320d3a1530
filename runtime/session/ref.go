// Package session holds what is true of one conversation with an agent: its
// identity, its messages, and what an extension may do to it while it runs.
package session

// Ref identifies a session and says where and how it runs. A host fills what
// its client tells; an empty field is not known.
type Ref struct {
	// ID is the client's own identifier of the session.
	ID string `json:"id"`
	// Cwd is the absolute path of the current working directory, which follows
	// the agent's own changes of directory.
	Cwd string `json:"cwd,omitempty"`
	// Project is the absolute path of the project's root, which does not change.
	Project string `json:"project,omitempty"`
	// Mode is the client's permission mode, in its own words.
	Mode string `json:"mode,omitempty"`
	// Transcript is the path of the session's log, which may not exist yet.
	Transcript string `json:"transcript,omitempty"`
	// Model names the model that the session uses.
	Model string `json:"model,omitempty"`
	// Turn is the client's identifier of the turn under way.
	Turn string `json:"turn,omitempty"`
	// Agent says which subagent is at work; absent for the main agent.
	Agent *AgentRef `json:"agent,omitempty"`
	// Client names the coding agent, such as "claude-code" or "codex".
	Client string `json:"client,omitempty"`
}

// AgentRef identifies a subagent.
type AgentRef struct {
	// ID is the client's own identifier of the subagent.
	ID string `json:"id"`
	// Type is the kind of subagent, such as "general-purpose".
	Type string `json:"type,omitempty"`
}
