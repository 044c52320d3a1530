package spec_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	bridge "github.com/dsh-lua/dsh/bridges/codex"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// config loads the configuration of the case.
func (p *codexPlay) config(home, project string, read func(string) ([]byte, error)) (hookproto.Config, error) {
	files, _, err := codex.Discover(codex.Places{Home: home, Root: project, Dir: project, Read: read})
	o := codex.Options{TrustAll: true, ProjectRoot: project}
	return codex.Load(files, o).Runnable(o), err
}

// hooksEveryCall reports whether a hook would run before every call.
func (p *codexPlay) hooksEveryCall() bool {
	config, err := p.config("codex", "project", func(path string) ([]byte, error) {
		if text, ok := p.session.files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	return err == nil && slices.ContainsFunc(config.Handlers, func(h hookproto.Handler) bool {
		return h.Event == "PreToolUse" && h.Matcher == nil && strings.HasPrefix(h.Command, "$HOOK")
	})
}

// bridge installs the hooks of the case.
func (p *codexPlay) bridge(w *hookWorld) (point.Extension, []point.Grant, error) {
	config, err := p.config(filepath.Join(w.dir, "codex"), w.project, os.ReadFile)
	if err != nil {
		return nil, nil, err
	}
	return bridge.NewBridge(bridge.BridgeOptions{
		Config: config, Environ: w.environ(), Home: w.home, Folder: filepath.Join(w.dir, "tmp"), Preapprove: true, Warn: w.warn,
		Observe: p.observe, Fires: hookPoints(), MCP: codexServerHook,
	}), []point.Grant{tool.Preapprove}, nil
}

// codexServerHook is a tool of the one server of the recordings that is a hook.
func codexServerHook(_ context.Context, server, name string, input value.Value) (string, error) {
	switch {
	case server != "rig":
		return "", fmt.Errorf("there is no server %q", server)
	case name != "policy":
		return name + ":" + input.String(), nil
	}
	return `{"decision": "block", "reason": "MCPSAYS"}`, nil
}

func (p *codexPlay) observe(event string, done []hookproto.Completed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range done {
		p.statuses = append(p.statuses, codexStatus{event, string(c.Output.Status)})
	}
}

// text is the prompt of an op.
func (o codexOp) text() string {
	if m := codexElided.FindStringSubmatch(o.Text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return strings.Repeat("X", n)
	}
	if o.Text == "" {
		return "hello"
	}
	return o.Text
}

// run plays the case and returns what differs.
func (p *codexPlay) run() error {
	var v codexVerdict
	err := playHooks(p.session, func(w *hookWorld) error {
		v.world = w
		for _, op := range p.ops {
			if err := v.do(op); err != nil {
				return err
			}
		}
		if err := w.end("other"); err != nil {
			return err
		}
		return v.judge(p)
	})
	if err != nil {
		return err
	}
	if len(v.differs) > 0 {
		return fmt.Errorf("%s", strings.Join(v.differs, "\n"))
	}
	return nil
}

// do does what the client's user did.
func (v *codexVerdict) do(op codexOp) error {
	w := v.world
	switch op.Op {
	case "turn":
		if op.Nowait {
			return w.say(op.text())
		}
		end, err := w.prompt(op.text())
		v.turns = append(v.turns, end)
		return err
	case "compact":
		stopped, err := w.compact("manual")
		v.compacted = append(v.compacted, stopped)
		return err
	case "interrupt":
		if err := w.until("a tool", func() bool { return w.bodies() > 0 }); err != nil {
			return err
		}
		w.agent.Cancel(session.Cause{Kind: session.CauseUser}, true)
		end, err := w.idle()
		v.turns = append(v.turns, end)
		return err
	case "rpc":
		if err := w.until("a tool", func() bool { return w.bodies() > 0 }); err != nil {
			return err
		}
		return w.steer("steered")
	case "sleep":
		if w.agent.Status() == "running" {
			return nil // what follows waits for what it needs
		}
		return w.settled()
	}
	return fmt.Errorf("nothing does %q", op.Op)
}
