package codex

import (
	"strings"

	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// patch reads a patch as the files it touches: a deletion if it only deletes,
// a write if it only creates, else an edit. One that could not be read in full is
// an edit, because its other lines may do anything to a file.
func patch(a *action.Args, key string) tool.Action {
	p := readPatch(a.Text(key))
	at := a.Place
	if p.elsewhere {
		at.Resolve = nil // the links of another machine are not known
	}
	files := make([]tool.File, 0, len(p.files))
	for _, touched := range p.files {
		meant, ok := at.Files(touched.path, touched.change)
		if files = append(files, meant...); !ok {
			a.Doubt()
		}
	}
	partial := a.Partial() || p.doubtful
	switch {
	case p.only(tool.ChangeDelete):
		return tool.Delete{Files: files, Partial: partial}
	case p.only(tool.ChangeCreate):
		return tool.Write{Files: files, Partial: partial}
	}
	return tool.Edit{Files: files, Partial: partial}
}

// patched is what a patch does.
type patched struct {
	files     []touched
	elsewhere bool // it is for a named environment, not for this machine
	doubtful  bool // there is something that could not be read
}

type touched struct {
	path   string
	change tool.Change
}

// only reports whether all files, and at least one, have the change, and there is
// nothing else to it.
func (p *patched) only(c tool.Change) bool {
	for _, f := range p.files {
		if f.change != c {
			return false
		}
	}
	return len(p.files) > 0 && !p.doubtful
}

func (p *patched) touch(path string, c tool.Change) {
	p.files = append(p.files, touched{path, c})
}

// The lines that give a patch its form.
const (
	beginPatch  = "*** Begin Patch"
	endPatch    = "*** End Patch"
	environment = "*** Environment ID: "
	addFile     = "*** Add File: "
	deleteFile  = "*** Delete File: "
	updateFile  = "*** Update File: "
	moveTo      = "*** Move to: "
	endOfFile   = "*** End of File"
	hunk        = "@@"
)

// headers are the lines that name a file.
var headers = []struct {
	marker string
	change tool.Change
	next   section
}{
	{addFile, tool.ChangeCreate, adding},
	{deleteFile, tool.ChangeDelete, between},
	{updateFile, tool.ChangeEdit, updating},
}

// A section is where in a patch a line stands.
type section uint8

const (
	outside  section = iota // before its beginning
	starting                // behind its first line
	between                 // where only a header can follow
	adding                  // in the lines of a new file
	updating                // behind the header of an update
	changing                // in the changes of an update
	ended                   // behind its end
)

// readPatch reads a patch as leniently as any release of the client does, and
// lists a file wherever one of them would see its header: a file too many is
// judged, a file too few is not. A line that none of them takes makes the patch
// doubtful, and reading goes on.
func readPatch(text string) *patched {
	p, at := &patched{}, outside
	for _, line := range unwrap(strings.Split(strings.TrimSpace(text), "\n")) {
		at = p.line(at, strings.TrimRight(line, "\r"))
	}
	if at != ended || len(p.files) == 0 {
		p.doubtful = true
	}
	return p
}

// unwrap takes off the here-document in which some models wrap a patch.
func unwrap(lines []string) []string {
	last := len(lines) - 1
	switch strings.TrimSpace(lines[0]) {
	case "<<EOF", "<<'EOF'", `<<"EOF"`:
		if last > 0 && strings.TrimSpace(lines[last]) == "EOF" {
			return lines[1:last]
		}
	}
	return lines
}

func (p *patched) line(at section, line string) section {
	trimmed := strings.TrimSpace(line)
	for _, h := range headers {
		if path, ok := strings.CutPrefix(trimmed, h.marker); ok {
			p.touch(path, h.change)
			p.doubtful = p.doubtful || at == outside || at == ended
			if line[0] == ' ' && (at == updating || at == changing) {
				return changing // to most releases this is a line of the file
			}
			return h.next
		}
	}
	switch {
	case trimmed == endPatch && at != outside:
		return ended
	case trimmed == beginPatch && at == outside:
		return starting
	case strings.HasPrefix(trimmed, moveTo):
		return p.move(at, strings.TrimPrefix(trimmed, moveTo))
	case at == starting && strings.HasPrefix(trimmed, environment):
		p.elsewhere = true
		return between
	}
	return p.content(at, line, trimmed)
}

// move turns an update into the deletion of one file and the creation of
// another.
func (p *patched) move(at section, path string) section {
	if at == updating {
		p.files[len(p.files)-1].change = tool.ChangeDelete
	} else {
		p.doubtful = true
	}
	p.touch(path, tool.ChangeCreate)
	return changing
}

// content takes a line that is part of a file.
func (p *patched) content(at section, line, trimmed string) section {
	switch at {
	case adding:
		if strings.HasPrefix(line, "+") {
			return adding
		}
	case updating, changing:
		if trimmed == "" || strings.ContainsRune(" +-", rune(line[0])) || strings.HasPrefix(trimmed, hunk) || trimmed == endOfFile {
			return changing
		}
	case ended:
		if trimmed == "" {
			return ended
		}
	case outside, starting, between:
	}
	p.doubtful = true
	return at
}
