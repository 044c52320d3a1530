package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// requests is what one request takes over from the one before.
type requests struct {
	made   bool // a header was logged in this life
	config Config
	system string
	tools  []model.Tool
	shown  []tool.Schema // that tools was made from
}

// An answer is what a model said.
type answer struct {
	text  string
	calls []session.ToolCall
	cut   bool
}

// ask makes one request, again as often as extensions want to, and logs the
// answer.
func (t *turn) ask(prompt Prompt) (answer, error) {
	if err := t.live(); err != nil {
		return answer{}, err
	}
	system, err := prompt.system()
	if err != nil {
		return answer{}, err
	}
	schemas, err := t.agent.tools.Schemas()
	if err != nil {
		return answer{}, err
	}
	for attempt := 1; ; attempt++ {
		r, err := t.build(system, schemas, attempt)
		if err != nil {
			return answer{}, err
		}
		out, failure, err := t.stream(r)
		if failure == nil || err != nil {
			return out, err
		}
		again, err := t.recover(*failure, attempt)
		if err == nil && !again {
			err = &model.Error{Failure: *failure}
		}
		if err != nil {
			return answer{}, err
		}
	}
}

// build asks extensions for the config of a request, and logs what is sent with
// it if that is news.
func (t *turn) build(system string, schemas []tool.Schema, attempt int) (model.Request, error) {
	a := t.agent
	before := a.request.config
	if !a.request.made {
		before = a.options.Config
	}
	config, err := t.configure(before, attempt)
	if err != nil {
		return model.Request{}, err
	}
	if config.Model == "" {
		return model.Request{}, fmt.Errorf("nobody says which model to ask: name one in the options of agent %q, or at agent/request", a.ref.ID)
	}
	if err := t.logHeader(config, system, schemas); err != nil {
		return model.Request{}, err
	}
	if a.options.FlushBeforeEffects {
		if err := a.log.Flush(); err != nil {
			return model.Request{}, err
		}
	}
	return model.Request{
		Model: config.Model, MaxTokens: config.MaxTokens, Options: config.Options, System: system, Tools: a.request.tools,
		Messages: a.log.History(), Session: a.ref.ID, Turn: t.number, Step: t.step, Attempt: attempt,
	}, t.live()
}

// configure asks extensions for the config of a request.
func (t *turn) configure(c Config, attempt int) (Config, error) {
	a := t.agent
	if !OnRequest.Asks(a.host.Run, point.Subject{}) {
		return c, t.live()
	}
	payload := Request{Session: t.ref, Turn: t.number, Step: t.step, Attempt: attempt, Config: c}
	out := host.Fire(t.ctx, a.host, OnRequest, payload, func(error) RequestDecision { return Send{} })
	if err := t.live(); err != nil {
		return c, err
	}
	return out.Decision.(Send).Config, out.Fault
}

// logHeader logs what is sent beside the conversation when it changes, and once
// in every life of the session.
func (t *turn) logHeader(config Config, system string, schemas []tool.Schema) error {
	a := t.agent
	q := &a.request
	if q.made && config == q.config && system == q.system && slices.Equal(schemas, q.shown) {
		return nil
	}
	tools, err := toolsOf(schemas, a.options.ToolOrder)
	if err != nil {
		return err
	}
	q.config, q.system, q.shown, q.tools = config, system, schemas, tools
	header := encodeHeader(config, system, q.tools)
	logged, _ := a.log.Request()
	reason := "change"
	switch {
	case logged.IsAbsent():
		reason = "initial"
	case !q.made:
		reason = "resume"
	case header.Equal(logged):
		return nil
	}
	if _, err := a.log.Append(t.ctx, session.HeaderChanged(t.number, header, reason)); err != nil {
		return err
	}
	q.made = true
	return t.logContext(config.Model)
}

// logContext logs which model answers, if that is news.
func (t *turn) logContext(name string) error {
	window := 0
	if d, ok := t.agent.options.Model.(model.Describer); ok {
		info, err := d.Describe(t.ctx, name)
		if err != nil {
			return err
		}
		window = info.Window
	}
	_, last := t.agent.log.Request()
	known, _ := last.Get("window").Int()
	if last.Get("model").String() == name && int(known) == window {
		return nil
	}
	_, err := t.agent.log.Append(t.ctx, session.ContextChanged(t.number, name, window))
	return err
}

// rest is the place of the tools that an order does not name.
const rest = "*"

// toolsOf brings the tools into order: that of registration must never show.
func toolsOf(schemas []tool.Schema, order []string) ([]model.Tool, error) {
	if order == nil {
		order = []string{rest}
	}
	place := func(t model.Tool) int {
		if i := slices.Index(order, t.Name); i >= 0 && t.Name != rest {
			return i
		}
		return slices.Index(order, rest)
	}
	out := make([]model.Tool, len(schemas))
	for i, s := range schemas {
		out[i] = model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters}
	}
	slices.SortFunc(out, func(a, b model.Tool) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
	})
	for _, name := range order {
		if name != rest && !slices.ContainsFunc(out, func(t model.Tool) bool { return t.Name == name }) {
			return nil, fmt.Errorf("the order of tools names %q, which is not there", name)
		}
	}
	return out, nil
}

func encodeHeader(c Config, system string, tools []model.Tool) value.Value {
	config := value.OfObject(value.Member{Key: "model", Value: value.OfString(c.Model)}, value.Member{Key: "options", Value: c.Options})
	if c.MaxTokens > 0 {
		config = config.With("max_tokens", value.OfInt(int64(c.MaxTokens)))
	}
	header := value.OfObject(value.Member{Key: "config", Value: config})
	if system != "" {
		header = header.With("system", value.OfString(system))
	}
	if len(tools) == 0 {
		return header
	}
	items := make([]value.Value, len(tools))
	for i, t := range tools {
		items[i] = value.OfObject(value.Member{Key: "name", Value: value.OfString(t.Name)},
			value.Member{Key: "description", Value: value.OfString(t.Description)}, value.Member{Key: "parameters", Value: t.Parameters})
	}
	return header.With("tools", value.OfList(items...))
}

// stream sends r and logs what arrives. A failure is for extensions to judge; an
// error is not.
func (t *turn) stream(r model.Request) (answer, *session.Failure, error) {
	a := t.agent
	s := &stream{turn: t}
	finish, err := s.run(a.options.Model, r)
	switch {
	case t.ctx.Err() != nil:
		return answer{}, nil, errors.Join(errStopped, s.keepPrefix(r))
	case err != nil:
		return answer{}, nil, err
	case finish.Failure != nil:
		return answer{}, finish.Failure, nil
	}
	content, replay := s.parts.Content()
	m := session.Message{ID: a.newID(), Role: session.RoleAssistant, Content: content, Source: session.Model{Name: r.Model, Replay: replay}}
	if _, err := a.log.Append(t.ctx, session.Answered(t.number, t.step, m, s.usage(), false, s.sources)); err != nil {
		return answer{}, nil, err
	}
	out := answer{text: m.Text(), cut: finish.Reason == model.MaxTokens}
	for _, p := range content {
		if call, ok := p.(session.ToolCall); ok {
			out.calls = append(out.calls, call)
		}
	}
	return out, nil, nil
}

// A stream is one answer as it arrives.
type stream struct {
	turn    *turn
	parts   model.Assembler
	sources []int64
}

var errStalled = errors.New("the model stopped answering")

// run streams the answer. A model that stalls has failed.
func (s *stream) run(m model.Model, r model.Request) (model.Finish, error) {
	ctx, limit := s.turn.ctx, s.turn.agent.options.StallTimeout
	var timer *time.Timer
	if limit > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		timer = time.AfterFunc(limit, func() { cancel(errStalled) })
		defer timer.Stop()
	}
	var last model.Finish
	finish, err := model.Stream(ctx, m, r, func(c model.Chunk) error {
		if timer != nil {
			timer.Reset(limit)
		}
		if f, ok := c.(model.Finish); ok {
			last = stalled(ctx, f)
			c = last
		}
		return s.take(c)
	})
	if last.Reason != "" {
		finish = last
	}
	return finish, err
}

// stalled says of an answer that was cancelled because it stalled that it timed
// out.
func stalled(ctx context.Context, f model.Finish) model.Finish {
	if f.Failure == nil || !errors.Is(context.Cause(ctx), errStalled) {
		return f
	}
	return model.Finish{Reason: model.Failed, Failure: &session.Failure{Message: errStalled.Error(), Code: model.CodeTimeout}}
}

// take logs a chunk. What arrives after the turn was cancelled is not part of the
// answer any more.
func (s *stream) take(c model.Chunk) error {
	if err := s.turn.live(); err != nil {
		return err
	}
	e, err := s.turn.agent.log.Append(s.turn.ctx, session.Chunk(s.turn.number, s.turn.step, model.Encode(c)))
	if err != nil {
		return err
	}
	s.sources = append(s.sources, e.Seq)
	s.parts.Add(c)
	return nil
}

func (s *stream) usage() value.Value {
	if u, ok := s.parts.Usage(); ok {
		return u.Encode()
	}
	return value.Value{}
}

// keepPrefix logs what the human could see of an answer that was cancelled.
func (s *stream) keepPrefix(r model.Request) error {
	parts := s.parts.Interrupted()
	if len(parts) == 0 {
		return nil
	}
	t := s.turn
	m := session.Message{ID: t.agent.newID(), Role: session.RoleAssistant, Content: parts, Source: session.Model{Name: r.Model}}
	_, err := t.agent.log.Append(t.ctx, session.Answered(t.number, t.step, m, s.usage(), true, s.sources))
	return err
}

// recover asks what to do about a failed request, and waits as long as the
// answer says.
func (t *turn) recover(f session.Failure, attempt int) (again bool, err error) {
	a := t.agent
	payload := RequestFailure{Session: t.ref, Turn: t.number, Step: t.step, Failure: ModelFailure{
		Message: f.Message, Code: f.Code, Status: f.Status, RetryAfter: f.RetryAfterMS, Attempt: attempt,
	}}
	out := host.Fire(t.ctx, a.host, OnRequestError, payload, func(error) RequestErrorDecision { return Fail{} })
	if err := t.live(); err != nil {
		return false, err
	}
	if out.Fault != nil {
		return false, out.Fault
	}
	retry, ok := out.Decision.(Retry)
	if !ok {
		return false, nil
	}
	if retry.After > 0 {
		timer := time.NewTimer(time.Duration(retry.After) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.ctx.Done():
			return false, errStopped
		}
	}
	return true, nil
}
