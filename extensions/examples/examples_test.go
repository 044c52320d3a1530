// Package examples_test runs the cases of every example policy.
//
// A case puts one payload to the policy of its folder as "dsh eval" would: a
// client's own bytes through the dialect of that client, or a payload of dsh's
// own to one point. No disk is read but for the policies: paths lead where they
// say, unless a payload gives them a real path.
package examples_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// fewestCases is how many cases an example must have.
const fewestCases = 25

// A testCase is one entry of a cases.json. Either From or Point is set.
type testCase struct {
	Name    string          `json:"name"`
	From    string          `json:"from"`
	Point   string          `json:"point"`
	Payload json.RawMessage `json:"payload"`
	Want    want            `json:"want"`
}

// want is what the policy decides; without Decided it has no opinion, and Kind
// is the default.
type want struct {
	Kind    string `json:"kind"`
	Rule    string `json:"rule"`
	Decided bool   `json:"decided"`
}

func TestExamples(t *testing.T) {
	policies, err := filepath.Glob("*/policy.lua")
	require.NoError(t, err)
	require.NotEmpty(t, policies)
	for _, policy := range policies {
		folder := filepath.Dir(policy)
		t.Run(folder, func(t *testing.T) {
			require.FileExists(t, filepath.Join(folder, "README.md"))
			run := load(t, policy)
			for _, c := range readCases(t, filepath.Join(folder, "cases.json")) {
				t.Run(c.Name, func(t *testing.T) {
					require.Equal(t, c.Want, run(t, c))
				})
			}
		})
	}
}

// TestReadmeListsExamples holds the front page to what is there.
func TestReadmeListsExamples(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	folders, err := filepath.Glob("*/policy.lua")
	require.NoError(t, err)
	for _, policy := range folders {
		require.Contains(t, string(readme), "(extensions/examples/"+filepath.Dir(policy)+"/)")
	}
}

func readCases(t *testing.T, file string) (cases []testCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	require.GreaterOrEqual(t, len(cases), fewestCases)
	names := map[string]bool{}
	for _, c := range cases {
		require.False(t, names[c.Name], "two cases are called %q", c.Name)
		names[c.Name] = true
	}
	return cases
}

// load returns a function that puts a case to the policy in file.
func load(t *testing.T, file string) func(*testing.T, testCase) want {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := script.Load(t.Context(), file, string(source), script.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(),
	})
	require.NoError(t, err)
	require.Empty(t, s.Warnings())
	require.True(t, script.Scan(string(source)).Known, "the policy is run for every event, because its registrations cannot be read off it")
	registry := new(point.Registry)
	_, err = registry.Install(s)
	require.NoError(t, err)
	return func(t *testing.T, c testCase) want {
		t.Helper()
		var rule string
		run := point.Run{Handlers: registry, Observer: point.ObserverFunc(func(h point.Handled) {
			if h.Own && rule == "" {
				rule = h.Rule
			}
		})}
		kind := ask(t, run, c)
		return want{kind, rule, rule != ""}
	}
}

// ask returns the kind of the answer to the payload of c.
func ask(t *testing.T, run point.Run, c testCase) string {
	t.Helper()
	if c.Point != "" {
		payload, err := value.Parse(c.Payload)
		require.NoError(t, err)
		answer, err := catalog.Find(c.Point).RunValue(t.Context(), run, payload, nil)
		require.NoError(t, err)
		return answer.Get("kind").String()
	}
	explain, ok := clients[c.From]
	require.True(t, ok, "no client is called %q", c.From)
	served := explain(t.Context(), host.Host{Run: run}, host.Invocation{
		Stdin: c.Payload, Env: host.Vars{"HOME": "/home/dev"}.Get, Dir: project,
	})
	require.NoError(t, served.Fault)
	answer, err := served.Point.Decision().Encode(served.Decision)
	require.NoError(t, err)
	return answer.Get("kind").String()
}

// project is where the sessions of the cases are.
const project = "/home/dev/app"

// clients puts an invocation to the dialect of each client.
var clients = map[string]func(context.Context, host.Host, host.Invocation) claudecode.Served{
	claudecode.Name: claudecode.New(claudecode.Options{Project: project, Resolve: asItIs}).Explain,
	codex.Name:      codex.New(codex.Options{Project: project, Resolve: asItIs}).Explain,
}

// asItIs stands for a file system without links.
func asItIs(path string) (real string, ok bool) { return path, true }
