package spec_test

import (
	"errors"
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
	Expected struct {
		OK         bool
		Error      struct{ Message string }
		Result     value.Value
		Violations []string
	}
}

func loadSchema(dir string) ([]testCase, error) {
	file, err := readPipelineFile(dir)
	var cases []testCase
	for _, c := range file.SchemaCases {
		cases = append(cases, testCase{
			id: c.ID, traits: map[string]string{"kind": c.Kind}, applicable: true,
			run: func() error { return attempt(func(*trial) string { return c.run() }) },
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
		s, err := jsonschema.Compile(c.Input.Schema)
		if err != nil {
			return err.Error()
		}
		if got := s.Check(c.Input.Value, c.Input.Path); !reflect.DeepEqual(nonNil(got), nonNil(c.Expected.Violations)) {
			return "got " + compact(got)
		}
		return ""
	}
	unsupported := (*jsonschema.Error)(nil)
	switch {
	case c.Expected.OK && err != nil:
		return err.Error()
	case c.Expected.OK && !c.Expected.Result.IsAbsent() && !result.Equal(c.Expected.Result):
		return "got " + result.String()
	case !c.Expected.OK && (!errors.As(err, &unsupported) || err.Error() != c.Expected.Error.Message):
		return "got " + compact(err)
	}
	return ""
}
