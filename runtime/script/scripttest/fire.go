package scripttest

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

var errOutsideTest = errors.New("it is for tests; while the file declares them there are no policies yet")

// fire puts a payload of dsh's own to a point.
func (f *fileRun) fire(name string, given value.Value) (*outcome, error) {
	p := catalog.Find(name)
	switch {
	case f.test == nil:
		return nil, errOutsideTest
	case p == nil:
		return nil, fmt.Errorf("no extension point %q%s", name, luavm.Hint(name, catalog.Names()))
	}
	full, err := payload(p, given)
	if err != nil {
		return nil, err
	}
	o := &outcome{point: p, effects: session.NewEffects(effects()...)}
	var watch observer
	f.vm.Outside(func() {
		run := point.Run{Handlers: f.loaded.Registry, Observer: &watch}
		o.answer, err = p.RunValue(f.ctx, run, full, o.effects)
	})
	if isPayload(err) {
		return nil, err
	}
	o.fault, o.handled = err, watch.handled
	f.keep(o)
	return o, nil
}

// isPayload reports whether err says that the payload does not fit, which is the
// test's mistake.
func isPayload(err error) bool {
	var handler *point.HandlerError
	return errors.As(err, new(*schema.Error)) && !errors.As(err, &handler)
}

// hook puts what a client sends to the hook of that client.
func (f *fileRun) hook(name string, sent []byte) (*outcome, error) {
	if f.test == nil {
		return nil, errOutsideTest
	}
	c, err := findClient(name)
	if err != nil {
		return nil, err
	}
	explain := c.explain(claudecode.Options{Project: project, Resolve: f.world.resolve})
	in := host.Invocation{Stdin: sent, Env: host.Vars{"HOME": home, "CLAUDE_PROJECT_DIR": project}.Get, Dir: project}
	var watch observer
	var served claudecode.Served
	f.vm.Outside(func() {
		served = explain(f.ctx, host.Host{Run: point.Run{Handlers: f.loaded.Registry, Observer: &watch}, Fires: c.points()}, in)
	})
	o := &outcome{
		point: served.Point, arguments: served.Rewritten, fault: served.Fault, effects: served.Effects,
		handled: watch.handled, reply: &served.Reply,
	}
	if served.Fault == nil && served.Point != nil && served.Decision != nil && served.Point.Decision() != nil {
		o.answer, o.fault = served.Point.Decision().Encode(served.Decision)
	}
	f.keep(o)
	return o, nil
}

// keep counts what an outcome tells of rules, and has the test answer for its
// fault.
func (f *fileRun) keep(o *outcome) {
	f.count(o.handled)
	f.test.outcomes = append(f.test.outcomes, o)
}

// maxCaptured bounds a captured payload, in bytes.
const maxCaptured = 4 << 20

// captured reads a payload file beside the test.
func (f *fileRun) captured(name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q: want the path of a file at or below the folder of the test", name)
	}
	return readCapped(filepath.Join(filepath.Dir(f.path), filepath.FromSlash(name)), maxCaptured)
}
