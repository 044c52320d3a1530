package point_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

// TestWhatIsInstalledIsSeenAtOnce by whoever runs the point afterwards, while
// others run it and make it keep more chains than it may.
func TestWhatIsInstalledIsSeenAtOnce(t *testing.T) {
	var root point.Registry
	child := root.Child()
	var others sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					_, _ = ask.Run(context.Background(), point.Run{Handlers: child}, Question{Text: fmt.Sprint(i)})
				}
			}
		})
	}
	for i := range 200 {
		scope := []*point.Registry{&root, child}[i%2]
		remove := install(t, scope, "no", func(in *point.Installer) {
			ask.Handle(in, func(context.Context, Question, next) (Answer, error) { return No{Why: "installed"}, nil })
		})
		d, err := ask.Run(context.Background(), point.Run{Handlers: child}, Question{Text: "mine"})
		require.NoError(t, err)
		require.Equal(t, No{Why: "installed"}, d)
		require.True(t, ask.Asks(point.Run{Handlers: child}, point.Subject{}))
		remove()
		d, err = ask.Run(context.Background(), point.Run{Handlers: child}, Question{Text: "mine"})
		require.NoError(t, err)
		require.Equal(t, Yes{}, d)
		require.False(t, ask.Asks(point.Run{Handlers: child}, point.Subject{}))
	}
	close(stop)
	others.Wait()
}
