package spec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is asked of hook processes: how they start, end and are told of.
func TestReportedMistakesAboutProcesses(t *testing.T) {
	runReported(t, map[string]func(*testing.T){
		"bug-027": func(t *testing.T) { // a time-out is told as one, and is nobody's refusal
			s := bash("touch ran", command("sleep 60")+`,"timeout":0.2`).play(t)
			goesOn(t, s)
			require.Contains(t, s.told, "timed out")
			require.NotContains(t, s.modelSees(), "reject")
		},
		"bug-068": func(t *testing.T) { // nothing is left of a hook that is out of time
			s := reported{event: "Stop", hooks: []string{command("(sleep 299.68 &) ; sleep 299.68") + `,"timeout":0.3`}}.play(t)
			require.Contains(t, s.told, "timed out")
			require.Empty(t, running(t, "299.68"))
		},
		"bug-071": func(t *testing.T) { // a hook that fails leaves the result as it is
			r := bash("echo XYZ", command("sleep 100")+`,"timeout":0.2`)
			r.event = "PostToolUse"
			s := r.play(t)
			require.Contains(t, s.text, "XYZ")
			require.Contains(t, s.told, "timed out")
		},
		"bug-074": func(t *testing.T) { // a hook that does not read is no fault
			content, err := json.Marshal(strings.Repeat("A", 2_000_000))
			require.NoError(t, err)
			s := reported{
				event: "PreToolUse", matcher: "Write", hooks: []string{command("exit 0")}, tool: "Write", input: `{"file_path":"a","content":` + string(content) + `}`,
			}.play(t)
			goesOn(t, s)
			require.Empty(t, s.told)
		},
		"bug-075": func(t *testing.T) { // nor does it lose its say
			denies(t, bash(strings.Repeat("x", 200_000), command("exit 2")).play(t), "")
		},
		"bug-078": func(t *testing.T) { // what nobody waits for leaves no empty records
			r := bash("true", command("true")+`,"async":true`)
			r.event = "PostToolUse"
			s := r.play(t)
			require.Empty(t, s.records)
			require.Empty(t, s.contexts)
		},
	})
}

// Where hooks start, and where their files are.
func TestReportedMistakesAboutPlaces(t *testing.T) {
	runReported(t, map[string]func(*testing.T){
		"bug-081": func(t *testing.T) { // the project's folder does not follow the agent
			r := reported{
				event: "PreToolUse", matcher: "Edit", hooks: []string{`"type":"command","command":"sh","args":["${CLAUDE_PROJECT_DIR}/h.sh"]`},
				tool: "Edit", input: `{"file_path":"a","old_string":"1","new_string":"2"}`, cwd: "sub",
				files: map[string]string{"project/h.sh": `echo "$0" > "$CLAUDE_PROJECT_DIR/argv"`, "project/sub/a": "1"},
			}
			s := r.play(t)
			require.Equal(t, s.project+"/h.sh\n", s.read("argv"))
		},
		"bug-083": func(t *testing.T) { // a folder that is gone does not keep hooks from starting
			r := bash("true", command(`touch "$CLAUDE_PROJECT_DIR/started"`))
			r.cwd = "deleted"
			require.Contains(t, r.play(t).files, "started")
		},
		"bug-085": func(t *testing.T) { // a blank in an unquoted path is told as the failure that it is
			r := bash("touch ran", command("cat ${CLAUDE_PLUGIN_ROOT}/g.sh"))
			r.plugin = "my plugins/p"
			r.files = map[string]string{"my plugins/p/g.sh": "exit 2"}
			s := r.play(t)
			goesOn(t, s)
			require.Contains(t, s.told, "exit")
		},
	})
}

// running lists the processes in whose command line text is.
func running(t *testing.T, text string) (list []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range names {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), "sleep\x00"+text) {
			list = append(list, name)
		}
	}
	return list
}
