package point

// A Shield remembers what payload refers to and handlers could write into although
// they are given a copy of it: the elements of lists, what pointers point to. It
// returns nil if there is nothing to remember.
type Shield[P any] func(payload *P) Shielded

// Shielded is what a [Shield] remembers.
type Shielded interface {
	// Intact reports whether all is as it was. It is asked around every handler,
	// and only reads: others may be doing the same.
	Intact() bool
	// Restore writes all back.
	Restore()
}

func (k Shield[P]) untyped() func(payload any) Shielded {
	if k == nil {
		return nil
	}
	return func(payload any) Shielded { return k(payload.(*P)) }
}

// shield remembers what one handler could write that another reads.
func (r *running) shield() {
	if shield := r.point.shield; shield != nil && len(r.chain) > 1 {
		r.shielded = shield(r.payload)
	}
}

// undo undoes what a handler wrote into what its payload refers to.
func (r *running) undo() {
	if r.shielded != nil && !r.shielded.Intact() {
		r.leaving.Lock() // nexts may overlap
		defer r.leaving.Unlock()
		r.shielded.Restore()
	}
}
