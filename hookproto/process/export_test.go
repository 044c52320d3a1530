package process

// WithoutHandles is o on a system where processes have no handles.
func (o Options) WithoutHandles() Options {
	o.lacks = lackOfHandles
	return o
}

// WithoutPoll is o on a system that cannot wait for several things at once.
func (o Options) WithoutPoll() Options {
	o.lacks = lackOfPoll
	return o
}
