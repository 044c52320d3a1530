package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

type command interface {
	host.Dialect
	Explain(ctx context.Context, h host.Host, in host.Invocation) claudecode.Served
	Fail(in host.Invocation, fault error) host.Reply
	Unsaid(in host.Invocation) int
}

func both(o claudecode.Options) []command {
	if o.Resolve == nil {
		o.Resolve = func(path string) (string, bool) { return path, true }
	}
	return []command{claudecode.New(o), codex.New(o)}
}

type policy func(in *point.Installer)

func (policy) Name() string { return "guardian" }

func (p policy) Install(in *point.Installer) error {
	p(in)
	return nil
}

func hostOf(t testing.TB, policies ...policy) host.Host {
	t.Helper()
	handlers := new(point.Registry)
	for _, p := range policies {
		_, err := handlers.Install(p)
		require.NoError(t, err)
	}
	return host.Host{Run: point.Run{Handlers: handlers}}
}

const (
	before = `{"session_id":"s1","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`
	after  = `{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"secret","tool_use_id":"c1"}`
)

// checkTotal requires what every reply must be: JSON or nothing with status 0,
// or status 2 with one line on standard error and nothing else.
func checkTotal(t testing.TB, r host.Reply) {
	t.Helper()
	require.NotContains(t, string(r.Stdout)+string(r.Stderr), "goroutine ")
	if r.Exit != 0 {
		require.Equal(t, 2, r.Exit)
		require.Empty(t, r.Stdout)
		require.NotEmpty(t, strings.TrimSpace(string(r.Stderr)))
		require.Equal(t, 1, bytes.Count(r.Stderr, []byte("\n")))
		require.True(t, bytes.HasSuffix(r.Stderr, []byte("\n")))
		return
	}
	if len(r.Stdout) == 0 {
		return
	}
	require.True(t, json.Valid(r.Stdout), string(r.Stdout))
	require.Equal(t, 1, bytes.Count(r.Stdout, []byte("\n")))
	v, err := value.Parse(r.Stdout)
	require.NoError(t, err)
	require.Equal(t, value.Object, v.Kind())
}

// refuses reports whether a reply stops the call or withholds the result.
func refuses(t *testing.T, r host.Reply) bool {
	t.Helper()
	checkTotal(t, r)
	if r.Exit == 2 {
		return true
	}
	v, err := value.Parse(r.Stdout)
	if err != nil {
		return false
	}
	reason := v.Get("reason").String()
	if own := v.Get("hookSpecificOutput"); own.Get("permissionDecision").String() == "deny" {
		reason = own.Get("permissionDecisionReason").String()
	} else if v.Get("decision").String() != "block" {
		return false
	}
	return strings.TrimSpace(reason) != ""
}

var errBroken = errors.New("rule.lua:7: attempt to index nil")

type fault struct{ name, stdin, want string }

var faults = map[fault]policy{
	{"rewrite fails", before, "tools/rewrite: extension guardian: rule.lua:7: attempt to index nil"}: func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			return nil, errBroken
		})
	},
	{"rewrite to nothing", before, "tools/rewrite: extension guardian: decision: rewrite needs arguments"}: func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			return tool.Rewrite{}, nil
		})
	},
	{"pre fails", before, "tools/pre-execute: extension guardian: rule no-ls: rule.lua:7: attempt to index nil"}: func(in *point.Installer) {
		tool.PreExecute.HandleWith(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{}, errBroken
		}, point.Attach{Rule: "no-ls"})
	},
	{"pre panics", before, "tools/pre-execute: extension guardian: panic: oops"}: func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { panic("oops") })
	},
	{"pre answers nil", before, "tools/pre-execute: extension guardian: "}: func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return nil, nil })
	},
	{"pre swallows a fault", before, "tools/pre-execute: extension guardian: "}: func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			_, _ = next(ctx)
			return tool.Allow{}, nil
		})
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return nil, errBroken })
	},
	{"preapproval without the grant", before, `needs the grant "preapprove"`}: func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{Preapproved: true}, nil
		})
	},
	{"guard fails", before, "tools/guard: extension guardian: rule.lua:7: attempt to index nil"}: func(in *point.Installer) {
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return tool.Abstain{}, errBroken })
	},
	{"post fails", after, "tools/post-execute: extension guardian: rule.lua:7: attempt to index nil"}: func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return nil, errBroken
		})
	},
	{"post panics", after, "tools/post-execute: extension guardian: panic: "}: func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			panic(errBroken)
		})
	},
}

// Whatever a handler does wrong at whatever point refuses, names the extension
// and the place, and shows no stack.
func TestFaults(t *testing.T) {
	for f, p := range faults {
		t.Run(f.name, func(t *testing.T) {
			var log strings.Builder
			for _, c := range both(claudecode.Options{Log: func(s string) { log.WriteString(s) }}) {
				served := c.Explain(t.Context(), hostOf(t, p), host.Invocation{Stdin: []byte(f.stdin)})
				require.ErrorContains(t, served.Fault, f.want)
				require.True(t, refuses(t, served.Reply), c.Name())
				require.Contains(t, unescape(served.Reply.Stdout), f.want)
				require.Zero(t, served.Reply.Exit)
				require.NotNil(t, served.Decision)
			}
			require.Equal(t, strings.HasSuffix(f.name, "panics"), strings.Contains(log.String(), "goroutine "))
		})
	}
}

func unescape(stdout []byte) string { return strings.ReplaceAll(string(stdout), `\"`, `"`) }

// cancelled returns a context that is over.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("out of time"))
	return ctx
}

func TestCancelledContextRefuses(t *testing.T) {
	ctx := cancelled(t)
	for _, c := range both(claudecode.Options{}) {
		for _, stdin := range []string{before, after} {
			served := c.Explain(ctx, hostOf(t), host.Invocation{Stdin: []byte(stdin)})
			require.ErrorContains(t, served.Fault, "out of time")
			require.True(t, refuses(t, served.Reply))
		}
	}
}

// What fails outside of any handler refuses too, and its stack goes to the log
// alone.
func TestPanicsOfOurOwn(t *testing.T) {
	var log strings.Builder
	broken := claudecode.Options{
		Log:     func(s string) { log.WriteString(s) },
		Resolve: func(string) (string, bool) { panic("no\nfile system") },
	}
	stdin := strings.ReplaceAll(before, `"Bash","tool_input":{"command":"ls"}`, `"apply_patch","tool_input":{"command":"*** Add File: a"}`)
	served := codex.New(broken).Explain(t.Context(), hostOf(t), host.Invocation{Stdin: []byte(stdin)})
	require.True(t, refuses(t, served.Reply))
	require.ErrorContains(t, served.Fault, "internal error: no\nfile system")
	require.Contains(t, log.String(), "goroutine ")

	h := hostOf(t, func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Allow{}, nil })
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return tool.Accept{}, nil
		})
	})
	h.Run.Observer = point.ObserverFunc(func(point.Handled) { panic("observer") })
	for _, c := range both(claudecode.Options{}) {
		for _, stdin := range []string{before, after} {
			served := c.Explain(t.Context(), h, host.Invocation{Stdin: []byte(stdin)})
			require.ErrorContains(t, served.Fault, "panic: observer")
			require.True(t, refuses(t, served.Reply))
			require.Zero(t, served.Reply.Exit)
		}
	}
}

func TestObserverIsTold(t *testing.T) {
	var seen []string
	h := hostOf(t, func(in *point.Installer) {
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return tool.Forbid{Reason: "no"}, nil })
	})
	h.Run.Observer = point.ObserverFunc(func(h point.Handled) { seen = append(seen, h.Point+" "+h.Extension) })
	for _, c := range both(claudecode.Options{}) {
		require.True(t, refuses(t, c.Serve(t.Context(), h, host.Invocation{Stdin: []byte(before)})))
	}
	require.Equal(t, []string{"tools/guard guardian", "tools/guard guardian"}, seen)
}

// The command fires no point that it does not list.
func TestPoints(t *testing.T) {
	listed := claudecode.Points()
	require.Equal(t, listed, codex.Points())
	require.ElementsMatch(t, []point.Point{
		tool.OnRewrite, tool.PreExecute, tool.OnGuard, tool.OnApprove, tool.PostExecute, tool.OnResult,
		agent.PreStep, agent.OnSessionStart, agent.OnTurnStopping, subagent.OnEnd,
	}, listed)
}

func BenchmarkServe(b *testing.B) {
	h, in := hostOf(b), host.Invocation{Stdin: []byte(before)}
	for _, c := range both(claudecode.Options{}) {
		b.Run(c.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Serve(b.Context(), h, in)
			}
		})
	}
}
