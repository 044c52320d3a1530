//go:build unix

package policies

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file may be another one than it was when it was looked at, and may not tell its
// size.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("0123456789"), 0o600))
	for _, test := range []struct {
		size, most int64
		want       string
	}{
		{10, 11, "0123456789"},
		{0, 11, "0123456789"},
		{100, 11, "0123456789"},
		{10, 10, "0123456789"},
		{10, 4, "0123"},
		{0, 4, "0123"},
	} {
		text, err := readFile(file, test.size, test.most)
		require.NoError(t, err)
		require.Equal(t, test.want, string(text), "%d, %d", test.size, test.most)
	}

	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	_, err = readFile(pipe, 1, 10)
	require.ErrorIs(t, err, syscall.EAGAIN)
}
