package point_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

// bare is a Decision that somebody forgot to give variants.
type bare interface{ isBare() }

type answered struct{}

func (answered) isBare() {}

// A mistake in the declaration of a point fails every run, not the first alone.
func TestMistakeInPoint(t *testing.T) {
	w := point.NewWaterfall("test/bare", decls, point.Spec[Question, bare]{Default: func(Question) bare { return answered{} }})
	var r point.Registry
	install(t, &r, "x", func(in *point.Installer) {
		w.Handle(in, func(context.Context, Question, point.Next[bare]) (bare, error) { return answered{}, nil })
	})
	for range 3 {
		d, err := w.Run(t.Context(), point.Run{Handlers: &r}, Question{})
		require.ErrorContains(t, err, "is not a sealed interface with variants")
		require.Nil(t, d)
		require.Panics(t, func() { w.Decision() })
	}
}
