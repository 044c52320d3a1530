package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/catalog/document"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// newSpecCmd prints the documents derived from the declarations of the points.
// The files under spec/ are its output.
func newSpecCmd(std console.IO) *cobra.Command {
	cmd := &cobra.Command{
		Use: "spec", Short: "Print what policies can see and say, for readers, editors and programs",
		Args: func(_ *cobra.Command, args []string) error { return unknownCommand(args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	add := func(use, short string, write func(io.Writer, []point.Point) error) {
		cmd.AddCommand(&cobra.Command{
			Use: use, Short: short, Args: usage(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return write(std.Out, catalog.Points()) },
		})
	}
	add("points", "Print the reference of all extension points (Markdown)", document.Markdown)
	add("schema", "Print the JSON Schema of every payload and answer", document.JSONSchema)
	add("luacats", "Print annotations for the Lua language server", func(w io.Writer, points []point.Point) error {
		return errors.Join(document.LuaCATS(w, points), stdlib.LuaCATS(w, stdlib.Modules()), stdlib.LuaCATSGlobal(w, scripttest.Library()))
	})
	return cmd
}
