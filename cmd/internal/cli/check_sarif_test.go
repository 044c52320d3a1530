package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/script/lint"
)

// sarifSchema is the published one.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../../../spec/testdata/formats/sarif-schema-2.1.0.json")
	require.NoError(t, err)
	return schema
}

func requireSarif(t *testing.T, schema *jsonschema.Schema, log []byte) (results int) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(doc))
	return len(doc.(map[string]any)["runs"].([]any)[0].(map[string]any)["results"].([]any))
}

// TestSarifIsValid holds logs with findings of all kinds, in files of odd names, and
// one without any, to the published schema.
func TestSarifIsValid(t *testing.T) {
	schema := sarifSchema(t)
	dir := t.TempDir()
	write := func(name, source string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600))
	}
	for i, k := range lint.Kinds() {
		write(fmt.Sprintf("%d a b#?%%é.lua", i), "-- “é”\n"+k.Bad)
	}
	check := func(path string) []byte {
		var out bytes.Buffer
		_ = runCheck(t.Context(), checkOptions{paths: []string{path}, format: "sarif"}, console.IO{Out: &out, Err: &out})
		return out.Bytes()
	}
	require.Greater(t, requireSarif(t, schema, check(dir)), len(lint.Kinds()))

	write("good.lua", `dsh.on("tools/pre-execute", function() return dsh.deny "no" end)`)
	require.Zero(t, requireSarif(t, schema, check(filepath.Join(dir, "good.lua"))))
}
