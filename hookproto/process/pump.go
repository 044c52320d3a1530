package process

import "time"

// A pump moves what a process reads and prints, and sees its end. It tells so in
// the process: exited and how, and over of its captures. It is made with the
// process running. All of a pump but ring belongs to the goroutine that supervises
// the process.
type pump interface {
	// next waits until something has happened to the process, it rings, or
	// patience, if it is not negative, has passed.
	next(patience time.Duration)
	// ring makes next return. It may be called from anywhere, at any time.
	ring()
	// close closes our ends of the streams. Nobody writes captures then.
	close()
}

// An ending is how a command ended.
type ending struct {
	status int    // -1 if a signal ended it
	signal string // such as SIGKILL
}
