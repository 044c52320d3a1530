//go:build !linux || !(amd64 || arm64)

package main

// recache does nothing where the page cache cannot be told to drop a file.
func recache(string) error { return nil }
