package tool

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Result is the outcome of a call.
//
//sumtype:decl
type Result interface{ isResult() }

// Success is the outcome of a call that has a value.
type Success struct {
	// Value is what the tool returned; null is a value.
	Value value.Value `json:"value"`
	// Content is what the model is shown.
	Content []session.Part `json:"content,omitempty"`
	// Meta is what a front end is shown beside the content.
	Meta value.Value `json:"meta,omitempty"`
	// Contexts are texts for the model that come with the result.
	Contexts []session.Context `json:"contexts,omitempty"`
	// Concludes is true if the tool asks to end the turn without another request.
	Concludes bool `json:"concludes,omitempty"`
}

// Failure is the outcome of a call that has no value.
type Failure struct {
	// Message says what went wrong, without a prefix.
	Message string `json:"message"`
	// Name is the kind of error, where the tool tells it.
	Name string `json:"name,omitempty"`
	// Code is a stable word for programs, such as "UNKNOWN_TOOL".
	Code Code `json:"code,omitempty"`
	// Content is what the model is shown.
	Content []session.Part `json:"content,omitempty"`
	// Meta is what a front end is shown beside the content.
	Meta value.Value `json:"meta,omitempty"`
	// Contexts are texts for the model that come with the result.
	Contexts []session.Context `json:"contexts,omitempty"`
}

func (Success) isResult() {}
func (Failure) isResult() {}

// Attribute names the extension of contexts that have none; nil if all have.
func (r Success) Attribute(extension string) Result {
	contexts, filled := session.Attributed(r.Contexts, extension)
	if !filled {
		return nil
	}
	r.Contexts = contexts
	return r
}

// Attribute names the extension of contexts that have none; nil if all have.
func (r Failure) Attribute(extension string) Result {
	contexts, filled := session.Attributed(r.Contexts, extension)
	if !filled {
		return nil
	}
	r.Contexts = contexts
	return r
}

// An outcome is a result on its way through the pipeline. It is written in
// place; a [Result] is made of it only for others.
type outcome struct {
	failed  bool
	success Success
	failure Failure
}

func lost(f Failure) outcome { return outcome{failed: true, failure: f} }

// result returns the outcome for the caller of the pipeline.
func (o *outcome) result() Result {
	if o.failed {
		return o.failure
	}
	return o.success
}

// copy returns the outcome for an extension: nobody can write into o through it.
func (o *outcome) copy() Result {
	if o.failed {
		f := o.failure
		f.Content, f.Contexts = cloneParts(f.Content), slices.Clone(f.Contexts)
		return f
	}
	s := o.success
	s.Content, s.Contexts = cloneParts(s.Content), slices.Clone(s.Contexts)
	return s
}

func (o *outcome) contexts() []session.Context {
	if o.failed {
		return o.failure.Contexts
	}
	return o.success.Contexts
}

func (o *outcome) setContexts(list []session.Context) {
	if o.failed {
		o.failure.Contexts = list
	} else {
		o.success.Contexts = list
	}
}

func (o *outcome) setContent(parts []session.Part) {
	if o.failed {
		o.failure.Content = parts
	} else {
		o.success.Content = parts
	}
}
