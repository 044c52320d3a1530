package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	"github.com/dsh-lua/dsh/bridges/codex"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/hookconfig"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// autoHooks is the value of --hooks for the hooks that the clients would find.
const autoHooks = "auto"

// shellHooks are the shell hooks of a session, which are those of its project.
// Its zero value is ready.
type shellHooks struct {
	bridges []bridge

	mu      sync.Mutex
	exports []string // what hooks want to have in the environment of commands
}

// A bridge runs the hooks of one client.
type bridge interface {
	point.Extension
	Problems() []hookproto.Problem
	Close(ctx context.Context) error
}

// loadHooks installs the shell hooks that the command line wants, and tells
// which ones there are, and what of them does not run.
func (p *program) loadHooks() error {
	if len(p.opts.hooks) == 0 {
		return nil
	}
	sets, err := hookconfig.Load(p.hookSource())
	if err != nil {
		return fmt.Errorf("the hooks cannot be read: %w", err)
	}
	if len(sets) == 0 {
		p.report.Warn(fmt.Sprintf("no hooks: neither Claude Code nor Codex has a configuration for %s", p.root))
	}
	var errs []error
	for _, s := range sets {
		errs = append(errs, p.installHooks(s))
	}
	return errors.Join(errs...)
}

func (p *program) hookSource() hookconfig.Source {
	s := hookconfig.Source{Root: p.root, Lenient: p.opts.lenientHooks, System: hookconfig.Host()}
	for _, value := range p.opts.hooks {
		if value == autoHooks {
			s.Project, s.Dir = p.root, p.cwd
			continue
		}
		s.Files = append(s.Files, value)
	}
	return s
}

func (p *program) installHooks(s hookconfig.Set) error {
	preapprove := s.Named && slices.Contains(p.opts.grants, string(tool.Preapprove))
	b := p.bridge(s, preapprove)
	p.hooks.bridges = append(p.hooks.bridges, b)
	for _, line := range s.Summary(nil) {
		p.report.Tell(strings.TrimSpace(line))
	}
	for _, problem := range b.Problems() {
		p.report.Warn(problem.String())
	}
	if p.opts.strictHooks && s.Dropped() {
		return errors.New("--strict-hooks: a file of hooks is not loaded, so what it guards would go unguarded; mend it, or keep its good part with --lenient-hooks")
	}
	var grants []point.Grant
	if preapprove {
		grants = append(grants, tool.Preapprove)
	}
	_, err := p.policies.Registry.Install(b, grants...)
	return err
}

func (p *program) bridge(s hookconfig.Set, preapprove bool) bridge {
	o := claudecode.BridgeOptions{
		Config: s.Config, Strict: p.opts.strictHooks, Preapprove: preapprove, Scrub: p.opts.scrub, ScrubKeep: p.opts.env,
		Fires: fires(), Warn: p.report.Warn, Exports: p.hooks.export,
	}
	if s.Dialect == hookconfig.Codex {
		return codex.NewBridge(o)
	}
	return claudecode.NewBridge(o)
}

// export keeps what hooks want to have in the environment of commands. A later
// value of a name stands behind the earlier one, and holds.
func (h *shellHooks) export(_ session.Ref, pairs []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exports = append(h.exports, pairs...)
}

// exported returns what hooks want to have in the environment of commands.
func (h *shellHooks) exported() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.exports)
}

// close ends the hooks that still run.
func (h *shellHooks) close(warn func(string)) {
	ctx, cancel := context.WithTimeout(context.Background(), parting)
	defer cancel()
	for _, b := range h.bridges {
		if err := b.Close(ctx); err != nil {
			warn(fmt.Sprintf("%s: hooks that are under way do not end: %v", b.Name(), err))
		}
	}
}
