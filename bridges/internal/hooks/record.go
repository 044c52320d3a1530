package hooks

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// record logs one event for each handler, in configured order. Outside of a turn
// there is nowhere to log it.
func (b *Bridge) record(f *Firing, handlers []hookproto.Handler, of func(hookproto.Handler) (session.EventType, any)) {
	log, ok := f.Live.(session.Recorder)
	if !ok || f.TurnNumber() == 0 || f.Event == Interrupt {
		return
	}
	for _, h := range handlers {
		kind, data := of(h)
		if err := recordOne(log, kind, data); err != nil {
			b.warn(fmt.Sprintf("%s: %s of %s: %v", b.Name(), kind, h.ID, err))
		}
	}
}

func recordOne(log session.Recorder, kind session.EventType, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	v, err := value.Parse(text)
	if err != nil {
		return err
	}
	return log.Record(session.Event{Type: kind, Data: v})
}

func (b *Bridge) recordResults(f *Firing, done []hookproto.Completed) {
	for _, c := range done {
		b.record(f, []hookproto.Handler{c.Handler}, func(hookproto.Handler) (session.EventType, any) {
			return session.EventHookResult, hookproto.NewAnswered(f.TurnNumber(), c, b.options.Stderr)
		})
	}
}

// token is a text that nobody else has.
func token() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// save keeps a text that is too long for the model.
func (b *Bridge) save(text string) (string, error) {
	dir := b.options.Folder
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "dsh-hooks")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "hook-"+token()+".txt")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// envFile makes the file in which hooks of some events leave variables. remove
// reads and removes it.
func (b *Bridge) envFile(f *Firing) (remove func(), err error) {
	if f.Event != SessionStart {
		return func() {}, nil
	}
	file, err := os.CreateTemp("", "dsh-env-*.sh")
	if err != nil {
		return nil, err
	}
	f.EnvFile = file.Name()
	return func() {
		text, err := os.ReadFile(file.Name())
		_ = file.Close()
		_ = os.Remove(file.Name())
		switch pairs := exports(string(text)); {
		case err != nil || len(pairs) == 0:
		case b.options.Exports == nil:
			b.once(b.Name() + ": hooks of SessionStart set variables for commands, which do not get them here")
		default:
			b.options.Exports(f.Session, pairs)
		}
	}, nil
}

// exports reads lines of the form export NAME=value. Quotes around a value are
// removed.
func exports(text string) (pairs []string) {
	for line := range strings.SplitSeq(text, "\n") {
		rest, is := strings.CutPrefix(strings.TrimSpace(line), "export ")
		name, v, set := strings.Cut(rest, "=")
		if !is || !set {
			continue
		}
		if n := len(v); n >= 2 && v[0] == v[n-1] && strings.ContainsAny(v[:1], `'"`) {
			v = v[1 : n-1]
		}
		pairs = append(pairs, strings.TrimSpace(name)+"="+v)
	}
	return pairs
}
