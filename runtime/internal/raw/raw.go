// Package raw keeps a few functions for this module, although they are exported:
// those that take storage over as it is, where others copy it. Whoever calls them
// vouches for what they promise to everyone else. No other module can name the
// type of their first parameter.
package raw

// Access is that type.
type Access struct{}
