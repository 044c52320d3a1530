package tool

import (
	"slices"
	"strings"
)

// Action says what a call is about to do in terms that fit every client, so
// that one policy judges them all. It is filled by the tool's own definition or
// by the table of the client's dialect, never by the pipeline. A tool that no
// table knows is [Other].
//
//sumtype:decl
type Action interface{ isAction() }

// Shell runs a command line.
type Shell struct {
	// Command is the text that the shell is given.
	Command string `json:"command"`
	// Cwd is the absolute directory it starts in.
	Cwd string `json:"cwd,omitempty"`
	// Partial is true if the arguments could not be read in full: there may be
	// more to it than is shown here.
	Partial bool `json:"partial,omitempty"`
}

// Write creates files or replaces their whole content.
type Write struct {
	// Files are the files that are written.
	Files []File `json:"files"`
	// Partial is true if the arguments could not be read in full: there may be
	// more files than are listed.
	Partial bool `json:"partial,omitempty"`
}

// Edit changes parts of files. A patch is an edit of all the files it touches,
// those that it creates and deletes included.
type Edit struct {
	// Files are the files that are touched.
	Files []File `json:"files"`
	// Partial is true if the arguments could not be read in full: there may be
	// more files than are listed.
	Partial bool `json:"partial,omitempty"`
}

// Read shows the content of files.
type Read struct {
	// Files are the files that are read.
	Files []File `json:"files"`
	// Partial is true if the arguments could not be read in full: there may be
	// more files than are listed.
	Partial bool `json:"partial,omitempty"`
}

// Delete removes files.
type Delete struct {
	// Files are the files that are removed.
	Files []File `json:"files"`
	// Partial is true if the arguments could not be read in full: there may be
	// more files than are listed.
	Partial bool `json:"partial,omitempty"`
}

// Search looks for files or in files.
type Search struct {
	// Pattern is what is searched for, in the tool's own notation.
	Pattern string `json:"pattern,omitempty"`
	// Files are the files and directories that are searched.
	Files []File `json:"files"`
	// Partial is true if the arguments could not be read in full: there may be
	// more files than are listed.
	Partial bool `json:"partial,omitempty"`
}

// Fetch gets something from the network.
type Fetch struct {
	// URL is the address; absent for a search of the web.
	URL string `json:"url,omitempty"`
	// Query is what is searched for; absent for an address.
	Query string `json:"query,omitempty"`
	// Partial is true if the arguments could not be read in full.
	Partial bool `json:"partial,omitempty"`
}

// MCP runs a tool of a Model Context Protocol server.
type MCP struct {
	// Server is the name of the server, as the client spells it in tool names.
	Server string `json:"server"`
	// Name is the name of the tool at the server.
	Name string `json:"name"`
}

// Agent starts a subagent.
type Agent struct {
	// Type is the kind of subagent.
	Type string `json:"type,omitempty"`
	// Prompt is its task.
	Prompt string `json:"prompt,omitempty"`
	// Partial is true if the arguments could not be read in full.
	Partial bool `json:"partial,omitempty"`
}

// Other is everything else: a tool that acts on the agent alone, or one that no
// table knows.
type Other struct{}

func (Shell) isAction()  {}
func (Write) isAction()  {}
func (Edit) isAction()   {}
func (Read) isAction()   {}
func (Delete) isAction() {}
func (Search) isAction() {}
func (Fetch) isAction()  {}
func (MCP) isAction()    {}
func (Agent) isAction()  {}
func (Other) isAction()  {}

// File is one file that an action touches.
type File struct {
	// Path is the absolute, cleaned path as the call names it.
	Path string `json:"path"`
	// Real is the path with all symbolic links resolved, of a file that does not
	// exist yet with those of its directory; absent if that cannot be known.
	Real string `json:"real,omitempty"`
	// Change says what happens to the file.
	Change Change `json:"change"`
}

// Change is what happens to one file.
type Change string

// The changes. A file that is moved is a deletion and a creation.
const (
	ChangeRead   Change = "read"
	ChangeCreate Change = "create"
	ChangeWrite  Change = "write"
	ChangeEdit   Change = "edit"
	ChangeDelete Change = "delete"
)

// Values lists the changes.
func (Change) Values() []string {
	return []string{string(ChangeRead), string(ChangeCreate), string(ChangeWrite), string(ChangeEdit), string(ChangeDelete)}
}

// changeKinds says which kind of action a change also counts as, so that a
// filter on "delete" sees a patch that deletes one of its files.
var changeKinds = []struct {
	change Change
	kind   string
}{
	{ChangeRead, "read"}, {ChangeCreate, "write"}, {ChangeWrite, "write"}, {ChangeEdit, "edit"}, {ChangeDelete, "delete"},
}

// Kinds returns the kinds that a filter on the action is tested against,
// separated by spaces: that of a itself, and for an edit also those of what it
// does, or may do, to each file. It is empty for a nil Action.
func Kinds(a Action) string {
	switch a := a.(type) {
	case Shell:
		return "shell"
	case Write:
		return "write"
	case Edit:
		return editKinds(a)
	case Read:
		return "read"
	case Delete:
		return "delete"
	case Search:
		return "search"
	case Fetch:
		return "fetch"
	case MCP:
		return "mcp"
	case Agent:
		return "agent"
	case Other:
		return "other"
	}
	return ""
}

// filesOf returns the list of files of a, which is not a copy.
func filesOf(a Action) []File {
	switch a := a.(type) {
	case Write:
		return a.Files
	case Edit:
		return a.Files
	case Read:
		return a.Files
	case Delete:
		return a.Files
	case Search:
		return a.Files
	case Shell, Fetch, MCP, Agent, Other:
	}
	return nil
}

// copied returns an action that shares no list with a.
func copied(a Action) Action {
	switch f := a.(type) {
	case Write:
		f.Files = slices.Clone(f.Files)
		return f
	case Edit:
		f.Files = slices.Clone(f.Files)
		return f
	case Read:
		f.Files = slices.Clone(f.Files)
		return f
	case Delete:
		f.Files = slices.Clone(f.Files)
		return f
	case Search:
		f.Files = slices.Clone(f.Files)
		return f
	case Shell, Fetch, MCP, Agent, Other:
	}
	return a
}

func editKinds(a Edit) string {
	if a.Partial {
		return "edit write delete" // what could not be read may do either
	}
	kinds := []string{"edit"}
	for _, f := range a.Files {
		for _, row := range changeKinds {
			if row.change == f.Change && !slices.Contains(kinds, row.kind) {
				kinds = append(kinds, row.kind)
			}
		}
	}
	return strings.Join(kinds, " ")
}

// ActionKinds lists the kinds of actions, as filters and payloads spell them.
func ActionKinds() []string {
	return []string{"shell", "write", "edit", "read", "delete", "search", "fetch", "mcp", "agent", "other"}
}
