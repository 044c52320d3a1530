package box_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/internal/box"
)

func TestOneBoxIsTheSame(t *testing.T) {
	var a, b any = []int{1}, []int{1}
	c := a
	require.True(t, box.Same(a, c))
	require.True(t, box.Same[any](nil, nil))
	require.False(t, box.Same(a, b), "two boxes")
	require.False(t, box.Same(a, nil))
	require.True(t, box.Same[error](io.EOF, io.EOF))
	require.False(t, box.Same[error](io.EOF, io.ErrUnexpectedEOF))
	require.False(t, box.Same[any](struct{}{}, [0]int{}), "two types")
}
