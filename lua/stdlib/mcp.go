package stdlib

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func mcpModule() Module {
	return Module{
		Name: "mcp",
		Doc:  "Names of the tools of MCP servers, as clients write them: `mcp__SERVER__TOOL`. A server may be named by an identifier that changes, so a rule about a tool looks at the short name.",
		Functions: []Function{{
			Name: "split", Doc: "Takes a name apart. The server ends at the next `__`, because the names of tools hold that more often than those of servers. Nil if it is no such name.",
			Params:  []Field{{"name", "string", ""}},
			Returns: []Field{{"server", "string?", ""}, {"tool", "string?", ""}},
			Call: func(c *Call) error {
				rest, ok := strings.CutPrefix(c.Str(1), "mcp__")
				if !ok {
					return c.Return(lua.LNil, lua.LNil)
				}
				server, tool, _ := strings.Cut(rest, "__")
				return c.Return(c.vm.Text(server), c.vm.Text(tool))
			},
		}},
	}
}
