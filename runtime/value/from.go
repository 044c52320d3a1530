package value

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// From copies x into a Value. It accepts nil, booleans, strings, integers,
// floats, []any, map[string]any (whose members are put in key order) and
// Values. Anything else and a number that is not finite are an error that names
// the path; so is nesting beyond [MaxDepth], which is what a cycle looks like,
// without the path.
func From(x any) (Value, error) {
	v, err := from(x, 0)
	if err != nil {
		return Value{}, fmt.Errorf("value%w", err)
	}
	return v, nil
}

// MustFrom is [From] for literals in tests and examples; it panics on error.
func MustFrom(x any) Value {
	v, err := From(x)
	if err != nil {
		panic(err)
	}
	return v
}

// errDeep gets no path: that of a cycle has no end.
var errDeep error = tooDeep{}

type tooDeep struct{}

func (tooDeep) Error() string { return fmt.Sprintf(": nested deeper than %d, or a cycle", MaxDepth) }

// within puts a step in front of the path that err begins with.
func within(step string, err error) error {
	if errors.Is(err, errDeep) {
		return err
	}
	return fmt.Errorf("%s%w", step, err)
}

// from returns errors that begin with the path below x.
func from(x any, depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, errDeep
	}
	switch x := x.(type) {
	case nil:
		return NullValue(), nil
	case Value:
		return x, nil
	case bool:
		return OfBool(x), nil
	case string:
		return OfString(x), nil
	case int:
		return OfInt(int64(x)), nil
	case int64:
		return OfInt(x), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Value{}, fmt.Errorf(": %v is not a JSON number", x)
		}
		return OfFloat(x), nil
	case []any:
		return fromList(x, depth)
	case map[string]any:
		return fromMap(x, depth)
	default:
		return Value{}, fmt.Errorf(": %T has no JSON form", x)
	}
}

func fromList(x []any, depth int) (Value, error) {
	items := make([]Value, len(x))
	for i, e := range x {
		v, err := from(e, depth+1)
		if err != nil {
			return Value{}, within(fmt.Sprintf("[%d]", i), err)
		}
		items[i] = v
	}
	return OfList(items...), nil
}

func fromMap(x map[string]any, depth int) (Value, error) {
	members := make([]Member, 0, len(x))
	for _, k := range slices.Sorted(maps.Keys(x)) {
		v, err := from(x[k], depth+1)
		if err != nil {
			return Value{}, within("."+k, err)
		}
		members = append(members, Member{k, v})
	}
	return OfObject(members...), nil
}
