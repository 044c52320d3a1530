// Command jsononly decodes the JSON on its standard input and prints it: what
// any hook written in Go costs at least.
package main

import (
	"encoding/json"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	var event any
	if json.Unmarshal(text, &event) != nil {
		os.Exit(1)
	}
	text, err = json.Marshal(event)
	if err != nil {
		os.Exit(1)
	}
	if _, err := os.Stdout.Write(append(text, '\n')); err != nil {
		os.Exit(1)
	}
}
