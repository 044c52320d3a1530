package value

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// From copies x into a Value. It accepts nil, booleans, strings, integers,
// floats, []any, map[string]any (whose members are put in key order) and
// Values. Anything else, a number that is not finite and nesting beyond
// [MaxDepth] (which is what a cycle looks like) are an error that names the path.
func From(x any) (Value, error) { return from(x, "value", 0) }

// MustFrom is [From] for literals in tests and examples; it panics on error.
func MustFrom(x any) Value {
	v, err := From(x)
	if err != nil {
		panic(err)
	}
	return v
}

func from(x any, path string, depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, fmt.Errorf("%s: nested deeper than %d, or a cycle", path, MaxDepth)
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
			return Value{}, fmt.Errorf("%s: %v is not a JSON number", path, x)
		}
		return OfFloat(x), nil
	case []any:
		return fromList(x, path, depth)
	case map[string]any:
		return fromMap(x, path, depth)
	default:
		return Value{}, fmt.Errorf("%s: %T has no JSON form", path, x)
	}
}

func fromList(x []any, path string, depth int) (Value, error) {
	items := make([]Value, len(x))
	for i, e := range x {
		v, err := from(e, fmt.Sprintf("%s[%d]", path, i), depth+1)
		if err != nil {
			return Value{}, err
		}
		items[i] = v
	}
	return OfList(items...), nil
}

func fromMap(x map[string]any, path string, depth int) (Value, error) {
	members := make([]Member, 0, len(x))
	for _, k := range slices.Sorted(maps.Keys(x)) {
		v, err := from(x[k], path+"."+k, depth+1)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{k, v})
	}
	return OfObject(members...), nil
}
