package codex

import (
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/hookproto/document"
)

// featureNames switch hooks; the first that is given holds.
var featureNames = []string{"hooks", "codex_hooks"}

// feature returns whether hooks are on after the file has been read.
func (r *reader) feature(root *document.Node, enabled bool) bool {
	features := root.Get("features")
	for _, name := range slices.Backward(featureNames) {
		n := features.Get(name)
		switch {
		case n == nil:
		case n.Kind != document.Bool:
			r.bad("type", spot{line: n.Line, path: "features." + name}, fmt.Sprintf("%s, expected true or false", show(n)))
		default:
			enabled = n.Text == "true"
		}
	}
	return enabled
}

// states reads [hooks.state]: which handlers the user trusts or has switched off.
func (r *reader) states(root *document.Node, into map[string]state) {
	n := root.Get("hooks").Get("state")
	if n == nil {
		return
	}
	at := spot{line: n.Line, path: "hooks.state"}
	if n.Kind != document.Object {
		r.bad("type", at, fmt.Sprintf("%s, expected a table", show(n)))
		return
	}
	for _, m := range n.Members {
		s := into[m.Name]
		hash, enabled := m.Value.Get("trusted_hash"), m.Value.Get("enabled")
		switch {
		case m.Value.Kind != document.Object,
			hash != nil && hash.Kind != document.String, enabled != nil && enabled.Kind != document.Bool:
			r.bad("type", at.below(m.Line, m.Name), "expected trusted_hash, a string, and enabled, true or false")
			continue
		}
		if hash != nil {
			s.hash = hash.Text
		}
		if enabled != nil {
			s.off = enabled.Text == "false"
		}
		into[m.Name] = s
	}
}

// refuse tells of a key that the client refuses to start with.
func (r *reader) refuse(root *document.Node) {
	if n := root.Get("profile"); n != nil {
		r.bad("unknown-key", spot{line: n.Line, path: "profile"}, "Codex no longer knows it and does not start")
	}
}

// managedDir makes the administrator's folder of hook programs stand for the
// file in state keys.
func (r *reader) managedDir(root *document.Node) {
	if n := root.Get("hooks").Get("managed_dir"); n != nil && n.Kind == document.String {
		r.file.Key = n.Text
	}
}
