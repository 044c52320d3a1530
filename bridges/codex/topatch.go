package codex

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Arguments in which tools that change a file have the new content, or the text
// to replace and the one in its place.
var (
	contentKeys = []string{"content", "contents", "file_text"}
	changeKeys  = [][2]string{{"old", "new"}, {"old_string", "new_string"}, {"old_str", "new_str"}}
)

var errPatchBack = errors.New("a new patch cannot be given to a tool that takes none")

// patchOf shows the change of one file as a patch. A call whose patch is not
// known is shown as it is.
func patchOf(c hooks.Seen, files []tool.File, partial bool, s hooks.Shown) hooks.Shown {
	if partial || len(files) != 1 {
		return s
	}
	body := patchBody(c, files[0])
	if body == "" {
		return s
	}
	s.Name = clients.PatchTool
	s.Input = value.OfObject(value.Member{Key: clients.CommandKey, Value: value.OfString("*** Begin Patch\n" + body + "*** End Patch\n")})
	shown := s.Input
	s.Back = func(input value.Value) (value.Value, error) {
		if input.Get(clients.CommandKey).Equal(shown.Get(clients.CommandKey)) {
			return c.Arguments, nil
		}
		return value.Value{}, errPatchBack
	}
	return s
}

func patchBody(c hooks.Seen, f tool.File) string {
	name := f.Path
	if rel, err := filepath.Rel(c.Cwd, f.Path); err == nil && filepath.IsLocal(rel) {
		name = filepath.ToSlash(rel)
	}
	if f.Change == tool.ChangeDelete {
		return "*** Delete File: " + name + "\n"
	}
	for _, key := range contentKeys {
		if content, ok := c.Arguments.Get(key).Str(); ok {
			return "*** Add File: " + name + "\n" + lines("+", content)
		}
	}
	for _, keys := range changeKeys {
		from, hasOld := c.Arguments.Get(keys[0]).Str()
		to, hasNew := c.Arguments.Get(keys[1]).Str()
		if hasOld && hasNew {
			return "*** Update File: " + name + "\n@@\n" + lines("-", from) + lines("+", to)
		}
	}
	return ""
}

// lines puts a mark in front of every line.
func lines(mark, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}
