package point_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// Question is the payload of the points of these tests.
type Question struct {
	Tool   string `json:"tool,omitempty"`
	Action string `json:"action,omitempty"`
	Text   string `json:"text"`
	Live   any    `json:"-"`
}

func (q Question) subject() point.Subject {
	return point.Subject{Tool: q.Tool, Action: q.Action, Name: q.Text}
}

// Answer has a refusal, a weak and a privileged yes, and texts that are kept
// when answers are joined.
type Answer interface{ isAnswer() }

// No refuses.
type No struct {
	Why  string `json:"why,omitempty"`
	Adds []Add  `json:"adds,omitempty"`
}

// Maybe is between.
type Maybe struct{}

// Yes agrees.
type Yes struct {
	Sure bool  `json:"sure,omitempty"`
	Adds []Add `json:"adds,omitempty"`
}

// Add is a text with its author.
type Add struct {
	Text string `json:"text" dsh:"short"`
	By   string `json:"by,omitempty"`
}

func (No) isAnswer()    {}
func (Maybe) isAnswer() {}
func (Yes) isAnswer()   {}

// Validate refuses an empty reason.
func (n No) Validate() error {
	if n.Why == "" {
		return errors.New("no needs a why")
	}
	return nil
}

const sure point.Grant = "sure"

// Needs names the grant to be sure.
func (y Yes) Needs() point.Grant {
	if y.Sure {
		return sure
	}
	return ""
}

// Attribute fills in who adds a text.
func (y Yes) Attribute(name string) Answer {
	nobody := func(a Add) bool { return a.By == "" }
	if !slices.ContainsFunc(y.Adds, nobody) {
		return nil
	}
	y.Adds = slices.Clone(y.Adds)
	for i := range y.Adds {
		if nobody(y.Adds[i]) {
			y.Adds[i].By = name
		}
	}
	return y
}

// Foreign has the marker, but is not listed as a variant.
type Foreign struct{ Maybe }

var decls = &schema.Decls{
	Doc: func(key string) string { return key + " is documented." },
	Variants: func(name string) []any {
		if name == "point_test.Answer" {
			return []any{No{}, Maybe{}, Yes{}}
		}
		return nil
	},
}

var allFilters = []point.FilterField{point.FilterTool, point.FilterAction, point.FilterMatch}

func refuses(a Answer) bool { _, no := a.(No); return no }

// strictest is the join of the tests: no, maybe, yes; sure stays if both agree.
func strictest(_ Question, own, rest Answer) (Answer, error) {
	if (own == Answer(Maybe{})) != (rest == Answer(Maybe{})) && !refuses(rest) {
		return Maybe{}, nil
	}
	a, mine := own.(Yes)
	b, theirs := rest.(Yes)
	if mine && theirs {
		return Yes{Sure: a.Sure || b.Sure, Adds: append(append([]Add(nil), a.Adds...), b.Adds...)}, nil
	}
	return rest, nil
}

var (
	ask = point.NewWaterfall("test/ask", decls, point.Spec[Question, Answer]{
		Default: func(q Question) Answer { return Yes{} },
		Join:    &point.Join[Question, Answer]{Refuses: refuses, Merge: strictest},
		Filters: allFilters, Subject: Question.subject,
	})
	retry = point.NewWaterfall("test/retry", decls, point.Spec[Question, Answer]{
		Default: func(q Question) Answer { return Maybe{} }, MaxNext: 8, Forgiving: true,
	})
	guard = point.NewGuard("test/guard", decls, point.GuardSpec[Question, Answer]{
		Abstain: Maybe{}, Refuses: refuses, Filters: allFilters, Subject: Question.subject,
	})
	tell = point.NewNotification("test/tell", decls, point.NotificationSpec[Question]{
		Filters: allFilters, Subject: Question.subject,
	})
	stop = point.NewNotification("test/stop", decls, point.NotificationSpec[Question]{StopOnError: true})
)

// extension makes functions an [point.Extension].
type extension struct {
	name    string
	install func(in *point.Installer) error
}

func (e extension) Name() string { return e.name }

func (e extension) Install(in *point.Installer) error { return e.install(in) }

// install installs an extension that cannot fail, and returns what removes it.
func install(t testing.TB, r *point.Registry, name string, attach func(in *point.Installer), grants ...point.Grant) func() {
	t.Helper()
	remove, err := r.Install(extension{name, func(in *point.Installer) error { attach(in); return nil }}, grants...)
	require.NoError(t, err)
	return remove
}

type (
	handler = point.Handler[Question, Answer]
	next    = point.Next[Answer]
)

// on attaches one waterfall handler.
func on(t testing.TB, r *point.Registry, name string, h handler, grants ...point.Grant) func() {
	t.Helper()
	return install(t, r, name, func(in *point.Installer) { ask.Handle(in, h) }, grants...)
}

// run asks the waterfall.
func run(r *point.Registry) (Answer, error) {
	return ask.Run(context.Background(), point.Run{Handlers: r}, Question{Text: "?"})
}

func answers(a Answer) handler {
	return func(context.Context, Question, next) (Answer, error) { return a, nil }
}

func delegates(ctx context.Context, _ Question, next next) (Answer, error) { return next(ctx) }

// notes returns a handler that writes its name on the way in and out.
func notes(log *[]string, name string) handler {
	return func(ctx context.Context, _ Question, next next) (Answer, error) {
		*log = append(*log, name)
		d, err := next(ctx)
		*log = append(*log, "/"+name)
		return d, err
	}
}

func handlerError(t *testing.T, err error) *point.HandlerError {
	t.Helper()
	var h *point.HandlerError
	require.ErrorAs(t, err, &h)
	return h
}

func TestDescription(t *testing.T) {
	for _, test := range []struct {
		point   point.Point
		kind    string
		maxNext int
		joined  bool
		tags    []string
	}{
		{ask, "waterfall", 1, true, []string{"no", "maybe", "yes"}},
		{retry, "waterfall", 8, false, []string{"no", "maybe", "yes"}},
		{guard, "guard", 0, false, []string{"no", "maybe", "yes"}},
		{tell, "notification", 0, false, nil},
	} {
		require.Equal(t, test.kind, test.point.Kind().String())
		require.Equal(t, test.maxNext, test.point.MaxNext())
		require.Equal(t, test.joined, test.point.Joined())
		require.Equal(t, test.tags, test.point.Tags())
		require.Equal(t, test.point.Name()+" is documented.", test.point.Doc())
		require.Equal(t, "point_test.Question", test.point.Payload().Name())
		require.Equal(t, test.tags == nil, test.point.Decision() == nil)
	}
	require.Equal(t, allFilters, ask.Filters())
}
