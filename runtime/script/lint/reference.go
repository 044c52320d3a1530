package lint

import (
	"bytes"
	"fmt"
	"io"
)

// Reference writes the derived part of the reference page: every kind of finding
// with what it means and an example.
func Reference(w io.Writer) error {
	var b bytes.Buffer
	for _, g := range Groups() {
		fmt.Fprintf(&b, "## %s\n\n", g.Title)
		for _, k := range g.Kinds {
			fmt.Fprintf(&b, "### %s\n\n%s · %s\n\n%s", k.ID, k.Severity, k.Title, k.Doc)
			if k.Fix != "" {
				fmt.Fprintf(&b, " Fix: %s.", k.Fix)
			}
			fmt.Fprintf(&b, "\n\n```lua wrong\n%s\n```\n\n", k.Bad)
		}
	}
	_, err := w.Write(bytes.TrimSpace(b.Bytes()))
	return err
}
