package box_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/internal/box"
)

func TestOneBoxIsTheSame(t *testing.T) {
	var a, b any = []int{1}, []int{1}
	c := a
	require.True(t, box.Same(a, c))
	require.True(t, box.Same(nil, nil))
	require.False(t, box.Same(a, b), "two boxes")
	require.False(t, box.Same(a, nil))
	require.False(t, box.Same(struct{}{}, [0]int{}), "two types")
}
