package point

// A Keep remembers what payload refers to and handlers could write into although
// they are given a copy of it: the elements of lists, what pointers point to. The
// function that it returns puts that back, and writes nothing if it is as it was;
// it is nil if there is nothing to remember.
type Keep[P any] func(payload *P) (restore func())

func (k Keep[P]) untyped() func(payload any) func() {
	if k == nil {
		return nil
	}
	return func(payload any) func() { return k(payload.(*P)) }
}

// keep remembers what one handler could write that another reads.
func (r *running) keep() {
	if keep := r.point.keep; keep != nil && len(r.chain) > 1 {
		r.restore = keep(r.payload)
	}
}

// undo undoes what a handler wrote into what its payload refers to.
func (r *running) undo() {
	if r.restore != nil {
		r.putBack()
	}
}

func (r *running) putBack() {
	if r.point.maxNext > 1 { // nexts may overlap
		r.leaving.Lock()
		defer r.leaving.Unlock()
	}
	r.restore()
}
