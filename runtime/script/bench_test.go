package script_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// twenty is a policy of twenty lines, as people write them.
func twenty(b *testing.B) string {
	text, err := os.ReadFile("../../bench/cmd/policybench/policy.lua")
	require.NoError(b, err)
	return string(text)
}

// payloadText is the payload of a call, as bytes.
const payloadText = `{"id":"toolu_01","tool":"Bash","arguments":{"command":"git push --force origin main","description":"Push the branch","timeout":120000},` +
	`"action":{"kind":"shell","command":"git push --force origin main","cwd":"/home/dev/project"},` +
	`"session":{"id":"0b1e","cwd":"/home/dev/project","project":"/home/dev/project","mode":"default","client":"claude-code"}}`

// policies are the same policy in an instance that may be used again, and in one
// that may not.
func policies(b *testing.B) map[string]string {
	text := twenty(b)
	return map[string]string{"reused": text, "fresh": "local count = 0\n" + text + "dsh.on('tools/result', function() count = count + 1 end)\n"}
}

// BenchmarkDecision is one decision in process: from the bytes of the payload to
// the Decision.
func BenchmarkDecision(b *testing.B) {
	for name, source := range policies(b) {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b, load(b, "policy.lua", source, offered()))
			run := point.Run{Handlers: &d.registry}
			for b.Loop() {
				payload, err := value.ParseString(payloadText)
				if err != nil {
					b.Fatal(err)
				}
				answer, err := tool.PreExecute.RunValue(b.Context(), run, payload, nil)
				if err != nil || answer.Get("kind").String() != "deny" {
					b.Fatal(answer, err)
				}
			}
		})
	}
}

// BenchmarkTyped is the same from a Go payload, as the pipeline has it.
func BenchmarkTyped(b *testing.B) {
	for name, source := range policies(b) {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b, load(b, "policy.lua", source, offered()))
			run := point.Run{Handlers: &d.registry}
			call := rm()
			call.Action = tool.Shell{Command: "git push --force origin main"}
			for b.Loop() {
				answer, err := tool.PreExecute.Run(b.Context(), run, call)
				if _, denied := answer.(tool.Deny); err != nil || !denied {
					b.Fatal(answer, err)
				}
			}
		})
	}
}

// BenchmarkLoad is what a policy costs before its first decision.
func BenchmarkLoad(b *testing.B) {
	text := twenty(b)
	for name, lazy := range map[string]bool{"eager": false, "lazy": true} {
		b.Run(name, func(b *testing.B) {
			opts := offered()
			opts.Lazy = lazy
			for b.Loop() {
				load(b, "policy.lua", text, opts)
			}
		})
	}
}
