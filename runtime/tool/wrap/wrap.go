// Package wrap has ready extensions around tool calls: a time limit, retries, and
// a reminder for a model that repeats itself.
//
// They are ordinary extensions that use nothing but the points of package tool;
// install them in the order in which they should nest, the first outermost. A
// [Retry] outside of a [Timeout] gives each attempt its own time.
package wrap

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
)

// attach restricts a wrapper to the named tools; no names mean all.
func attach(tools []string) point.Attach {
	return point.Attach{Filter: point.Filter{Tool: slices.Clone(tools)}}
}
