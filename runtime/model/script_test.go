package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/model"
)

func TestScriptForms(t *testing.T) {
	for name, text := range map[string]string{
		"a list":                         `[{"text": "a"}, {"text": "b"}]`,
		"a list on many lines":           "[\n{\"text\": \"a\"},\n\n{\"text\": \"b\"}\n]\n",
		"lines":                          "{\"text\": \"a\"}\r\n\n  {\"text\": \"b\"}",
		"one answer, written with space": "{\n  \"text\": \"a\"\n}",
	} {
		t.Run(name, func(t *testing.T) {
			s, err := model.ParseScript([]byte(text))
			require.NoError(t, err)
			require.Len(t, s.Replies, strings.Count(text, "text"))
			require.Equal(t, "a", s.Replies[0].Text)
		})
	}
}

// A script that means something else than it says is worse than none.
func TestScriptMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{\"text\": \"a\"}\n{":                      "line 2: ",
		"[{\"text\": \"a\"},\n{]":                   "the list of answers: ",
		`[1]`:                                       "answer 1: expected an object, got number",
		`"text"`:                                    "answer 1: expected an object, got string",
		`{"txt": 1}`:                                `answer 1: an answer has no member "txt"; the nearest is "text"`,
		`{"text": ["a"]}`:                           "answer 1: text: expected a string, got list",
		`{"hang": "yes"}`:                           "hang: expected true or false, got string",
		`{"delay_ms": -1}`:                          "delay_ms: expected a whole number from 0 to 2147483647, got -1",
		`{"delay_ms": 1e300}`:                       "delay_ms: expected a whole number",
		`{"finish": "stopp"}`:                       `got "stopp"; the nearest is "stop"`,
		`{"finish": 1}`:                             "finish: expected one of",
		`{"usage": {"in": 1}}`:                      `usage: usage has no member "in"; it may have `,
		`{"failure": "busy"}`:                       "failure: expected an object, got string",
		`{"failure": {"code": 5}}`:                  "failure: code: expected a string, got number",
		`{"tools": {"tool": "bash"}}`:               "tools: expected a list, got object",
		`{"tools": [{"name": "bash"}]}`:             `tools: call 1: a call has no member "name"`,
		`{"tools": [{"tool": "a"}, {}]}`:            "tools: call 2: it names no tool",
		`{"tools": [{"tool": "a", "id": ""}]}`:      "tools: call 1: its id is empty",
		`{"tools": [{"tool": "a", "answers": {}}]}`: "answers: expected a list, got object",
		`{"tools": [{"tool": "a", "answers": [{"text": "x"}, {"x": 1}]}]}`:                              `answer 1: tools: call 1: answers: answer 2: an answer has no member "x"`,
		`{"tools": [{"tool": "a", "id": "i", "answers": []}, {"tool": "a", "id": "i", "answers": []}]}`: `call 2: an earlier call with answers has the id "i" too`,
		strings.Repeat(`{"tools": [{"tool": "a", "answers": [`, 40) + strings.Repeat(`]}]}`, 40):        "nest deeper than",
	} {
		_, err := model.ParseScript([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

// The answers of a subagent stand beside the call that starts it.
func TestScriptOfSubagents(t *testing.T) {
	s, err := model.ParseScript([]byte(`{"tools": [
		{"tool": "agent", "answers": [{"tools": [{"tool": "agent", "answers": [{"text": "grandchild"}]}]}, {"text": "child"}]},
		{"tool": "agent", "id": "own", "answers": [{"text": "other child"}]},
		{"tool": "agent", "id": "none"}]}`))
	require.NoError(t, err)
	child := s.Child("call-1-1")
	require.Equal(t, "child", child.Replies[1].Text)
	require.Equal(t, "grandchild", child.Child("call-1-1").Replies[0].Text)
	require.Equal(t, "other child", s.Child("own").Replies[0].Text)
	require.Empty(t, s.Child("none").Replies)
	require.Empty(t, new(model.Scripted).Child("x").Replies)
}
