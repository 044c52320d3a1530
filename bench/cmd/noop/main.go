// Command noop does nothing: what any Go process costs at least.
package main

func main() {}
