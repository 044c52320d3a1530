package hookproto_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{" \n\t", 5, ""}, {"\ufeff ab \n", 2, "ab"}, {"abc", 2, "ab…"}, {"😀😀", 2, "😀😀"}, {"😀😀x", 2, "😀😀…"}, {"a\nb", 9, "a\nb"},
	} {
		require.Equal(t, test.want, hookproto.Summary(test.text, test.limit))
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	empty := ""
	h := hookproto.Handler{ID: "claude-code:Stop:1", Event: "Stop", Matcher: &empty}
	for _, test := range []struct {
		record any
		want   string
	}{
		{hookproto.NewInvoked(1, "codex", h), `{"turn":1,"point":"Stop","dialect":"codex","handlerId":"claude-code:Stop:1","matcher":""}`},
		{
			hookproto.NewAnswered(2, hookproto.Completed{Handler: h, Result: hookproto.Result{Took: 5 * time.Millisecond, Stderr: []byte("e\n")}, Output: hookproto.Output{Decision: hookproto.Deny, Word: "block"}}, 500),
			`{"turn":2,"point":"Stop","handlerId":"claude-code:Stop:1","decision":"block","exitCode":0,"stderrSummary":"e","durationMs":5}`,
		},
		{
			hookproto.NewAnswered(2, hookproto.Completed{Handler: h, Result: hookproto.Result{Exit: -1, Took: -1, Err: errors.New("no")}, Output: hookproto.Output{Halt: true}}, 500),
			`{"turn":2,"point":"Stop","handlerId":"claude-code:Stop:1","decision":"stop","stderrSummary":"no","durationMs":0}`,
		},
	} {
		got, err := json.Marshal(test.record)
		require.NoError(t, err)
		require.JSONEq(t, test.want, string(got))
	}
}
