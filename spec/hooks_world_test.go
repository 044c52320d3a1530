package spec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A hookSession says what one recorded session of a client is made of.
type hookSession struct {
	// replies is what the scripted hooks do, by ID; see testdata/recorder.
	replies map[string]json.RawMessage
	// files are written before the session starts, by paths below the world's
	// folder: "project/a", "home/b". The variables of expand stand in them.
	files map[string]string
	// answers are the model's. After them it says that it is done.
	answers []model.Reply
	// children are the answers of subagents, by a text of their task.
	children map[string][]model.Reply
	// tools are what the model can call.
	tools func(w *hookWorld) []tool.Definition
	// bridge makes the extension that is tested. It is called once the files are
	// there, with the grants that the client's own hooks have.
	bridge func(w *hookWorld) (point.Extension, []point.Grant, error)
	// asks reports whether the client's own permission flow asks for a call.
	asks func(tool.Call) bool
	// grants is what the human answers to a question.
	grants func(tool.Call) bool
	// noApprover tells that there is nobody to ask.
	noApprover bool

	client, mode, model, source string
	// maxStops is as in the options of an agent.
	maxStops int
	// below is the working directory, below the project.
	below string
	// keepsNoLog leaves the session without a transcript.
	keepsNoLog bool
}

// A hookWorld is one recorded situation played through our loop: a project, a
// scripted model, tools, a human, and scripted hooks.
type hookWorld struct {
	hookSession
	dir, project, home, hooks string

	agent *agent.Agent
	log   *session.Log

	mu       sync.Mutex
	requests []hookRequest
	told     []string
	warned   []string
	asked    []string // the calls that the human was asked about
	ran      []string // the calls whose body ran
	runs     map[string]*subagent.Run
	spawned  int
}

// A hookRequest is what one request showed the model that it did not know.
type hookRequest struct {
	Session string
	Task    string // the text of children that stands in a subagent's task
	New     []session.Message
	all     int
}

// hookPatience bounds the wait for a turn.
const hookPatience = 60 * time.Second

// A recorderProgram is the program that stands for hooks. It is built when it is
// first needed, without the race detector.
type recorderProgram struct {
	once sync.Once
	path string
	err  error
}

var hookRecorder recorderProgram

func (p *recorderProgram) build() (string, error) {
	p.once.Do(func() {
		dir, err := os.MkdirTemp("", "recorder")
		if err != nil {
			p.err = err
			return
		}
		p.path = filepath.Join(dir, "recorder")
		build := exec.Command("go", "build", "-o", p.path, "./testdata/recorder")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			p.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	return p.path, p.err
}

// remove removes what was built.
func (p *recorderProgram) remove() {
	p.once.Do(func() {})
	if p.path != "" {
		_ = os.RemoveAll(filepath.Dir(p.path))
	}
}

// playHooks makes the world of a session, lets do use it, and takes it away.
func playHooks(s hookSession, do func(w *hookWorld) error) error {
	w, err := newHookWorld(s)
	if err != nil {
		return err
	}
	defer os.RemoveAll(w.dir)
	if err := w.start(); err != nil {
		return err
	}
	return errors.Join(do(w), w.end(""))
}

func newHookWorld(s hookSession) (*hookWorld, error) {
	recorder, err := hookRecorder.build()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		return nil, err
	}
	w := &hookWorld{hookSession: s, dir: dir, runs: map[string]*subagent.Run{}}
	w.project, w.home, w.hooks = filepath.Join(dir, "project"), filepath.Join(dir, "home"), filepath.Join(dir, "hooks")
	for _, d := range []string{w.project, w.home, w.hooks, filepath.Join(dir, "tmp")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(recorder, filepath.Join(w.hooks, "hook")); err != nil {
		return nil, err
	}
	replies, err := json.Marshal(s.replies)
	if err != nil {
		return nil, err
	}
	if err := w.write("hooks/replies.json", w.expand(string(replies))); err != nil {
		return nil, err
	}
	for name, text := range s.files {
		if err := w.write(name, w.expand(text)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// write writes a file below the world's folder. A shell script can be run.
func (w *hookWorld) write(name, text string) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if strings.HasPrefix(text, "#!") {
		mode = 0o700
	}
	return os.WriteFile(path, []byte(text), mode)
}

// expand replaces the variables of the recordings.
func (w *hookWorld) expand(text string) string {
	return strings.NewReplacer(
		"$PROJECT", w.project, "$PROJ", w.project, "$HOOK", filepath.Join(w.hooks, "hook"), "$HOME/", w.home+"/",
		"$CASE", w.hooks, "$RIG", w.dir, "$RUN", w.dir, "<hook>", filepath.Join(w.hooks, "hook")+" hook",
	).Replace(text)
}

// environ is the environment that hooks inherit.
func (w *hookWorld) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + filepath.Join(w.dir, "tmp"), "LANG=C.UTF-8"}
}

// start makes the agent and waits until its session has begun.
func (w *hookWorld) start() error {
	id := "s-" + filepath.Base(w.dir)
	cwd := filepath.Join(w.project, w.below)
	h := session.Header{ID: id, Cwd: cwd, Project: w.project}
	log, err := session.NewLog(h, session.LogOptions{Warn: w.warn})
	if !w.keepsNoLog {
		log, err = session.CreateLog(filepath.Join(w.dir, "session.jsonl"), h, session.LogOptions{Warn: w.warn})
	}
	if err != nil {
		return err
	}
	w.log = log
	tools := new(tool.Registry)
	for _, d := range w.tools(w) {
		if _, err := tools.Register(w.watched(d)); err != nil {
			return err
		}
	}
	extension, grants, err := w.bridge(w)
	if err != nil {
		return err
	}
	pipeline := &tool.Runtime{Warn: w.warn, Approvals: &tool.Approvals{Approver: tool.ApproverFunc(w.approve)}}
	if w.noApprover {
		pipeline.Approvals = nil
	}
	a, err := agent.New(context.Background(), agent.Options{
		Session: session.Ref{
			ID: id, Cwd: cwd, Project: w.project, Mode: w.mode, Transcript: log.Path(), Model: w.model, Client: w.client,
		},
		Log: log, Model: w.script(id, "", w.answers), Config: agent.Config{Model: w.model}, Tools: tools, Source: w.source,
		Pipeline: pipeline,
		MaxStops: w.maxStops, Tell: w.tell, Warn: w.warn,
		Setup: func(a *agent.Agent) error {
			w.agent = a
			if _, err := a.Handlers().Install(permissions{w}); err != nil {
				return err
			}
			_, err := a.Handlers().Install(extension, grants...)
			return err
		},
	})
	if err != nil {
		return err
	}
	if err := a.WhenStarted(context.Background()); err != nil {
		return err
	}
	_, err = w.idle() // what a hook said in the user's place comes before the user
	return err
}

func (w *hookWorld) warn(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warned = append(w.warned, text)
}

func (w *hookWorld) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, text)
}

// spareAnswers are more than any recording needs.
const spareAnswers = 64

// script makes a model that gives the answers, and then says that it is done. It
// keeps what each request shows it that the one before did not.
func (w *hookWorld) script(id, task string, answers []model.Reply) *model.Scripted {
	m := &model.Scripted{Replies: append([]model.Reply(nil), answers...)}
	for range spareAnswers {
		m.Replies = append(m.Replies, model.Reply{Text: "DONE(default)"})
	}
	m.Before = func(_ context.Context, _ int, r model.Request) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		known := 0
		for _, q := range w.requests {
			if q.Session == id {
				known = q.all
			}
		}
		w.requests = append(w.requests, hookRequest{id, task, session.CloneMessages(r.Messages[min(known, len(r.Messages)):]), len(r.Messages)})
		return nil
	}
	return m
}

// watched keeps that the body of a tool ran.
func (w *hookWorld) watched(d tool.Definition) tool.Definition {
	body := d.Execute
	d.Execute = func(ctx context.Context, run *tool.Running) (any, error) {
		w.mu.Lock()
		w.ran = append(w.ran, run.Call().ID)
		w.mu.Unlock()
		return body(ctx, run)
	}
	return d
}

// approve is the human.
func (w *hookWorld) approve(_ context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, a.Call.ID)
	if w.grants != nil && w.grants(a.Call) {
		return tool.Grant{}, nil
	}
	return tool.Refuse{Reason: "rejected by user; " + a.Reason}, nil
}

// permissions is the client's own permission flow. It asks for what it would ask
// for, unless somebody in front of it denied the call or spared the question.
type permissions struct{ world *hookWorld }

func (permissions) Name() string { return "permissions" }

func (p permissions) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		d, err := next(ctx)
		if err != nil {
			return nil, err
		}
		if allow, ok := d.(tool.Allow); ok && !allow.Preapproved && p.world.asks != nil && p.world.asks(c) {
			return tool.Ask{Reason: "the client's rules ask for this", Contexts: allow.Contexts}, nil
		}
		return d, nil
	})
	return nil
}
