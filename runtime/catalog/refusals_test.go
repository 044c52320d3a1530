package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/catalog"
)

func TestRefusals(t *testing.T) {
	got := map[string][]string{}
	for _, p := range catalog.Points() {
		if list := p.Refusals(); list != nil {
			got[p.Name()] = list
		}
	}
	require.Equal(t, map[string][]string{
		"agent/pre-step": {"reject"}, "agent/pre-compact": {"cancel"}, "tools/pre-execute": {"deny"}, "tools/guard": {"forbid"},
		"tools/approve": {"refuse"}, "tools/post-execute": {"block"}, "host/event": {"refuse"},
	}, got)
}
