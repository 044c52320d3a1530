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
	Env   map[string]string
	// Dir is the absolute path of the directory that the hook was started in.
	Dir string
}

// A Reply is what the hook gives back.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}
