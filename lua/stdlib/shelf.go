package stdlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Bounds of one store.
const (
	maxKey        = 256
	maxStored     = 8 << 10 // bytes of one value as JSON
	maxEntries    = 1000
	maxStoreBytes = 128 << 10
)

// A shelf is the entries of a store during a transaction, at the time of the event.
type shelf struct {
	entries Entries
	now     time.Time
	timed   bool // the time is known
}

// An item is a value and when it is forgotten: in milliseconds since 1970, 0 for
// never.
type item struct {
	doc     value.Value
	expires int64
}

// The stored form is the 8 bytes of expires and then the value as JSON.
const expiresBytes = 8

func (it item) encode() []byte {
	return it.doc.AppendJSON(binary.BigEndian.AppendUint64(nil, uint64(it.expires)))
}

var errStored = errors.New("the state holds what dsh did not write")

func decodeItem(stored []byte) (it item, err error) {
	if len(stored) < expiresBytes {
		return it, errStored
	}
	it.expires = expiry(stored)
	if it.doc, err = value.Parse(stored[expiresBytes:]); err != nil {
		err = errStored
	}
	return it, err
}

// expiry is when a stored item is forgotten; 0, never, for what is none.
func expiry(stored []byte) int64 {
	if len(stored) < expiresBytes {
		return 0
	}
	return int64(binary.BigEndian.Uint64(stored))
}

// gone reports whether what expires then is forgotten by now.
func (s *shelf) gone(expires int64) (bool, error) {
	switch {
	case expires == 0:
		return false, nil
	case !s.timed:
		return false, errNoTime
	}
	return expires <= s.now.UnixMilli(), nil
}

func (s *shelf) get(key string) (it item, ok bool, err error) {
	stored, ok := s.entries.Get(key)
	if !ok {
		return it, false, nil
	}
	if it, err = decodeItem(stored); err != nil {
		return item{}, false, err
	}
	gone, err := s.gone(it.expires)
	if gone || err != nil {
		return item{}, false, err
	}
	return it, true, nil
}

// put stores an item that is forgotten after ttl seconds, if that is not 0.
func (s *shelf) put(key string, it item, ttl float64) error {
	if ttl > 0 {
		if !s.timed {
			return errNoTime
		}
		it.expires = s.now.UnixMilli() + int64(math.Ceil(ttl*1000))
	}
	stored := it.encode()
	if n := len(stored) - expiresBytes; n > maxStored {
		return fmt.Errorf("value: %d bytes of JSON; one value may have %d", n, maxStored)
	}
	if err := s.room(key, len(stored)); err != nil {
		return err
	}
	return s.entries.Put(key, stored)
}

// room makes sure that an entry fits. What is forgotten is removed only here, and
// only if it has to be.
func (s *shelf) room(key string, size int) error {
	if old, ok := s.entries.Get(key); ok && size <= len(old) {
		return nil
	}
	count, total := 1, len(key)+size
	var expired []string
	err := s.entries.Each(func(k string, stored []byte) error {
		if k == key {
			return nil
		}
		if gone, err := s.gone(expiry(stored)); gone && err == nil {
			expired = append(expired, k)
			return nil
		}
		count++
		total += len(k) + len(stored)
		return nil
	})
	if err != nil {
		return err
	}
	if count > maxEntries || total > maxStoreBytes {
		return fmt.Errorf("the store is full: it may have %d keys, and %d bytes in all", maxEntries, maxStoreBytes)
	}
	for _, k := range expired {
		if err := s.entries.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func (s *shelf) add(key string, by, ttl float64) (float64, error) {
	it, ok, err := s.get(key)
	if err != nil {
		return 0, err
	}
	before, isNumber := it.doc.Float()
	if ok && !isNumber {
		got := it.doc.Kind().String()
		if it.doc.BigText() != "" {
			got = "one with more digits than a script can count with"
		}
		return 0, fmt.Errorf("key %q: want a number to add to, got %s", key, got)
	}
	sum := before + by
	if !finite(sum) {
		return 0, fmt.Errorf("key %q: the sum is no finite number", key)
	}
	if ok {
		ttl = 0 // the window goes on
	}
	it.doc = value.OfFloat(sum)
	return sum, s.put(key, it, ttl)
}

// left returns after how many seconds a value is forgotten, after it set that if
// ttl is not 0; 0 if it is not there or stays.
func (s *shelf) left(key string, ttl float64) (float64, error) {
	it, ok, err := s.get(key)
	if err != nil || !ok {
		return 0, err
	}
	if ttl > 0 {
		return ttl, s.put(key, it, ttl)
	}
	if it.expires == 0 {
		return 0, nil
	}
	return float64(it.expires-s.now.UnixMilli()) / 1000, nil
}

func (s *shelf) remove(key string) (was bool, err error) {
	if _, was, err = s.get(key); err != nil {
		return false, err
	}
	return was, s.entries.Delete(key)
}

func (s *shelf) keys(prefix string) (keys []string, err error) {
	err = s.entries.Each(func(key string, stored []byte) error {
		if !strings.HasPrefix(key, prefix) {
			return nil
		}
		it, err := decodeItem(stored)
		if err != nil {
			return err
		}
		if gone, err := s.gone(it.expires); gone || err != nil {
			return err
		}
		keys = append(keys, key)
		return nil
	})
	return keys, err
}
