package scripttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// patience is how long one message may keep the loop busy.
const patience = 30 * time.Second

// A play is a session of the agent loop under test.
type play struct {
	run   *fileRun
	agent *agent.Agent
	seen  int64 // entries of the log that earlier turns reported
	calls chan bodyCall
}

// A bodyCall asks the goroutine of the test, which alone may run its Lua, to run
// the body of a tool.
type bodyCall struct {
	body      lua.LValue
	arguments value.Value
	done      chan bodyResult
}

type bodyResult struct {
	value any
	err   error
}

func turnClass() stdlib.Class {
	return stdlib.Class{Name: "dsh.test.Turn", Doc: "What came of one message.", Fields: []field{
		{Name: "calls", Type: "dsh.test.Outcome[]", Doc: "for each call of the model what the policies decided about it: a guard's refusal, else the answer at tools/pre-execute"},
		{Name: "results", Type: "string[]", Doc: "what the model was shown of each"},
		{Name: "outcomes", Type: "dsh.test.Outcome[]", Doc: "of everything that the policies were asked, in order"},
		{Name: "requests", Type: "integer", Doc: "how many answers of the model there were"},
		{Name: "text", Type: "string", Doc: "what the model said last"},
		{Name: "ended", Type: "string", Doc: "how the turn ended, as the log has it, and why"},
		{Name: "messages", Type: "string[]", Doc: "that entered the conversation, those of policies included"},
		{Name: "told", Type: "string[]", Doc: "what the human was told"},
	}}
}

func sessionClass(f *fileRun) stdlib.Class {
	return stdlib.Class{Name: "dsh.test.Session", Doc: "A session of the agent loop, with a scripted model.", Methods: []stdlib.Function{
		{Name: "say", Doc: "Says something to the agent, waits until it is idle again, and returns what came of it.", Params: []field{{Name: "text", Type: "string"}}, Returns: []field{{Type: "dsh.test.Turn"}}, Call: f.say},
	}}
}

func playing(f *fileRun) []stdlib.Function {
	return []stdlib.Function{{
		Name: "session",
		Doc: "Begins a session of the agent loop. answers are those of the model, one for each request: { text = …, tools = { { tool = NAME, arguments = {…} } } }, as for dsh run --script. " +
			"tools are those that it has, by name: a text is what a tool returns, a function is called with the arguments. A tool named like one of Claude Code has the action of that.",
		Params: []field{{Name: "script", Type: "{ answers: table[], tools?: table<string, string|function> }"}}, Returns: []field{{Type: "dsh.test.Session"}},
		Call: f.begin,
	}}
}

// begin implements test.session.
func (f *fileRun) begin(c *stdlib.Call) error {
	if f.test == nil {
		return errOutsideTest
	}
	root := f.vm.Reader("script").Root(c.Arg(1))
	if err := knownKeys(root, "answers", "tools"); err != nil {
		return err
	}
	answers, _ := root.Get("answers")
	list, err := answers.Value()
	if err != nil {
		return err
	}
	if list.Kind() == value.Object && list.Len() == 0 {
		list = value.OfList()
	}
	scripted, err := model.ParseScript(list.AppendJSON(nil))
	if err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	p := &play{run: f, calls: make(chan bodyCall)}
	tools, err := p.tools(root)
	if err != nil {
		return err
	}
	if err := p.start(scripted, tools); err != nil {
		return err
	}
	return c.Return(f.env.Object(sessionClass(f), p, nil))
}

func knownKeys(n *luavm.Node, known ...string) error {
	keys, err := n.Keys()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: has no %q%s", n.Path(), key, luavm.Hint(key, known))
		}
	}
	return nil
}

// tools registers the tools that the script names.
func (p *play) tools(root *luavm.Node) (*tool.Registry, error) {
	tools := new(tool.Registry)
	list, ok := root.Get("tools")
	if !ok {
		return tools, nil
	}
	names, err := list.Keys()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		body, _ := list.Get(name)
		if body.Kind() != luavm.KindString && body.LValue().Type() != lua.LTFunction {
			return nil, fmt.Errorf("%s: want a text or a function", body.Path())
		}
		if _, err := tools.Register(p.definition(name, body.LValue())); err != nil {
			return nil, err
		}
	}
	return tools, nil
}

func (p *play) definition(name string, body lua.LValue) tool.Definition {
	w := p.run.world
	return tool.Definition{
		Name: name, Description: name, Output: tool.Output{Schema: value.OfObject()},
		Action: func(arguments value.Value) tool.Action {
			a, _ := claudecode.Action(name, arguments, claudecode.Place{Cwd: project, Home: home, Resolve: w.resolve})
			return a
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			if text, ok := body.(lua.LString); ok {
				return string(text), nil
			}
			call := bodyCall{body, run.Arguments(), make(chan bodyResult, 1)}
			select {
			case p.calls <- call:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			r := <-call.done
			return r.value, r.err
		},
	}
}

func (p *play) start(scripted *model.Scripted, tools *tool.Registry) error {
	f := p.run
	who := ref()
	who.Client = "dsh"
	log, err := session.NewLog(session.Header{ID: who.ID, Cwd: project}, session.LogOptions{Now: f.world.time})
	if err != nil {
		return err
	}
	f.witness.start()
	p.agent, err = agent.New(f.ctx, agent.Options{
		Session: who, Log: log, Model: scripted, Config: agent.Config{Model: who.Model},
		Handlers: f.loaded.Registry, Observer: f.witness, Tools: tools, MaxParallel: 1,
		Tell: f.witness.tell,
	})
	if err != nil {
		return err
	}
	f.test.cleanup = append(f.test.cleanup, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), patience)
		defer cancel()
		_ = p.agent.Close(ctx, "exit")
		f.witness.stop()
	})
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	f.vm.Outside(func() { err = p.agent.WhenStarted(ctx) })
	return err
}

var errBusy = errors.New("the session is not idle after 30 seconds")

// say implements session:say.
func (f *fileRun) say(c *stdlib.Call) error {
	p, ok := c.Self.(*play)
	if !ok || f.test == nil {
		return errOutsideTest
	}
	ctx, cancel := context.WithTimeoutCause(f.ctx, patience, errBusy)
	defer cancel()
	if err := p.agent.Followup(ctx, agent.Said(c.Str(1))); err != nil {
		return err
	}
	idle := make(chan error, 1)
	go func() { idle <- p.agent.WhenIdle(ctx) }()
	for {
		var err error
		var call *bodyCall
		f.vm.Outside(func() {
			select {
			case err = <-idle:
			case b := <-p.calls:
				call = &b
			}
		})
		if call == nil {
			if err != nil {
				return err
			}
			return p.report(c)
		}
		call.done <- f.body(*call)
	}
}

// body runs the body of a tool.
func (f *fileRun) body(call bodyCall) bodyResult {
	rets, err := f.vm.Call(call.body, f.vm.Freeze(call.arguments, nil, nil))
	if err != nil || len(rets) == 0 {
		return bodyResult{value.NullValue(), err}
	}
	v, err := f.vm.ToValue("result", rets[0])
	return bodyResult{v, err}
}

// A turn is what the log says of one message.
type turn struct {
	texts, results, messages []string
	ended                    string
}

// add takes over one entry of the log.
func (t *turn) add(e session.Entry) error {
	if e.Type == session.EventTurnEnd {
		end := e.End()
		t.ended = string(end.Kind)
		if end.Reason != "" {
			t.ended += ": " + end.Reason
		} else if end.Cause != nil && end.Cause.Reason != "" {
			t.ended += ": " + end.Cause.Reason
		}
		return nil
	}
	into := map[session.EventType]*[]string{
		session.EventAssistant: &t.texts, session.EventUser: &t.messages, session.EventResult: &t.results,
	}[e.Type]
	if into == nil {
		return nil
	}
	m, err := e.Message()
	*into = append(*into, shownText(m))
	return err
}

// shownText is the text of a message; of one with results that of the results.
func shownText(m session.Message) string {
	for _, p := range m.Content {
		if r, ok := p.(session.ToolResult); ok {
			return session.Message{Content: r.Content}.Text()
		}
	}
	return m.Text()
}

// report makes the turn of what the log and the policies say since the last one.
func (p *play) report(c *stdlib.Call) error {
	f := p.run
	var t turn
	for e, err := range p.agent.Log().Entries() {
		if err != nil {
			return err
		}
		if e.Seq < p.seen {
			continue
		}
		p.seen = e.Seq + 1
		if err := t.add(e); err != nil {
			return err
		}
	}
	outcomes := f.witness.take()
	for _, o := range outcomes {
		f.keep(o)
	}
	last := ""
	if len(t.texts) > 0 {
		last = t.texts[len(t.texts)-1]
	}
	return c.Return(c.Table(map[string]lua.LValue{
		"calls": f.outcomes(decisions(outcomes)), "outcomes": f.outcomes(outcomes),
		"results": c.Texts(t.results), "messages": c.Texts(t.messages), "told": c.Texts(f.witness.takeTold()),
		"text": lua.LString(last), "ended": lua.LString(t.ended), "requests": lua.LNumber(len(t.texts)),
	}))
}

func (f *fileRun) outcomes(list []*outcome) *lua.LTable {
	t := f.vm.Table(len(list), 0)
	for i, o := range list {
		t.RawSetInt(i+1, f.vm.Freeze(o.value(), outcomeShape{}, o))
	}
	return t
}

// decisions returns what was decided about each call, in the order in which the
// model made them.
func decisions(all []*outcome) []*outcome {
	var list []*outcome
	at := map[string]int{}
	for _, o := range all {
		name, id := o.point.Name(), o.call
		switch i, known := at[id]; {
		case name == tool.PreExecute.Name():
			at[id] = len(list)
			list = append(list, o)
		case name == tool.OnGuard.Name() && known && (o.fault != nil || o.kind() != "abstain"):
			list[i] = o
		}
	}
	return list
}
