package spec_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/catalog/document"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

var update = flag.Bool("update", false, "rewrite the derived documents")

// TestDerivedDocumentsAreFresh compares the committed documents with what the
// declarations of the points say now.
func TestDerivedDocumentsAreFresh(t *testing.T) {
	for _, test := range []struct {
		file  string
		write func(io.Writer, []point.Point) error
	}{
		{"points.md", document.Markdown},
		{"schema/points.json", document.JSONSchema},
		{"dsh.d.lua", func(w io.Writer, points []point.Point) error {
			return errors.Join(document.LuaCATS(w, points), stdlib.LuaCATS(w, stdlib.Modules()), stdlib.LuaCATSGlobal(w, scripttest.Library()))
		}},
	} {
		t.Run(test.file, func(t *testing.T) {
			var fresh, again bytes.Buffer
			require.NoError(t, test.write(&fresh, catalog.Points()))
			require.NoError(t, test.write(&again, catalog.Points()))
			require.Equal(t, fresh.String(), again.String(), "two renderings must be the same")
			if *update {
				require.NoError(t, os.WriteFile(test.file, fresh.Bytes(), 0o644))
			}
			committed, err := os.ReadFile(test.file)
			require.NoError(t, err)
			if !bytes.Equal(committed, fresh.Bytes()) {
				t.Errorf("%s is stale: run make generate", test.file)
			}
		})
	}
}
