package point_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dsh-lua/dsh/runtime/point"
)

// BenchmarkHandlers shows what each Go handler costs beyond its body: the
// difference between the rows, divided by ten.
func BenchmarkHandlers(b *testing.B) {
	for _, n := range []int{0, 1, 11} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r point.Registry
			for range n {
				on(b, &r, "ext", delegates)
			}
			q := Question{Tool: "Bash", Action: "shell", Text: "Bash"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ask.Run(context.Background(), point.Run{Handlers: &r}, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUnconcerned has handlers whose filter does not fit: the rows should
// not differ.
func BenchmarkUnconcerned(b *testing.B) {
	for _, n := range []int{0, 1_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r point.Registry
			install(b, &r, "others", func(in *point.Installer) {
				for range n {
					ask.HandleWith(in, delegates, point.Attach{Filter: point.Filter{Tool: []string{"Other"}}})
				}
			})
			on(b, &r, "ext", delegates)
			q := Question{Tool: "Bash", Action: "shell", Text: "Bash"}
			for b.Loop() {
				if _, err := ask.Run(context.Background(), point.Run{Handlers: &r}, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
