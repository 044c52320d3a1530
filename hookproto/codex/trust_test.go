package codex_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/codex"
)

// The hashes are those that the client lists for the same files.
func TestTrustHashes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "hashes.json"))
	require.NoError(t, err)
	var files []struct {
		Name, File, Content string
		Listed              []struct{ Key, Hash string }
	}
	require.NoError(t, json.Unmarshal(data, &files))
	for _, f := range files {
		t.Run(f.Name, func(t *testing.T) {
			format := codex.JSON
			if strings.HasSuffix(f.File, ".toml") {
				format = codex.TOML
			}
			c := codex.Load([]codex.File{{Path: f.File, Data: []byte(f.Content), Format: format, Source: codex.User}}, codex.Options{})
			require.Len(t, c.Hooks, len(f.Listed), c.Problems)
			for i, want := range f.Listed {
				require.Equal(t, want.Key, c.Hooks[i].Key)
				require.Equal(t, want.Hash, c.Hooks[i].Hash, want.Key)
			}
		})
	}
}
