package claudecode

import (
	"errors"
	"fmt"
	"strings"

	clients "github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// response is the result of a call in the shape of the client's tool.
func (t twin) response(d tool.Done, input value.Value) value.Value {
	if t.shape == nil {
		return clients.ResultOf(d)
	}
	return t.shape(d, input)
}

func object(pairs ...any) value.Value {
	members := make([]value.Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		members = append(members, value.Member{Key: pairs[i].(string), Value: value.MustFrom(pairs[i+1])})
	}
	return value.OfObject(members...)
}

// shown is the text that the model sees of a result.
func shown(d tool.Done) string {
	if s, ok := d.Result.(tool.Success); ok {
		return clients.Text(s.Content)
	}
	return ""
}

// printedKeys are the names under which tools return what a command printed.
var printedKeys = []string{"stdout", "output"}

func shellShape(d tool.Done, _ value.Value) value.Value {
	result, out := clients.ResultOf(d), shown(d)
	for _, key := range printedKeys {
		if s, ok := result.Get(key).Str(); ok {
			out = s
			break
		}
	}
	errs, _ := result.Get("stderr").Str()
	return object("stdout", out, "stderr", errs, "interrupted", false, "isImage", false, "noOutputExpected", false)
}

func writeShape(d tool.Done, input value.Value) value.Value {
	kind := "update"
	if created, ok := clients.ResultOf(d).Get("created").Bool(); created || !ok {
		kind = "create"
	}
	return object("type", kind, "filePath", input.Get("file_path"), "content", input.Get("content"), "structuredPatch", []any{},
		"originalFile", nil, "userModified", false)
}

func editShape(_ tool.Done, input value.Value) value.Value {
	all, _ := input.Get("replace_all").Bool()
	return object("filePath", input.Get("file_path"), "oldString", input.Get("old_string"), "newString", input.Get("new_string"),
		"originalFile", nil, "structuredPatch", []any{}, "userModified", false, "replaceAll", all)
}

func readShape(d tool.Done, input value.Value) value.Value {
	text := shown(d)
	if s, ok := clients.ResultOf(d).Get("content").Str(); ok {
		text = s
	}
	lines := strings.Count(text, "\n") + 1
	first := int64(1)
	if n, ok := input.Get("offset").Int(); ok {
		first = n
	}
	return object("type", "text", "file", object("filePath", input.Get("file_path"), "content", text, "numLines", lines, "startLine", int(first), "totalLines", lines))
}

func agentShape(d tool.Done, input value.Value) value.Value {
	return object("status", "completed", "prompt", input.Get("prompt"), "content", clients.TextBlocks(shown(d)))
}

// replaceText replaces what the model sees of a result by the text of v, which is
// in the shape of the client's tool.
func replaceText(d tool.Done, v value.Value, _ bool) (tool.Accept, error) {
	if _, mcp := d.Call.Action.(tool.MCP); mcp {
		return tool.Accept{Content: textParts(v)}, nil
	}
	if err := fitsShape(d.Call.Tool, clients.ResultOf(d), v); err != nil {
		return tool.Accept{}, err
	}
	for _, get := range []func(value.Value) (string, bool){printedText, fileText, reportText} {
		if text, ok := get(v); ok {
			return tool.Accept{Content: []session.Part{session.Text{Text: text}}}, nil
		}
	}
	return tool.Accept{}, errors.New("there is no place for a text in it")
}

func printedText(v value.Value) (string, bool) {
	out, ok := v.Get("stdout").Str()
	if errs, _ := v.Get("stderr").Str(); errs != "" {
		out = strings.TrimPrefix(out+"\n"+errs, "\n")
	}
	return out, ok
}

func fileText(v value.Value) (string, bool) { return v.Get("file").Get("content").Str() }

func reportText(v value.Value) (string, bool) {
	var texts []string
	for _, block := range v.Get("content").Items() {
		texts = append(texts, block.Get("text").String())
	}
	return strings.Join(texts, "\n"), len(texts) > 0
}

// textParts shows a text as it is, a list of texts one by one, and everything
// else as JSON.
func textParts(v value.Value) []session.Part {
	var parts []session.Part
	for _, block := range v.Items() {
		if text, ok := block.Get("text").Str(); ok && block.Get("type").String() == "text" {
			parts = append(parts, session.Text{Text: text})
		}
	}
	if len(parts) == 0 || len(parts) != v.Len() {
		return []session.Part{session.Text{Text: v.String()}}
	}
	return parts
}

// failureText says how a call failed in the client's view, where a command that
// ends with another status than 0 is one that failed.
func failureText(d tool.Done) (text string, failed bool) {
	if f, is := d.Result.(tool.Failure); is {
		return f.Message, true
	}
	if _, shell := d.Call.Action.(tool.Shell); !shell || clients.Known(d.Call.Tool) {
		return "", false
	}
	for _, key := range []string{"exit", "exit_code", "exitCode"} {
		if n, ok := clients.ResultOf(d).Get(key).Int(); ok && n != 0 {
			out, _ := shellShape(d, value.Value{}).Get("stdout").Str()
			return strings.TrimSuffix(fmt.Sprintf("Exit code %d\n%s", n, out), "\n"), true
		}
	}
	return "", false
}
