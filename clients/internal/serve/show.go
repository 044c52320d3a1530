package serve

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Show renders what a tool returned as the model is shown it, as near as the
// clients' common shapes tell: a text, a list of content blocks, what a command
// printed, the content of a file. Anything else is shown as its JSON text.
func Show(v value.Value) []session.Part {
	switch v.Kind() {
	case value.String:
		return textParts(v.String())
	case value.List:
		return blocks(v)
	case value.Object:
		if content := v.Get("content"); content.Kind() == value.List {
			return blocks(content)
		}
		if content, ok := v.Get("file").Get("content").Str(); ok {
			return textParts(content)
		}
		if out, ok := v.Get("stdout").Str(); ok {
			return textParts(lines([]string{out, v.Get("stderr").String()}))
		}
	default:
	}
	return textParts(v.String())
}

func textParts(s string) []session.Part { return []session.Part{session.Text{Text: s}} }

func blocks(list value.Value) []session.Part {
	parts := make([]session.Part, 0, list.Len())
	for _, b := range list.Items() {
		parts = append(parts, block(b))
	}
	return parts
}

func block(b value.Value) session.Part {
	switch b.Get("type").String() {
	case "text", "input_text":
		if s, ok := b.Get("text").Str(); ok {
			return session.Text{Text: s}
		}
	case "image":
		source := b.Get("source")
		if data, ok := source.Get("data").Str(); ok {
			return session.Image{MediaType: source.Get("media_type").String(), Data: data}
		}
	case "input_image":
		url, _ := strings.CutPrefix(b.Get("image_url").String(), "data:")
		if kind, data, ok := strings.Cut(url, ";base64,"); ok {
			return session.Image{MediaType: kind, Data: data}
		}
	}
	return session.Text{Text: b.String()}
}

// Text joins what is text in parts by line feeds; the rest is named.
func Text(parts []session.Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case session.Text:
			texts[i] = p.Text
		case session.Reasoning:
			texts[i] = p.Text
		case session.Image:
			texts[i] = "[image content]"
		case session.ToolCall:
			texts[i] = "[tool-call content]"
		case session.ToolResult:
			texts[i] = "[tool-result content]"
		}
	}
	return strings.Join(texts, "\n")
}

func onlyText(parts []session.Part) bool {
	for _, p := range parts {
		if _, ok := p.(session.Text); !ok {
			return false
		}
	}
	return true
}

// Replacement returns the text that a result is to be replaced with. Pictures
// and the like have no place in what a hook can print.
func Replacement(parts []session.Part) (string, error) {
	if !onlyText(parts) {
		return "", fmt.Errorf("accept.content: a hook of this client can only put text in place of a result")
	}
	return Text(parts), nil
}
