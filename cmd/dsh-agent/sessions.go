package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dsh-lua/dsh/runtime/session"
)

// open opens the log of the session: a new one, one to go on with, or a fork.
func (p *program) open() (err error) {
	o := p.logOptions(p.report)
	switch {
	case p.opts.resume:
		p.source = "resume"
		if err := p.openAgain(o); err != nil {
			return fmt.Errorf("the session cannot be resumed: %w", err)
		}
		return p.place(p.log.Header())
	case p.opts.fork != "":
		p.source = "fork"
		return p.openFork(o)
	}
	p.source = "startup"
	if err := p.place(session.Header{}); err != nil {
		return err
	}
	h := session.Header{ID: newID(), Cwd: p.cwd, Project: p.root}
	path := p.keep(h.ID)
	if path == "" {
		p.log, err = session.NewLog(h, o)
		return err
	}
	log, err := session.CreateLog(path, h, o)
	if err != nil {
		return p.notThere(err)
	}
	p.log = log
	return nil
}

// openAgain opens the session to go on with: that of --session, else the one of
// the project that was at work last.
func (p *program) openAgain(o session.LogOptions) (err error) {
	path := p.opts.session
	if path == "" {
		if err := p.place(session.Header{}); err != nil {
			return err
		}
		if path, err = latestSession(p.root); err != nil {
			return err
		}
	}
	if err := regular(path); err != nil {
		return err
	}
	if p.log, err = session.OpenLog(path, o); err != nil {
		return err
	}
	p.before, _ = p.log.Turn()
	return nil
}

// regular refuses what is no file: to open a pipe would wait for ever.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	return err
}

// keep returns where to keep a new session; empty if nowhere.
func (p *program) keep(id string) string {
	if p.opts.session != "" || p.opts.forget {
		return p.opts.session
	}
	path, err := newSession(p.root, id)
	if err != nil {
		p.report.Warn(fmt.Sprintf("the session is not kept: %v", err))
	}
	return path
}

// notThere explains why a session cannot begin in a file.
func (p *program) notThere(err error) error {
	if errors.Is(err, os.ErrExist) {
		return usageError{fmt.Errorf("%s is there already: --resume goes on with it, --fork begins another session from it", p.opts.session)}
	}
	return fmt.Errorf("the session cannot begin: %w", err)
}

// openFork takes over what another session holds up to its last whole turn. That
// session may be at work.
func (p *program) openFork(o session.LogOptions) error {
	if err := regular(p.opts.fork); err != nil {
		return fmt.Errorf("the session cannot be forked: %w", err)
	}
	var head session.Header
	var entries []session.Entry
	last, policy := int64(-1), session.ApprovalPolicy("")
	err := session.ReadLog(p.opts.fork,
		func(h session.Header) error { head = h; return nil },
		func(e session.Entry) (err error) {
			entries = append(entries, e)
			switch e.Type {
			case session.EventTurnEnd:
				last = e.Seq
			case session.EventPolicy:
				policy, err = e.ApprovalPolicy()
			default:
			}
			return err
		})
	if err != nil {
		return fmt.Errorf("the session cannot be forked: %w", err)
	}
	if err := p.place(head); err != nil {
		return err
	}
	from, err := session.SeedLog(head, entries[:last+1], session.LogOptions{})
	if err != nil {
		return fmt.Errorf("the session cannot be forked: %w", err)
	}
	id := newID()
	log, err := from.Fork(p.keep(id), last, session.Header{ID: id, Cwd: p.cwd, Project: p.root}, o)
	if err != nil {
		return p.notThere(err)
	}
	p.log = log
	p.before, _ = p.log.Turn()
	return p.restrict(policy)
}

// restrict takes over that nobody is asked, if that came behind the last turn: a
// fork must not be a way around it.
func (p *program) restrict(policy session.ApprovalPolicy) error {
	if policy != session.PolicyNever || p.log.ApprovalPolicy() == session.PolicyNever {
		return nil
	}
	_, err := p.log.Append(context.Background(), session.PolicyChanged(policy))
	return err
}

const (
	// sessionEnding is how the names of kept sessions end. Those of subagents have
	// their own.
	sessionEnding = ".jsonl"
	// sessionAge is how long after its last turn a session is kept that the human
	// gave no name.
	sessionAge = 30 * 24 * time.Hour
)

// stateFolder is where programs keep what the user did not ask for.
func stateFolder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}

// sessionFolder is where the sessions of a project are kept.
func sessionFolder(root string) (string, error) {
	state, err := stateFolder()
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(root))
	return filepath.Join(state, "dsh", "sessions", filepath.Base(root)+"-"+hex.EncodeToString(sum.Sum(nil))), err
}

// newSession returns the file of a new session of the project.
func newSession(root, id string) (string, error) {
	folder, err := sessionFolder(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	forgetSessions(folder)
	return filepath.Join(folder, id+sessionEnding), nil
}

// forgetSessions removes what is too old. What cannot be removed stays.
func forgetSessions(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > sessionAge {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// latestSession returns the file of the project's session that was at work last.
func latestSession(root string) (path string, err error) {
	folder, err := sessionFolder(root)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var last time.Time
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || filepath.Ext(e.Name()) != sessionEnding || !info.ModTime().After(last) {
			continue
		}
		if candidate := filepath.Join(folder, e.Name()); worked(candidate, info.Size()) {
			path, last = candidate, info.ModTime()
		}
	}
	if path == "" {
		return "", fmt.Errorf("no session of %s is kept; --session names the file of one", root)
	}
	return path, nil
}

// worked reports whether a session had a turn, or cannot tell: a human who only
// looked in leaves a session without one.
func worked(path string, size int64) bool {
	begun := errors.New("a turn began")
	err := session.ReadLog(path, func(session.Header) error { return nil }, func(e session.Entry) error {
		if e.Type == session.EventTurnStart {
			return begun
		}
		return nil
	})
	return err != nil && size > 0
}
