package claudecode

import (
	"fmt"
	"unicode/utf8"
)

// ContextLimit is how many UTF-16 units of one handler's context go to the model
// whole.
const ContextLimit = 10_000

// preview is how many bytes of a longer text still go to the model.
const preview = 2 << 10

// Spill returns what goes to the model of one handler's context. If it is too
// long, save is given all of it and says where it is kept; the beginning and
// that place go to the model.
func Spill(text string, save func(text string) (path string, err error)) (string, error) {
	units := 0
	for _, r := range text {
		if units++; r > 0xFFFF {
			units++
		}
	}
	if units <= ContextLimit {
		return text, nil
	}
	path, err := save(text)
	if err != nil {
		return "", fmt.Errorf("context of %d characters: %w", units, err)
	}
	head := text[:preview]
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	return fmt.Sprintf("[This text has %d characters. All of it is in %s; it begins:]\n%s\n[…]", units, path, head), nil
}
