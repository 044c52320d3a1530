package otel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/otel"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// tracer records spans as words.
type tracer struct {
	tracenoop.Tracer
	lines *[]string
}

func (t tracer) Start(ctx context.Context, name string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	*t.lines = append(*t.lines, "start "+name)
	s := span{lines: t.lines}
	return trace.ContextWithSpan(ctx, s), s
}

type span struct {
	tracenoop.Span
	lines *[]string
}

func (s span) SetStatus(_ codes.Code, text string) { *s.lines = append(*s.lines, "error "+text) }
func (s span) End(...trace.SpanEndOption)          { *s.lines = append(*s.lines, "end") }

// meter records measurements as words.
type meter struct {
	metricnoop.Meter
	lines *[]string
}

func (m meter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{name: name, lines: m.lines}, nil
}

func (m meter) Float64Histogram(name string, _ ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{name: name, lines: m.lines}, nil
}

type counter struct {
	metricnoop.Int64Counter
	name  string
	lines *[]string
}

func (c counter) Add(_ context.Context, n int64, opts ...metric.AddOption) {
	*c.lines = append(*c.lines, fmt.Sprint(c.name, " ", n, " ", said(metric.NewAddConfig(opts).Attributes())))
}

type histogram struct {
	metricnoop.Float64Histogram
	name  string
	lines *[]string
}

func (h histogram) Record(_ context.Context, _ float64, opts ...metric.RecordOption) {
	*h.lines = append(*h.lines, fmt.Sprint(h.name, " ", said(metric.NewRecordConfig(opts).Attributes())))
}

func said(set attribute.Set) (out []string) {
	for _, kv := range set.ToSlice() {
		out = append(out, kv.Value.String())
	}
	return out
}

func TestCallsAreMeasured(t *testing.T) {
	var lines []string
	instruments, err := otel.New(otel.Options{Tracer: tracer{lines: &lines}, Meter: meter{lines: &lines}})
	require.NoError(t, err)
	handlers := new(point.Registry)
	_, err = handlers.Install(instruments)
	require.NoError(t, err)
	rt := &tool.Runtime{Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: handlers, Observer: instruments}}, Tools: new(tool.Registry)}}
	_, err = rt.Root.Tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			_, inside := trace.SpanFromContext(ctx).(span)
			require.True(t, inside, "the body is below its span")
			if run.Arguments().Kind() == value.Null {
				return nil, &tool.Error{Message: "m", Code: "C"}
			}
			return "x", nil
		},
	})
	require.NoError(t, err)
	for _, in := range []tool.Input{{Tool: "t", Arguments: 1}, {Tool: "t"}, {Tool: "made-up"}} {
		rt.Execute(t.Context(), in)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "end" })
	require.Equal(t, []string{
		"start tool t", "dsh.handler.duration [otel false tools/execute otel]",
		"dsh.tool.calls 1 [ success t]", "dsh.tool.duration [t]", "dsh.handler.duration [otel false tools/result otel]",
		"start tool t", "error m", "dsh.handler.duration [otel false tools/execute otel]",
		"dsh.tool.calls 1 [C failure t]", "dsh.tool.duration [t]", "dsh.handler.duration [otel false tools/result otel]",
		"start tool (unknown)", `error unknown tool "made-up"`, "dsh.handler.duration [otel false tools/execute otel]",
		"dsh.tool.calls 1 [UNKNOWN_TOOL failure (unknown)]", "dsh.handler.duration [otel false tools/result otel]",
	}, lines)
}

func TestNothingToMeasureWith(t *testing.T) {
	instruments, err := otel.New(otel.Options{})
	require.NoError(t, err)
	_, err = new(point.Registry).Install(instruments)
	require.NoError(t, err)
	instruments.Handled(point.Handled{})
}
