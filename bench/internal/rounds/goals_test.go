package rounds_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
	"github.com/stretchr/testify/require"
)

func TestGoalIsMetByAMeasurementWithinItsBound(t *testing.T) {
	tests := []struct {
		name string
		goal rounds.Goal
		met  bool
	}{
		{"below", rounds.Goal{Measured: 2, Bound: 3}, true},
		{"at the bound", rounds.Goal{Measured: 3, Bound: 3}, true},
		{"above", rounds.Goal{Measured: 3.1, Bound: 3}, false},
		{"nothing measured", rounds.Goal{Bound: 3}, false},
		{"no number", rounds.Goal{Measured: math.NaN(), Bound: 3}, false},
		{"none wanted", rounds.Goal{}, true},
		{"none wanted, some there", rounds.Goal{Measured: 1}, false},
		{"enough", rounds.Goal{Measured: 3, Bound: 3, AtLeast: true}, true},
		{"too little", rounds.Goal{Measured: 2, Bound: 3, AtLeast: true}, false},
		{"nothing measured of what must be much", rounds.Goal{Bound: 3, AtLeast: true}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.met, test.goal.Met()) })
	}
}

func TestJudgeTellsOfEveryGoal(t *testing.T) {
	var out bytes.Buffer
	missed := rounds.Judge(&out, []rounds.Goal{
		{What: "a step", Measured: 12.34, Bound: 50, Unit: "µs"},
		{What: "events appended", Measured: 123456.7, Bound: 200_000, AtLeast: true, Unit: "a second"},
	})
	require.Equal(t, 1, missed)
	require.Equal(t, "ok     a step                                               12.34 µs, goal at most 50\n"+
		"MISSED events appended                                     123457 a second, goal at least 200000\n", out.String())
}
