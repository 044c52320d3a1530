package filestate

import (
	"encoding/binary"
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

// The file has two buckets: the entries of each scope, and when each scope was
// last changed.
const (
	dataBucket    = "data"
	touchedBucket = "touched"
)

const (
	maxScopes = 1024
	forgotten = 30 * 24 * time.Hour // a scope that nobody changed for so long
	young     = 24 * time.Hour      // a scope that is not given up for others
)

// ErrFull is returned when there are too many scopes, all of them in use.
var ErrFull = errors.New("the state is full: 1024 sessions and projects changed theirs within a day")

func (s *Store) update(tx *bbolt.Tx, scope string, f func(stdlib.Entries) error) error {
	data, err := tx.CreateBucketIfNotExists([]byte(dataBucket))
	if err != nil {
		return err
	}
	touched, err := tx.CreateBucketIfNotExists([]byte(touchedBucket))
	if err != nil {
		return err
	}
	if data.Bucket([]byte(scope)) == nil {
		if err := s.makeRoom(data, touched); err != nil {
			return err
		}
	}
	bucket, err := data.CreateBucketIfNotExists([]byte(scope))
	if err != nil {
		return err
	}
	if err := f(entries{bucket}); err != nil {
		return err
	}
	return touched.Put([]byte(scope), binary.BigEndian.AppendUint64(nil, uint64(s.now().UnixMilli())))
}

// makeRoom forgets the scopes that nobody changed for long, and if there are too
// many of them the one that was not changed for longest.
func (s *Store) makeRoom(data, touched *bbolt.Bucket) error {
	now := s.now()
	var old []string
	count, oldest, since := 0, "", now
	err := touched.ForEach(func(scope, stored []byte) error {
		count++
		at := time.UnixMilli(int64(binary.BigEndian.Uint64(stored)))
		if now.Sub(at) > forgotten {
			old = append(old, string(scope))
		}
		if at.Before(since) {
			oldest, since = string(scope), at
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count-len(old) >= maxScopes {
		if oldest == "" || now.Sub(since) < young {
			return ErrFull
		}
		old = append(old, oldest)
	}
	for _, scope := range old {
		if err := data.DeleteBucket([]byte(scope)); err != nil {
			return err
		}
		if err := touched.Delete([]byte(scope)); err != nil {
			return err
		}
	}
	return nil
}

// entries implements [stdlib.Entries]; without a bucket there are none.
type entries struct{ bucket *bbolt.Bucket }

func (e entries) Get(key string) ([]byte, bool) {
	if e.bucket == nil {
		return nil, false
	}
	val := e.bucket.Get([]byte(key))
	return val, val != nil
}

func (e entries) Put(key string, val []byte) error { return e.bucket.Put([]byte(key), val) }

func (e entries) Delete(key string) error { return e.bucket.Delete([]byte(key)) }

func (e entries) Each(f func(key string, val []byte) error) error {
	if e.bucket == nil {
		return nil
	}
	return e.bucket.ForEach(func(key, val []byte) error { return f(string(key), val) })
}
