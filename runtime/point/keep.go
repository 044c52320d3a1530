package point

// A Keep remembers what payload refers to and handlers could write into although
// they are given a copy of it: the elements of lists, what pointers point to. It
// returns nil if there is nothing to remember.
type Keep[P any] func(payload *P) Kept

// Kept is what a [Keep] remembers.
type Kept interface {
	// Intact reports whether all is as it was. It is asked around every handler,
	// and only reads: others may be doing the same.
	Intact() bool
	// Restore writes all back.
	Restore()
}

func (k Keep[P]) untyped() func(payload any) Kept {
	if k == nil {
		return nil
	}
	return func(payload any) Kept { return k(payload.(*P)) }
}

// keep remembers what one handler could write that another reads.
func (r *running) keep() {
	if keep := r.point.keep; keep != nil && len(r.chain) > 1 {
		r.kept = keep(r.payload)
	}
}

// undo undoes what a handler wrote into what its payload refers to.
func (r *running) undo() {
	if r.kept != nil && !r.kept.Intact() {
		r.leaving.Lock() // nexts may overlap
		defer r.leaving.Unlock()
		r.kept.Restore()
	}
}
