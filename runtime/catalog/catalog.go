// Package catalog lists every extension point: the one place to read the whole
// surface of dsh.
package catalog

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Points returns every extension point. Names are unique.
func Points() []point.Point {
	return slices.Concat(agent.Points(), tool.Points(), subagent.Points(), host.Points())
}

// Find returns the point with the given name, or nil.
func Find(name string) point.Point {
	for _, p := range Points() {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// Names returns the names of all points, in the order of [Points].
func Names() []string {
	var names []string
	for _, p := range Points() {
		names = append(names, p.Name())
	}
	return names
}
