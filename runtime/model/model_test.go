package model_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// adapter is a model made of one function.
type adapter func(ctx context.Context, yield func(model.Chunk, error) bool)

func (f adapter) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { f(ctx, yield) }
}

// mute is an error that panics instead of saying what it is.
type mute struct{}

func (mute) Error() string { panic("mute") }

// Whatever an adapter does wrong arrives as one finish, and nothing follows it.
func TestStreamHasOneEnd(t *testing.T) {
	broken := errors.New("broken")
	limited := &model.Error{Failure: session.Failure{Message: "busy", Code: "RATE_LIMIT", Status: 429}, Err: broken}
	for _, test := range []struct {
		name    string
		adapter adapter
		reason  model.FinishReason
		code    string
		chunks  int
	}{
		{"says nothing", func(context.Context, func(model.Chunk, error) bool) {}, model.Stop, "", 0},
		{"stops early", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(model.TextDelta{Text: "x"}, nil) }, model.Stop, "", 1},
		{"fails", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(nil, broken) }, model.Failed, "UNKNOWN", 1},
		{"fails in the middle", func(_ context.Context, yield func(model.Chunk, error) bool) {
			yield(model.TextDelta{Text: "x"}, nil)
			yield(nil, limited)
		}, model.Failed, "RATE_LIMIT", 2},
		{"panics", func(context.Context, func(model.Chunk, error) bool) { panic("x") }, model.Failed, "UNKNOWN", 1},
		{"fails with a nil pointer", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(nil, (*model.Error)(nil)) }, model.Failed, "UNKNOWN", 1},
		{"fails without a text", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(nil, mute{}) }, model.Failed, "UNKNOWN", 1},
		{"fails with what is no text", func(_ context.Context, yield func(model.Chunk, error) bool) {
			yield(nil, errors.New("a\xff"))
		}, model.Failed, "UNKNOWN", 1},
		{"sends nil", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(nil, nil) }, model.Failed, "UNKNOWN", 1},
		{"sends a pointer", func(_ context.Context, yield func(model.Chunk, error) bool) { yield(&model.TextDelta{}, nil) }, model.Failed, "UNKNOWN", 1},
		{"fails without a word", func(_ context.Context, yield func(model.Chunk, error) bool) {
			yield(model.Finish{Reason: model.Failed}, nil)
		}, model.Failed, "UNKNOWN", 1},
		{"says that it was aborted", func(_ context.Context, yield func(model.Chunk, error) bool) {
			yield(model.Finish{Reason: model.Failed, Failure: &session.Failure{Message: "x", Code: model.CodeAborted}}, nil)
		}, model.Aborted, "ABORTED", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var chunks []model.Chunk
			finish, err := model.Stream(context.Background(), test.adapter, model.Request{}, func(c model.Chunk) error {
				chunks = append(chunks, c)
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, test.reason, finish.Reason)
			require.Len(t, chunks, test.chunks)
			if test.code != "" {
				require.True(t, utf8.ValidString(finish.Failure.Message))
				require.Equal(t, test.code, finish.Failure.Code)
				require.NotEmpty(t, finish.Failure.Message)
			}
		})
	}
}

func TestStreamStopsWithItsSink(t *testing.T) {
	full := errors.New("full")
	sent := 0
	m := adapter(func(_ context.Context, yield func(model.Chunk, error) bool) {
		for yield(model.TextDelta{Text: "\xff"}, nil) {
			sent++
		}
	})
	_, err := model.Stream(context.Background(), m, model.Request{}, func(c model.Chunk) error {
		require.Equal(t, "\uFFFD", c.(model.TextDelta).Text)
		return full
	})
	require.ErrorIs(t, err, full)
	require.Zero(t, sent)
}

func TestStreamWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	finish, err := model.Stream(ctx, &model.Scripted{Replies: []model.Reply{{Text: "x", Hang: true}}}, model.Request{}, func(model.Chunk) error { return nil })
	require.NoError(t, err)
	require.Equal(t, model.Aborted, finish.Reason)
}

func TestParseScript(t *testing.T) {
	const list = `[{"text":"hi","usage":{"input":1,"output":2}},{"tools":[{"tool":"bash","arguments":{"command":"ls"}},{"id":"own","tool":"read"}]},{"failure":{"message":"busy","code":"RATE_LIMIT","retry_after_ms":5}}]`
	s, err := model.ParseScript([]byte(list))
	require.NoError(t, err)
	require.Len(t, s.Replies, 3)
	require.Equal(t, "call-2-1", s.Replies[1].Calls[0].ID)
	require.Equal(t, "own", s.Replies[1].Calls[1].ID)
	require.Equal(t, "{}", s.Replies[1].Calls[1].Arguments.String())
	require.Equal(t, model.Failed, s.Replies[2].Finish)
	lines, err := model.ParseScript([]byte("{\"text\":\"a\"}\n\n{\"text\":\"b\",\"delay_ms\":1}\n"))
	require.NoError(t, err)
	require.Len(t, lines.Replies, 2)
	for text, want := range map[string]string{
		"{": "line 1", `{"txt":"x"}`: `no member "txt"`, `[1]`: "answer 1",
	} {
		_, err := model.ParseScript([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

func TestScriptEnds(t *testing.T) {
	s := &model.Scripted{}
	finish, err := model.Stream(context.Background(), s, model.Request{}, func(model.Chunk) error { return nil })
	require.NoError(t, err)
	require.Equal(t, "SCRIPT_ENDED", finish.Failure.Code)
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte(`[{"text":"x","tools":[{"tool":"t","arguments":[1]}],"finish":"none"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := model.ParseScript(text)
		if err != nil {
			return
		}
		for i := range s.Replies {
			s.Replies[i].Hang, s.Replies[i].Delay = false, 0
		}
		for range s.Replies {
			var asm model.Assembler
			_, err := model.Stream(context.Background(), s, model.Request{}, func(c model.Chunk) error {
				asm.Add(c)
				_ = model.Encode(c)
				return nil
			})
			require.NoError(t, err)
			asm.Content()
		}
	})
}

// However a model writes arguments, the log can keep them.
func TestArgumentsCanBeKept(t *testing.T) {
	var parts model.Assembler
	parts.Add(model.CallDelta{ID: "c", Tool: "t", Arguments: `{"a": [-0, -0.0, 0.0, -1, "x"]}`})
	content, _ := parts.Content()
	require.JSONEq(t, `{"a": [0, 0, 0.0, -1, "x"]}`, content[0].(session.ToolCall).Arguments.String())
	require.NotContains(t, content[0].(session.ToolCall).Arguments.String(), "-0")

	block := session.ToolCall{ID: "c", Tool: "t", Arguments: value.OfObject(value.Member{Key: "k\xff", Value: value.OfList(value.OfFloat(math.Copysign(0, -1)), value.OfString("\xff"))})}
	_, err := model.Stream(context.Background(), adapter(func(_ context.Context, yield func(model.Chunk, error) bool) {
		yield(model.BlockEnd{Block: block}, nil)
	}), model.Request{}, func(c model.Chunk) error {
		require.JSONEq(t, "{\"k\uFFFD\":[0,\"\uFFFD\"]}", c.(model.BlockEnd).Block.(session.ToolCall).Arguments.String())
		return nil
	})
	require.NoError(t, err)
}
