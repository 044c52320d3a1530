package stdlib

import (
	"context"
	"io/fs"
	"time"
)

// Services are all that modules reach of the world. The zero Services know
// nothing: paths have no links that could be resolved, the time is unknown, and
// nothing can be kept.
type Services struct {
	// FS is the file system from its root, with the names of [fs.ValidPath]:
	// /etc/hosts is "etc/hosts". It is a [fs.ReadLinkFS] if it knows of symbolic
	// links. Modules tell facts from it and never hand out what a file holds.
	FS fs.FS
	// Home is the absolute path of the user's home folder; empty if unknown.
	Home string
	// Clock returns the time of the event that ctx belongs to. It is asked once
	// in a run, so all of a run happens at one time.
	Clock func(ctx context.Context) time.Time
	// State keeps values between runs.
	State State
}

// A State keeps bytes under keys, in scopes that do not know of each other. It may
// be used by many goroutines.
type State interface {
	// Update runs f within one transaction on a scope. If f or the transaction
	// fails, nothing was changed; once Update has returned nil, nothing is lost,
	// whatever becomes of the process.
	Update(ctx context.Context, scope string, f func(Entries) error) error
	// View is Update for an f that only reads.
	View(ctx context.Context, scope string, f func(Entries) error) error
}

// Entries are what one scope holds, during a transaction.
type Entries interface {
	// Get returns the value of key; ok is false if there is none. The value may be
	// used only during the transaction.
	Get(key string) (val []byte, ok bool)
	// Put sets the value of key.
	Put(key string, val []byte) error
	// Delete removes key, if it is there.
	Delete(key string) error
	// Each calls f with every entry, in the order of the keys. f must not change
	// anything.
	Each(f func(key string, val []byte) error) error
}
