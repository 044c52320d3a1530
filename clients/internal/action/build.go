package action

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
)

// Shell builds the action of a tool that runs the command line in key.
func Shell(a *Args, key string) tool.Action {
	command := a.Text(key)
	return tool.Shell{Command: command, Cwd: a.Cwd, Partial: a.Partial()}
}

// Write builds the action of a tool that writes the file named by key.
func Write(a *Args, key string) tool.Action {
	files := a.Named(key, tool.ChangeWrite)
	return tool.Write{Files: files, Partial: a.Partial()}
}

// Edit builds the action of a tool that edits the file named by key.
func Edit(a *Args, key string) tool.Action {
	files := a.Named(key, tool.ChangeEdit)
	return tool.Edit{Files: files, Partial: a.Partial()}
}

// Read builds the action of a tool that reads the file named by key.
func Read(a *Args, key string) tool.Action {
	files := a.Named(key, tool.ChangeRead)
	return tool.Read{Files: files, Partial: a.Partial()}
}

// List builds the action of a tool that lists the folder named by key, by
// default the working directory.
func List(a *Args, key string) tool.Action {
	files := a.Folder(key)
	return tool.Search{Files: files, Partial: a.Partial()}
}

// Grep builds the action of a tool that looks for the pattern in key inside the
// files below the argument "path".
func Grep(a *Args, key string) tool.Action {
	pattern := a.Text(key)
	files := a.Folder("path")
	return tool.Search{Pattern: pattern, Files: files, Partial: a.Partial()}
}

// Glob builds the action of a tool that looks for files whose path matches the
// pattern in key, relative to the argument "path". A pattern may lead out of
// that folder: what is searched is the folder that it begins with.
func Glob(a *Args, key string) tool.Action {
	pattern := a.Text(key)
	base := a.Option("path")
	fixed, rest := literal(pattern)
	if _, home := cutHome(fixed); home || base == "" || strings.HasPrefix(fixed, "/") {
		base = fixed
	} else {
		base += "/" + fixed
	}
	if fixed == "" && strings.HasPrefix(rest, "{") || strings.Contains(rest, "..") {
		a.Doubt() // an alternative may lead anywhere
	}
	if base == "" {
		base = "."
	}
	files := a.at(base, tool.ChangeRead)
	return tool.Search{Pattern: pattern, Files: files, Partial: a.Partial()}
}

// literal cuts a glob pattern behind the folder names before its first wildcard.
func literal(pattern string) (fixed, rest string) {
	wild := strings.IndexAny(pattern, "*?[{\\")
	if wild < 0 {
		return pattern, ""
	}
	cut := strings.LastIndexByte(pattern[:wild], '/') + 1
	return pattern[:cut], pattern[cut:]
}

// Fetch builds the action of a tool that gets the address in key.
func Fetch(a *Args, key string) tool.Action {
	url := a.Text(key)
	return tool.Fetch{URL: url, Partial: a.Partial()}
}

// WebSearch builds the action of a tool that searches the web for the text in
// key.
func WebSearch(a *Args, key string) tool.Action {
	query := a.Text(key)
	return tool.Fetch{Query: query, Partial: a.Partial()}
}

// What is done with the resources of an MCP server goes by the protocol's own
// name for it, which no tool of a server has.
const (
	listResources = "resources/list"
	readResource  = "resources/read"
)

// ListResources builds the action of a tool that lists the resources of the MCP
// server in key, or of all servers.
func ListResources(a *Args, key string) tool.Action { return mcp(a.Option(key), listResources) }

// ReadResource builds the action of a tool that reads a resource of the MCP
// server in key.
func ReadResource(a *Args, key string) tool.Action { return mcp(a.Text(key), readResource) }

// Other builds the action of a tool that acts on the agent alone.
func Other(*Args, string) tool.Action { return tool.Other{} }
