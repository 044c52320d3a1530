//go:build unix

package policies

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file may not tell its size, or have grown since it did.
func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	for _, length := range []int{0, 1, 10, maxPolicySize, maxPolicySize + 1, maxPolicySize + 100} {
		file := filepath.Join(dir, strconv.Itoa(length))
		whole := bytes.Repeat([]byte("x"), length)
		require.NoError(t, os.WriteFile(file, whole, 0o600))
		for _, size := range []int{length, 0, length + 90, length / 2} {
			fd, err := syscall.Open(file, syscall.O_RDONLY, 0)
			require.NoError(t, err)
			text, err := readAll(fd, size)
			require.NoError(t, err)
			require.Equal(t, whole[:min(length, maxPolicySize+1)], text, "%d bytes, said to be %d", length, size)
			require.NoError(t, syscall.Close(fd))
		}
	}
}

// A file system may give a file in pieces.
func TestReadAllInPieces(t *testing.T) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	require.NoError(t, err)
	defer syscall.Close(pair[0])
	defer syscall.Close(pair[1])
	for _, piece := range []string{"one", "two", "three"} {
		_, err := syscall.Write(pair[1], []byte(piece))
		require.NoError(t, err)
	}
	text, err := readAll(pair[0], len("onetwothree"))
	require.NoError(t, err)
	require.Equal(t, "onetwothree", string(text))
}

// What is no file is not read, and nobody waits for it.
func TestReadNoFile(t *testing.T) {
	dir := t.TempDir()

	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}))
	for path, want := range map[string]string{dir: "x.lua: is a folder, not a policy file", pipe: "x.lua: is no file", socket: "x.lua: is no file"} {
		_, err := readFile(File{Name: "x.lua", Path: path})
		require.EqualError(t, err, want)
	}
}
