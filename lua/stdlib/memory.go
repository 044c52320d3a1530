package stdlib

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Memory is a [State] that ends with the process: for tests, replays and trials.
// Its zero value is ready.
type Memory struct {
	// Base is what the scopes hold at first; it is only read. It may be nil.
	Base State

	mu     sync.Mutex
	scopes map[string]map[string][]byte
}

var _ State = (*Memory)(nil)

// Update implements [State].
func (m *Memory) Update(ctx context.Context, scope string, f func(Entries) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	entries, err := m.scope(ctx, scope)
	if err != nil {
		return err
	}
	changed := maps.Clone(entries)
	if err := f(memoryEntries(changed)); err != nil {
		return err
	}
	m.scopes[scope] = changed
	return nil
}

// View implements [State].
func (m *Memory) View(ctx context.Context, scope string, f func(Entries) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	entries, err := m.scope(ctx, scope)
	if err != nil {
		return err
	}
	return f(memoryEntries(entries))
}

// scope returns the entries of a scope, copied from the base at first.
func (m *Memory) scope(ctx context.Context, scope string) (map[string][]byte, error) {
	if entries, ok := m.scopes[scope]; ok {
		return entries, nil
	}
	entries := map[string][]byte{}
	if m.Base != nil {
		err := m.Base.View(ctx, scope, func(base Entries) error {
			return base.Each(func(key string, val []byte) error {
				entries[key] = slices.Clone(val)
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	if m.scopes == nil {
		m.scopes = map[string]map[string][]byte{}
	}
	m.scopes[scope] = entries
	return entries, nil
}

// memoryEntries implements [Entries].
type memoryEntries map[string][]byte

func (e memoryEntries) Get(key string) ([]byte, bool) { val, ok := e[key]; return val, ok }

func (e memoryEntries) Put(key string, val []byte) error {
	e[key] = slices.Clone(val)
	return nil
}

func (e memoryEntries) Delete(key string) error {
	delete(e, key)
	return nil
}

func (e memoryEntries) Each(f func(key string, val []byte) error) error {
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if err := f(key, e[key]); err != nil {
			return err
		}
	}
	return nil
}
