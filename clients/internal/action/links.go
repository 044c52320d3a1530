package action

import (
	"os"

	"github.com/dsh-lua/dsh/runtime/links"
)

// Links is the [Resolver] of the machine's own file system. A link whose target
// does not exist yet leads to the target, because that is what writing through
// it creates. Loops and folders that may not be searched are not known.
func Links(path string) (real string, ok bool) { return links.Resolve(os.DirFS("/"), path) }
