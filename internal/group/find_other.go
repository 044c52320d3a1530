//go:build !linux

package group

// KillMarked does nothing where other processes do not show their environment.
func KillMarked(string) {}

// Marked lists none where other processes do not show their environment.
func Marked(string) []int { return nil }

// A Tree is a process with all that it started.
type Tree struct{ leader int }

// NewTree returns the tree of a process that leads a session.
func NewTree(leader int, _ ...string) *Tree { return &Tree{leader: leader} }

// Look does nothing where other processes do not show their parents.
func (t *Tree) Look() {}

// Kill ends the group of the leader.
func (t *Tree) Kill() { Kill(t.leader) }

// Orphans are nobody where a process cannot become the parent of others.
type Orphans struct{}

// Adopt does nothing where a process cannot become the parent of others.
func Adopt() (*Orphans, error) { return nil, nil }

// Kill does nothing where a process cannot become the parent of others.
func (*Orphans) Kill() {}
