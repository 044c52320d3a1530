package session

import (
	"errors"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Message is one message of a conversation.
type Message struct {
	// ID identifies the message within its session; a host assigns it.
	ID string `json:"id,omitempty"`
	// Role says who speaks to the model.
	Role Role `json:"role"`
	// Content is what is said, in order.
	Content []Part `json:"content"`
	// Source says where the message came from.
	Source Source `json:"source,omitempty"`
}

// Role is the speaker of a message, as models know it.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Values lists the roles.
func (Role) Values() []string {
	return []string{string(RoleUser), string(RoleAssistant), string(RoleSystem)}
}

// Part is one block of content.
//
//sumtype:decl
type Part interface{ isPart() }

// Text is plain text. It may be written as a string alone.
type Text struct {
	// Text is the text itself.
	Text string `json:"text" dsh:"short"`
}

// Reasoning is what a model thought before it answered.
type Reasoning struct {
	// Text is the text itself.
	Text string `json:"text"`
}

// Image is a picture.
type Image struct {
	// MediaType is the type of the data, such as "image/png".
	MediaType string `json:"media_type"`
	// Data is the picture in base64.
	Data string `json:"data"`
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	// ID correlates the call with its result.
	ID string `json:"id"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Arguments are what the model passes to it.
	Arguments value.Value `json:"arguments"`
}

// ToolResult is the outcome of a call as the model is shown it.
type ToolResult struct {
	// Call is the ID of the call.
	Call string `json:"call"`
	// Content is what the model is shown.
	Content []Part `json:"content"`
	// Failed is true if the call has no value.
	Failed bool `json:"failed,omitempty"`
}

func (Text) isPart()       {}
func (Reasoning) isPart()  {}
func (Image) isPart()      {}
func (ToolCall) isPart()   {}
func (ToolResult) isPart() {}

// Source says who is behind a message: it is how a model's reader can tell what
// a human wrote from what an extension added.
//
//sumtype:decl
type Source interface{ isSource() }

// User is the human.
type User struct{}

// Model is the model itself.
type Model struct {
	// Name names the model that answered.
	Name string `json:"name,omitempty"`
	// Replay is what the model's provider wants to be handed back with the
	// message, in its own terms.
	Replay value.Value `json:"replay,omitempty"`
}

// Extension is an extension that injected the message.
type Extension struct {
	// Name is the name of the extension.
	Name string `json:"name"`
}

// Call is a tool call whose result the message carries.
type Call struct {
	// ID is the ID of the call.
	ID string `json:"id"`
}

// Runtime is the runtime, for instance when it repairs a broken log.
type Runtime struct {
	// Form says what the message is: "snapshot" for the state of the world around
	// the session, which a later one supersedes, "note" for a remark; absent for
	// everything else.
	Form string `json:"form,omitempty"`
}

// The forms of messages from the runtime.
const (
	FormSnapshot = "snapshot"
	FormNote     = "note"
)

func (User) isSource()      {}
func (Model) isSource()     {}
func (Extension) isSource() {}
func (Call) isSource()      {}
func (Runtime) isSource()   {}

// Context is a text that an answer adds for the model, without changing what
// happens. It may be written as a string alone.
type Context struct {
	// Text is what the model is told.
	Text string `json:"text" dsh:"short"`
	// Extension is the name of the extension that adds it; the runtime fills it.
	Extension string `json:"extension,omitempty"`
}

// Attributed returns a copy of contexts in which those without an extension have
// the given one; false if there is nothing to fill.
func Attributed(contexts []Context, extension string) ([]Context, bool) {
	nobody := func(c Context) bool { return c.Extension == "" }
	if !slices.ContainsFunc(contexts, nobody) {
		return nil, false
	}
	out := slices.Clone(contexts)
	for i := range out {
		if nobody(out[i]) {
			out[i].Extension = extension
		}
	}
	return out, true
}

// Content of messages may hold so many parts in all, nested so deeply: content that
// contains itself, or shares what it contains, has no end.
const (
	mostParts = 1 << 20
	mostDeep  = 1000
)

var errEndless = errors.New("content is nested deeper than 1000, or holds more than 1048576 parts")

// Validate refuses a message that cannot be copied.
func (m Message) Validate() error {
	left := mostParts
	if !ends(m.Content, mostDeep, &left) {
		return errEndless
	}
	return nil
}

func ends(parts []Part, depth int, left *int) bool {
	if *left -= len(parts); *left < 0 || depth < 0 {
		return false
	}
	return !slices.ContainsFunc(parts, func(p Part) bool {
		r, nests := p.(ToolResult)
		return nests && !ends(r.Content, depth-1, left)
	})
}

// FromExtension returns a user message with one text, whose source is the named
// extension.
func FromExtension(extension, text string) Message {
	return Message{Role: RoleUser, Content: []Part{Text{text}}, Source: Extension{extension}}
}

// TextOf joins the texts of v, which is one or the JSON form of a list of parts.
func TextOf(v value.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	var texts []string
	for _, item := range v.Items() {
		if s, ok := item.Get("text").Str(); ok {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}
