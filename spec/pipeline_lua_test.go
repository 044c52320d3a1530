package spec_test

// scripted attaches h as a script; it is false for a handler that has no form
// as one.
func (w *world) scripted(h pipelineHandler, kind string) bool { return false }

func (w *world) Tell(text string) error { return nil }
