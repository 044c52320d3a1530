//go:build !unix

package process

func (p *Process) start(s program) error { return p.startWithGoroutines(s) }
