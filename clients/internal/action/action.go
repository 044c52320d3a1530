// Package action reads what a client's tool call is about to do out of its
// arguments, by the table of the client's tools.
//
// A table is data: the name of a tool, the function that builds its
// [tool.Action], and the argument that the function starts from. What cannot be
// read never makes an action smaller: the action keeps its kind and says that it
// is partial, so that a policy can refuse what it does not see.
package action

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Row is one tool of a client.
type Row struct {
	// Tool is the name, as the client's payloads spell it.
	Tool string
	// Build makes the action; key is that of the row.
	Build func(a *Args, key string) tool.Action
	// Key is the argument that Build starts from; empty if it needs none.
	Key string
}

// A Table lists the tools of a client, each once.
type Table []Row

// Names lists the tools in the order of the table.
func (t Table) Names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].Tool
	}
	return names
}

// Has reports whether name is in the table or names a tool of an MCP server.
func (t Table) Has(name string) bool { return t.row(name) != nil || isMCP(name) }

func (t Table) row(name string) *Row {
	for i := range t {
		if t[i].Tool == name {
			return &t[i]
		}
	}
	return nil
}

// Read makes the action of a call. A tool that the table does not have is
// [tool.Other], and known is false.
func (t Table) Read(name string, arguments value.Value, at Place) (a tool.Action, known bool) {
	if row := t.row(name); row != nil {
		return row.Build(&Args{Place: at, values: arguments}, row.Key), true
	}
	if server, own, ok := splitMCP(name); ok {
		return mcp(server, own), true
	}
	return tool.Other{}, false
}

const (
	mcpPrefix    = "mcp__"
	mcpSeparator = "__"
)

func isMCP(name string) bool { return strings.HasPrefix(name, mcpPrefix) }

// splitMCP takes mcp__SERVER__TOOL apart. The server ends at the next separator,
// because the names of tools hold separators more often than those of servers.
func splitMCP(name string) (server, own string, ok bool) {
	rest, ok := strings.CutPrefix(name, mcpPrefix)
	if !ok {
		return "", "", false
	}
	server, own, _ = strings.Cut(rest, mcpSeparator)
	return server, own, true
}

func mcp(server, name string) tool.Action { return tool.MCP{Server: server, Name: name} }
