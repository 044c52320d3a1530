package stdlib

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A Shelf names what one script keeps about one session or project.
type Shelf struct {
	// Store is "session" or "project".
	Store string
	// ID identifies the session, or is the path of the project.
	ID string
	// Script is the name of the script.
	Script string
}

func (s Shelf) scope() string { return "state." + s.Store + "\x00" + s.ID + "\x00" + s.Script }

// Keep puts a value on a shelf as the script itself would, to stay.
func Keep(ctx context.Context, in State, at Shelf, key string, doc value.Value) error {
	return in.Update(ctx, at.scope(), func(entries Entries) error {
		if err := (&shelf{entries: entries}).put(key, item{doc: doc}, 0); err != nil {
			return fmt.Errorf("state.%s: %w", at.Store, err)
		}
		return nil
	})
}

// Kept returns a value from a shelf; absent if there is none. Whether its time is
// over does not count.
func Kept(ctx context.Context, in State, at Shelf, key string) (doc value.Value, err error) {
	err = in.View(ctx, at.scope(), func(entries Entries) error {
		stored, ok := entries.Get(key)
		if !ok {
			return nil
		}
		it, err := decodeItem(stored)
		doc = it.doc
		return err
	})
	return doc, err
}
