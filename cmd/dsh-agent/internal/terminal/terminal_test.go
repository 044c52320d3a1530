package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc äö €": "a\tb\nc äö €",
		"\x1b[2Jgone":  `\x1b[2Jgone`,
	} {
		require.Equal(t, want, terminal.Plain(text))
	}
	require.Equal(t, "a b c", terminal.Line(" a\nb\t c\r\n", 10))
	require.Equal(t, "ää… (+2 more characters)", terminal.Line("ääöö", 2))
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	l := terminal.NewLines(strings.NewReader("a\r\nb\n" + long + "\n\xff\nend"))
	defer l.Close()
	for _, want := range []string{"a", "b"} {
		line, err := l.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, line)
	}
	_, err := l.Next(t.Context())
	require.ErrorIs(t, err, terminal.ErrLong)
	for _, want := range []string{"\uFFFD", "end"} {
		line, err := l.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, line)
	}
	for range 2 {
		_, err = l.Next(t.Context())
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestAWaitForALineCanBeGivenUp(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	defer write.Close()
	l := terminal.NewLines(read)
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err = l.Next(gone)
	require.EqualError(t, err, "enough")
	_, err = write.WriteString("late\n")
	require.NoError(t, err)
	line, err := l.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, "late", line)
	_, err = l.Next(gone)
	require.Error(t, err)
	l.Close() // ends the read that is under way
}

func TestIs(t *testing.T) {
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer slave.Close()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.True(t, terminal.Is(slave))
	require.False(t, terminal.Is(null))
	require.False(t, terminal.Is(strings.NewReader("")))
}
