package scripttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/value"
)

// snapshots are the values that expectations of one file are held against.
type snapshots struct {
	path    string
	kept    value.Value // by name
	used    map[string]value.Value
	changed bool
}

// snapshotEnding is how the names of files of snapshots end.
const snapshotEnding = ".snap"

const maxSnapshots = 16 << 20

func (s *snapshots) read(tests string) error {
	s.path = strings.TrimSuffix(tests, ".lua") + snapshotEnding
	s.kept, s.used = value.OfObject(), map[string]value.Value{}
	text, err := readCapped(s.path, maxSnapshots)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.kept, err = value.Parse(text); err != nil || s.kept.Kind() != value.Object {
		return fmt.Errorf("%s: is no file of snapshots; --update writes it anew", s.path)
	}
	return nil
}

// compare holds a value against the one kept under a name.
func (s *snapshots) compare(f *fileRun, name string, got value.Value) (verdict, error) {
	if _, twice := s.used[name]; twice {
		return verdict{}, fmt.Errorf("two snapshots are called %q", name)
	}
	s.used[name] = got
	kept := s.kept.Get(name)
	switch {
	case f.suite.Update:
		s.changed = s.changed || pretty(kept) != pretty(got)
		return verdict{ok: true}, nil
	case kept.IsAbsent():
		return verdict{text: fmt.Sprintf("there is no snapshot %q; --update writes it", name), got: pretty(got)}, nil
	}
	return sameValue(fmt.Sprintf("other than the snapshot %q; --update takes it over", name), kept, got), nil
}

// write keeps what was compared, if it is to be kept. Snapshots of tests that did
// not run stay; others that nobody asked for are told, or dropped.
func (s *snapshots) write(f *fileRun) error {
	var list []value.Member
	for name, v := range s.kept.Members() {
		if now, used := s.used[name]; used {
			v = now
		} else if f.out.Left == 0 {
			if !f.suite.Update {
				f.out.Warnings = append(f.out.Warnings, fmt.Sprintf("%s: no test asks for the snapshot %q; --update drops it", s.path, name))
			}
			s.changed = true
			continue
		}
		list = append(list, value.Member{Key: name, Value: v})
	}
	for name, v := range s.used {
		if s.kept.Get(name).IsAbsent() {
			list = append(list, value.Member{Key: name, Value: v})
		}
	}
	if !f.suite.Update || !s.changed {
		return nil
	}
	if f.out.Failed() {
		f.out.Warnings = append(f.out.Warnings, s.path+": is left as it is, because a test failed")
		return nil
	}
	slices.SortFunc(list, func(a, b value.Member) int { return strings.Compare(a.Key, b.Key) })
	return os.WriteFile(s.path, []byte(pretty(value.OfObject(list...))+"\n"), 0o644)
}
