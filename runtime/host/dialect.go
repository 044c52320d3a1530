package host

import "context"

// A Dialect is the protocol of one coding agent, seen from its hook command.
type Dialect interface {
	// Name returns the name, such as "claude-code".
	Name() string
	// Serve answers one invocation of the hook. It is total: it decodes, fires
	// the points that belong to the event, in order, and encodes; whatever fails
	// becomes what the client takes for the event's safe answer.
	Serve(ctx context.Context, h Host, in Invocation) Reply
}

// An Invocation is what a client gives to its hook.
type Invocation struct {
	Stdin []byte
	// Env returns a variable of the environment, as os.Getenv does; nil knows none.
	Env func(name string) string
	// Dir is the absolute path of the directory that the hook was started in.
	Dir string
}

// Getenv returns a variable of the environment; empty if it is not set.
func (in Invocation) Getenv(name string) string {
	if in.Env == nil {
		return ""
	}
	return in.Env(name)
}

// Vars are the variables of an environment that is not the process's own.
type Vars map[string]string

// Get returns one, for [Invocation.Env].
func (v Vars) Get(name string) string { return v[name] }

// A Reply is what the hook gives back.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}
