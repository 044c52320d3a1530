package subagent

import (
	"context"
	"fmt"
	"sync"

	"github.com/dsh-lua/dsh/runtime/agent"
)

// A Provider starts subagents in one way.
type Provider func(ctx context.Context, parent *agent.Agent, o Options) (*Run, error)

// Providers are the ways to start a subagent that a program offers, by name. The
// zero value has none. It is safe for concurrent use.
type Providers struct {
	mu    sync.RWMutex
	named map[string]*Provider
}

// The providers that [InProcess] has.
const (
	Spawn = "spawn" // an empty conversation
	Fork  = "fork"  // what was said before the turn under way
)

// InProcess returns the providers whose subagents run in this process.
func InProcess() *Providers {
	p := new(Providers)
	for name, fork := range map[string]bool{Spawn: false, Fork: true} {
		_, _ = p.Register(name, func(ctx context.Context, parent *agent.Agent, o Options) (*Run, error) {
			o.Fork = fork
			return Start(ctx, parent, o)
		}) // no name is there twice
	}
	return p
}

// Register adds a provider. The returned function removes it, and nothing else,
// and may be called again. A name that is taken is an [Error].
func (p *Providers) Register(name string, provider Provider) (remove func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.named[name] != nil {
		return nil, &Error{CodeDuplicateProvider, fmt.Sprintf("a provider of subagents %q is registered already", name)}
	}
	if p.named == nil {
		p.named = map[string]*Provider{}
	}
	own := &provider
	p.named[name] = own
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.named[name] == own {
			delete(p.named, name)
		}
	}, nil
}

// Start starts a subagent through the named provider. A name that nobody has is
// an [Error].
func (p *Providers) Start(ctx context.Context, name string, parent *agent.Agent, o Options) (*Run, error) {
	p.mu.RLock()
	provider := p.named[name]
	p.mu.RUnlock()
	if provider == nil {
		return nil, &Error{CodeNoProvider, fmt.Sprintf("no provider of subagents is called %q", name)}
	}
	return (*provider)(ctx, parent, o)
}
