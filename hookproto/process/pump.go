package process

import "os"

// A pump moves what a process reads and prints, and sees its end. It tells so in
// the process: exited, and over of its captures. Whoever makes one also gets the
// standard streams for the command, and closes them when it runs. All of a pump
// but ring belongs to the goroutine that supervises the process.
type pump interface {
	// start is called once, when the process runs.
	start()
	// next waits until something has happened to the process, or it rings.
	next()
	// ring makes next return. It may be called from anywhere, at any time.
	ring()
	// close closes our ends of the streams. Nobody writes captures then.
	close()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
