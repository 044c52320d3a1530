package hookconfig

import "embed"

// samples holds payloads as the clients write them, by event. The first of an
// event is the usual one.
//
//go:embed samples
var samples embed.FS
