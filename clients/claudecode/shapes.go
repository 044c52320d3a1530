package claudecode

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A shape is how a tool returns what the model is shown. The client ignores a
// replacement in any other shape, in silence.
type shape struct {
	tool string
	// show puts text into a result of the tool. It says false if the result is
	// not of this shape.
	show func(result value.Value, text string) (value.Value, bool)
}

// shapes lists those that the client was seen to take. Tools whose result is a
// fixed sentence, such as Write and Edit, are not among them: there is no place
// for a text in it.
var shapes = []shape{
	{"Bash", printed},
	{"Read", fileRead},
	{"Agent", reported},
	{"Task", reported},
}

// showing returns the result of done with text in place of what it shows.
func showing(done tool.Done, text string) (value.Value, bool) {
	if mcpCall(done) {
		return TextBlocks(text), true
	}
	for _, s := range shapes {
		if s.tool == done.Call.Tool {
			return s.show(ResultOf(done), text)
		}
	}
	return value.Value{}, false
}

// returning returns v as a result of the tool of done: a string is shown as
// text, an object may leave out what is to stay as it was.
func returning(done tool.Done, v value.Value) (value.Value, bool) {
	if mcpCall(done) {
		return v, true
	}
	if text, ok := v.Str(); ok {
		return showing(done, text)
	}
	if _, known := showing(done, ""); !known {
		return value.Value{}, false
	}
	return merge(ResultOf(done), v)
}

func mcpCall(done tool.Done) bool {
	_, mcp := done.Call.Action.(tool.MCP)
	return mcp && strings.HasPrefix(done.Call.Tool, "mcp__")
}

// ResultOf returns what the tool of done returned: absent if it failed.
func ResultOf(done tool.Done) value.Value {
	s, _ := done.Result.(tool.Success)
	return s.Value
}

// merge puts the members of v over those of result. Every one must be there and
// stay of its kind.
func merge(result, v value.Value) (value.Value, bool) {
	if v.Kind() != result.Kind() {
		return v, false
	}
	for key, x := range v.Members() {
		merged, ok := merge(result.Get(key), x)
		if !ok {
			return v, false
		}
		result = result.With(key, merged)
	}
	if v.Kind() != value.Object {
		return v, true
	}
	return result, true
}

// printed is the result of a command, whole: the client ignores a partial one.
func printed(result value.Value, text string) (value.Value, bool) {
	if result.Get("stdout").Kind() != value.String {
		return value.Value{}, false
	}
	return value.OfObject(
		value.Member{Key: "stdout", Value: value.OfString(text)},
		value.Member{Key: "stderr", Value: value.OfString("")},
		value.Member{Key: "interrupted", Value: value.OfBool(false)},
		value.Member{Key: "isImage", Value: value.OfBool(false)},
	), true
}

func fileRead(result value.Value, text string) (value.Value, bool) {
	file := result.Get("file")
	if result.Get("type").String() != "text" || file.Get("content").Kind() != value.String {
		return value.Value{}, false
	}
	n := value.OfInt(int64(strings.Count(text, "\n") + 1))
	file = file.With("content", value.OfString(text)).
		With("numLines", n).With("startLine", value.OfInt(1)).With("totalLines", n)
	return result.With("file", file), true
}

func reported(result value.Value, text string) (value.Value, bool) {
	if result.Get("content").Kind() != value.List {
		return value.Value{}, false
	}
	return result.With("content", TextBlocks(text)), true
}

// TextBlocks is a text as the client writes what an MCP server returned.
func TextBlocks(text string) value.Value {
	return value.OfList(value.OfObject(
		value.Member{Key: "type", Value: value.OfString("text")},
		value.Member{Key: "text", Value: value.OfString(text)},
	))
}
