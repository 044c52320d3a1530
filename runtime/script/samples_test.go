package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

const sampleSession = `"session": {"id": "s", "cwd": "/home/dev/p"}`

const sampleCall = `{"id": "1", "tool": "Bash", "arguments": {"command": "ls", "n": 9007199254740993}, "action": {"kind": "shell", "command": "ls"}, ` + sampleSession + `}`

// sampleTexts is one payload of every point.
var sampleTexts = map[string]string{
	"agent/session-start": `{` + sampleSession + `, "source": "startup"}`,
	"agent/session-end":   `{` + sampleSession + `}`,
	"agent/pre-step":      `{` + sampleSession + `, "turn": 1, "step": 1, "prompt": "hello", "messages": [{"role": "user", "content": ["hello"], "source": {"kind": "user"}}]}`,
	"agent/request":       `{` + sampleSession + `, "turn": 1, "step": 1, "config": {"model": "m", "options": {"seed": 9007199254740993}}}`,
	"agent/request-error": `{` + sampleSession + `, "turn": 1, "step": 1, "failure": {"message": "busy", "status": 529}}`,
	"agent/turn-stopping": `{` + sampleSession + `, "turn": 1, "stop_active": false, "stops": 0}`,
	"agent/pre-compact":   `{` + sampleSession + `, "trigger": "auto"}`,
	"agent/post-compact":  `{` + sampleSession + `, "trigger": "auto"}`,
	"agent/interrupt":     `{` + sampleSession + `, "turn": 1}`,
	"agent/notify":        `{` + sampleSession + `, "message": "done"}`,
	"agent/status":        `{` + sampleSession + `, "status": "idle"}`,
	"agent/error":         `{` + sampleSession + `, "turn": 1, "step": 1, "message": "no"}`,
	"tools/rewrite":       sampleCall,
	"tools/pre-execute":   sampleCall,
	"tools/guard":         sampleCall,
	"tools/approve":       `{"call": ` + sampleCall + `}`,
	"tools/execute":       sampleCall,
	"tools/post-execute":  `{"call": ` + sampleCall + `, "result": {"kind": "success", "value": {"n": 9007199254740993}, "content": ["out"]}, "ran": true}`,
	"tools/result":        `{"call": ` + sampleCall + `, "result": {"kind": "failure", "message": "no"}, "ran": false}`,
	"subagent/start":      `{` + sampleSession + `, "id": "a", "type": "explore"}`,
	"subagent/end":        `{` + sampleSession + `, "id": "a"}`,
	"host/event":          `{` + sampleSession + `, "name": "Setup", "payload": {"trigger": "init"}}`,
}

func sample(name string) value.Value { return doc(sampleTexts[name]) }

func anyLive() *session.Effects {
	return session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
}

func TestEveryPointHasASample(t *testing.T) {
	require.Len(t, sampleTexts, len(catalog.Names()))
	for _, name := range catalog.Names() {
		require.Contains(t, sampleTexts[name], sampleSession, name)
	}
}
