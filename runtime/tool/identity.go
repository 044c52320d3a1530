package tool

import (
	"time"

	"github.com/dsh-lua/dsh/runtime/session"
)

// A Token is the identity of one call in this process. It is minted by the
// pipeline, is the same in all phases of the call, and can be compared and
// passed as [Input.Parent] and nothing else. The zero Token is no call.
type Token struct{ id *identity }

// identity is what a token stands for.
type identity struct {
	id      string
	root    string
	parent  Token
	action  string        // the kinds of the action, for filters
	timeout time.Duration // that the definition declares
}

// IsZero reports whether t is no call.
func (t Token) IsZero() bool { return t.id == nil }

// Token returns the identity of the call; it is zero for a Call that no
// pipeline made, such as one that a client's hook describes.
func (c Call) Token() Token { return c.token }

// Root returns the ID of the call of the model that this call is, or is part
// of.
func (c Call) Root() string {
	if c.token.IsZero() {
		return c.ID
	}
	return c.token.id.root
}

// Nested reports whether the body of another call makes this one.
func (c Call) Nested() bool {
	return c.Parent != "" || !c.token.IsZero() && !c.token.id.parent.IsZero()
}

// Timeout returns how long the body may take by its definition; 0 if there is no
// limit or none is known.
func (c Call) Timeout() time.Duration {
	if c.token.IsZero() {
		return 0
	}
	return c.token.id.timeout
}

// attributed names the tool behind contexts that a body defers.
func attributed(tool string, c session.Context) session.Context {
	if c.Extension == "" {
		c.Extension = tool
	}
	return c
}
