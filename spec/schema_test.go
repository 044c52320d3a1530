package spec_test

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A schemaCase is one recorded judgement of the schema subset.
type schemaCase struct {
	ID, Kind string
	Input    struct {
		Schema, Value, Spec value.Value
		Path                string
	}
	Expected schemaExpected
}

type schemaExpected struct {
	OK         *bool // of all but judgements of values, which have violations
	Error      struct{ Name, Code, Message string }
	Result     value.Value // of short forms that are right
	Violations []string
}

// UnmarshalJSON refuses what the runner does not compare.
func (e *schemaExpected) UnmarshalJSON(text []byte) error {
	type plain schemaExpected
	return strictly(text, (*plain)(e))
}

func loadSchema(dir string) ([]testCase, error) {
	file, err := readPipelineFile(dir)
	var cases []testCase
	for _, c := range file.SchemaCases {
		cases = append(cases, testCase{
			id: c.id, traits: map[string]string{"kind": c.read.Kind}, applicable: true,
			run: c.play(func(_ *trial, c schemaCase) string { return c.run() }),
		})
	}
	return cases, err
}

// run returns what differs from the recording; empty if nothing.
func (c schemaCase) run() string {
	var result value.Value
	var err error
	switch c.Kind {
	case "schema-supported":
		_, err = jsonschema.Compile(c.Input.Schema)
	case "schema-object-root":
		_, err = jsonschema.CompileObject(c.Input.Schema)
	case "dsl-parameters":
		result, err = jsonschema.Parameters(c.Input.Spec)
	case "dsl-value":
		result, err = jsonschema.Value(c.Input.Spec)
	case "schema-value":
		return c.judge()
	default:
		return fmt.Sprintf("the runner knows no kind %q", c.Kind)
	}
	want := c.Expected
	switch coded := (*jsonschema.Error)(nil); {
	case want.OK == nil:
		return "the case does not say what is right"
	case *want.OK && err != nil:
		return err.Error()
	case *want.OK && !result.Equal(want.Result):
		return "got " + result.String()
	case !*want.OK && (!errors.As(err, &coded) || !want.names(coded)):
		return "got " + compact(err)
	}
	return ""
}

// names reports whether err is the error that the case expects.
func (e schemaExpected) names(err *jsonschema.Error) bool {
	message, name, code := err.Coded()
	return message == e.Error.Message && name == e.Error.Name && code == e.Error.Code
}

// judge is run for a value.
func (c schemaCase) judge() string {
	if c.Expected.Violations == nil {
		return "the case does not say what is right"
	}
	s, err := jsonschema.Compile(c.Input.Schema)
	if err != nil {
		return err.Error()
	}
	if got := s.Check(c.Input.Value, c.Input.Path); !reflect.DeepEqual(nonNil(got), c.Expected.Violations) {
		return "got " + compact(got)
	}
	return ""
}
