package serve

import (
	"errors"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A reader takes fields from a payload and keeps the first error.
type reader struct {
	payload value.Value
	err     error
}

func (r *reader) fail(key string, err error) {
	if r.err == nil {
		r.err = fmt.Errorf("payload: %s: %w", key, err)
	}
}

var errMissing = errors.New("missing")

func (r *reader) need(key string) value.Value {
	v := r.payload.Get(key)
	if v.IsAbsent() {
		r.fail(key, errMissing)
	}
	return v
}

// text returns a string that must be there and not be empty.
func (r *reader) text(key string) string {
	s := r.option(key)
	if s == "" {
		r.fail(key, errMissing)
	}
	return s
}

// string returns a string that must be there.
func (r *reader) string(key string) string {
	if r.need(key).Kind() == value.Null {
		r.fail(key, errMissing)
	}
	return r.option(key)
}

// flag returns a boolean that may be missing or null.
func (r *reader) flag(key string) bool {
	v := r.payload.Get(key)
	switch v.Kind() {
	case value.Absent, value.Null, value.Bool:
	default:
		r.fail(key, fmt.Errorf("want a boolean, got %s", v.Kind()))
	}
	on, _ := v.Bool()
	return on
}

// option returns a string that may be missing or null.
func (r *reader) option(key string) string {
	switch v := r.payload.Get(key); v.Kind() {
	case value.Absent, value.Null:
		return ""
	case value.String:
		return v.String()
	default:
		r.fail(key, fmt.Errorf("want a string, got %s", v.Kind()))
		return ""
	}
}

// arguments returns the input of a tool: an object, or null where a tool takes
// nothing.
func (r *reader) arguments() value.Value {
	const key = "tool_input"
	v := r.need(key)
	switch v.Kind() {
	case value.Object, value.Null, value.Absent:
	default:
		r.fail(key, fmt.Errorf("want an object, got %s", v.Kind()))
	}
	return v
}

// milliseconds returns a duration that may be missing.
func (r *reader) milliseconds(key string) int64 {
	v := r.payload.Get(key)
	if k := v.Kind(); k == value.Absent || k == value.Null {
		return 0
	}
	f, ok := v.Float()
	if !ok || f < 0 {
		r.fail(key, fmt.Errorf("want a number of milliseconds, got %s", v.Kind()))
		return 0
	}
	return int64(f)
}
