package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// call is one payload of a client.
type call struct {
	client  string
	payload []byte
	event
}

// event is what the tour reads of a payload, to name the call.
type event struct {
	Event string         `json:"hook_event_name"`
	Tool  string         `json:"tool_name"`
	Input map[string]any `json:"tool_input"`
}

// capture is a file of payloads of one event. The clients' files call the list
// by different names.
type capture struct {
	Samples  []sample `json:"samples"`
	Captures []sample `json:"captures"`
}

type sample struct {
	Stdin json.RawMessage `json:"stdin"`
	// Text is the payload as the client wrote it, where its bytes were kept.
	Text string `json:"stdin_text"`
}

// folders stand where the captures have placeholders.
var folders = strings.NewReplacer(
	"$PROJECT", "/home/dev/project",
	"$CODEX_HOME", "/home/dev/.codex",
	"$HOME", "/home/dev",
	"$TMP", "/tmp",
	"$RUN", "/home/dev/run",
)

// readCaptures reads every payload below root, clients and events in name order.
func readCaptures(root string) ([]call, error) {
	files, err := filepath.Glob(filepath.Join(root, "*", "payloads", "*.json"))
	if err != nil {
		return nil, err
	}
	var calls []call
	for _, file := range files {
		more, err := readCapture(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		calls = append(calls, more...)
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("no payloads below %s", root)
	}
	return calls, nil
}

func readCapture(file string) ([]call, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var from capture
	if err := json.Unmarshal(text, &from); err != nil {
		return nil, err
	}
	client := filepath.Base(filepath.Dir(filepath.Dir(file)))
	var calls []call
	for _, one := range slices.Concat(from.Samples, from.Captures) {
		payload, err := one.bytes()
		if err != nil {
			return nil, err
		}
		read, err := newCall(client, payload)
		if err != nil {
			return nil, err
		}
		calls = append(calls, read)
	}
	return calls, nil
}

func (s sample) bytes() ([]byte, error) {
	if s.Text != "" {
		return []byte(folders.Replace(s.Text)), nil
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, s.Stdin)
	return []byte(folders.Replace(compact.String())), err
}

func newCall(client string, payload []byte) (call, error) {
	made := call{client: client, payload: payload}
	return made, json.Unmarshal(payload, &made.event)
}

//go:embed calls.json
var variations []byte

// variation puts other input into the first captured PreToolUse of a tool.
type variation struct {
	Client string          `json:"client"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
}

// vary makes the calls of calls.json from captured ones.
func vary(captured []call) ([]call, error) {
	var list []variation
	if err := json.Unmarshal(variations, &list); err != nil {
		return nil, err
	}
	calls := make([]call, len(list))
	for i, change := range list {
		made, err := change.apply(captured)
		if err != nil {
			return nil, fmt.Errorf("calls.json, entry %d: %w", i, err)
		}
		calls[i] = made
	}
	return calls, nil
}

func (v variation) apply(captured []call) (call, error) {
	at := slices.IndexFunc(captured, func(c call) bool {
		return c.client == v.Client && c.Event == "PreToolUse" && c.Tool == v.Tool
	})
	if at < 0 {
		return call{}, fmt.Errorf("no captured call of %s by %s", v.Tool, v.Client)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(captured[at].payload, &members); err != nil {
		return call{}, err
	}
	members["tool_input"] = v.Input
	payload, err := json.Marshal(members)
	if err != nil {
		return call{}, err
	}
	return newCall(v.Client, payload)
}
