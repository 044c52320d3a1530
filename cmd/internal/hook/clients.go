package hook

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
)

// A Client is a coding agent that dsh can be the hook command of.
type Client struct {
	Name   string
	Points func() []point.Point // that its hook ever fires
	Tools  func() []string      // that it is known to have
	Hook   func(claudecode.Options) Command
}

// A Command is one client's side of the hook protocol.
type Command interface {
	host.Dialect
	Explain(ctx context.Context, h host.Host, in host.Invocation) claudecode.Served
	Decode(in host.Invocation) (claudecode.Event, error)
	Fail(in host.Invocation, fault error) host.Reply
	Unsaid(in host.Invocation) int
}

// Clients lists them all.
func Clients() []Client {
	return []Client{
		{claudecode.Name, claudecode.Points, claudecode.Tools, func(o claudecode.Options) Command { return claudecode.New(o) }},
		{codex.Name, codex.Points, codex.Tools, func(o codex.Options) Command { return codex.New(o) }},
	}
}

// ClientNames lists their names.
func ClientNames() []string {
	var list []string
	for _, c := range Clients() {
		list = append(list, c.Name)
	}
	return list
}

// FindClient returns the client with the given name, or an error that names those
// that there are.
func FindClient(name string) (Client, error) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, nil
		}
	}
	return Client{}, fmt.Errorf("no client %q%s", name, console.Suggest(name, ClientNames()))
}
