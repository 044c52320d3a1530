package terminal

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/internal/visible"
)

// Plain is [visible.Text] of which line ends and tabs stay.
func Plain(text string) string { return visible.Text(text, "\n\t") }

// Line is [Plain] in one line of at most max characters.
func Line(text string, limit int) string {
	runes := []rune(Plain(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit]) + fmt.Sprintf("… (+%d more characters)", len(runes)-limit)
}
