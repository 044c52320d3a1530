//go:build race

package filestate_test

// With the race detector the runtime checks pointers too, and ends the process
// where the library reads a length out of a damaged page: no test can go on then.
const damagedPages = 0
