package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

// A prompt calls each function once, one whenever the watch waits for a change.
type prompt struct {
	text  bytes.Buffer
	steps []func()
}

func (p *prompt) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "waiting for a change") && len(p.steps) > 0 {
		step := p.steps[0]
		p.steps = p.steps[1:]
		step()
	}
	return p.text.Write(b)
}

// TestWatch runs the tests again when the tests change, and when a policy does that
// lies elsewhere.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	policy := func(reason string) string {
		return `dsh.on("tools/guard", function() return dsh.forbid "` + reason + `" end)`
	}
	tests := func(reason string) string {
		return `test.policy "../policy/p.lua" test.it("says ` + reason + `", function() test.expect(test.fire "tools/guard"):forbids "` + reason + `" end)`
	}
	write("policy/p.lua", policy("first"))
	write("tests/p_test.lua", tests("first"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	told := &prompt{steps: []func(){
		func() { write("tests/p_test.lua", tests("second one")) },
		func() { write("policy/p.lua", policy("the second one")) },
		cancel,
	}}
	opts := testOptions{paths: []string{filepath.Join(dir, "tests")}, parallel: 1, format: "tap", watch: true}
	require.NoError(t, runTest(ctx, opts, console.IO{Err: told, Out: &out}))
	var verdicts []string
	for line := range strings.Lines(out.String()) {
		if ok, _, found := strings.Cut(line, " 1 - "); found {
			verdicts = append(verdicts, ok)
		}
	}
	require.Equal(t, []string{"ok", "not ok", "ok"}, verdicts)
}
