package point

import (
	"hash/maphash"
	"slices"
	"sync/atomic"
)

// chains keeps the chains of one registry as the tree stood at one version. It
// is read without a lock and written by adding links only: calls on many
// goroutines ask for the same few chains, several times each.
type chains struct {
	version uint64
	points  []string // that any handler is attached to, here or above
	seed    maphash.Seed
	count   atomic.Int32
	buckets [64]atomic.Pointer[link]
}

// A link is one chain in a bucket.
type link struct {
	point   string
	subject Subject
	list    []*entry
	next    *link
}

// maxChains bounds the cached chains of one registry: tool names come from
// models, so the number of different subjects has no bound of its own.
const maxChains = 512

// known returns the chains of the tree as it stands.
func (r *Registry) known() *chains {
	version := r.root().version.Load()
	c := r.chains.Load()
	if c == nil || c.version != version || c.count.Load() >= maxChains {
		c = &chains{version: version, points: r.points(), seed: maphash.MakeSeed()}
		r.chains.Store(c)
	}
	return c
}

// points lists what handlers of r and its ancestors are attached to.
func (r *Registry) points() (list []string) {
	for reg := r; reg != nil; reg = reg.parent {
		reg.mu.RLock()
		for point, entries := range reg.entries {
			if len(entries) > 0 && !slices.Contains(list, point) {
				list = append(list, point)
			}
		}
		reg.mu.RUnlock()
	}
	return list
}

func (c *chains) bucket(point string, s Subject) *atomic.Pointer[link] {
	hash := maphash.String(c.seed, point) + maphash.String(c.seed, s.Name)
	return &c.buckets[hash%uint64(len(c.buckets))]
}

// keep adds l. A chain that two runs collected at once may be there twice.
func (c *chains) keep(bucket *atomic.Pointer[link], l *link) {
	for {
		l.next = bucket.Load()
		if bucket.CompareAndSwap(l.next, l) {
			c.count.Add(1)
			return
		}
	}
}
