// Package otel measures tool calls and the extensions that judge them, with
// OpenTelemetry.
//
// It depends on the interfaces of tracing and metrics alone. Which provider
// stands behind the tracer and the meter, and where it sends what it is told, is
// for the program to say; dsh itself does not link this package.
//
//	instruments, err := otel.New(otel.Options{Tracer: tracer, Meter: meter})
//	registry.Install(instruments)            // spans of bodies, counts of calls
//	run := point.Run{Handlers: registry, Observer: instruments} // times of handlers
package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Options are what measurements are made with.
type Options struct {
	// Tracer makes a span around every body that runs; nil makes none. The
	// context of the body carries the span, so what the body does is below it.
	Tracer trace.Tracer
	// Meter counts calls and times bodies and handlers; nil does neither.
	Meter metric.Meter
}

// Instruments is an [point.Extension] that measures tool calls, and a
// [point.Observer] that measures handlers. It decides nothing.
type Instruments struct {
	tracer   trace.Tracer
	calls    metric.Int64Counter
	bodies   metric.Float64Histogram
	handlers metric.Float64Histogram
}

var (
	_ point.Extension = (*Instruments)(nil)
	_ point.Observer  = (*Instruments)(nil)
)

// New makes the instruments. The error is the Meter's.
func New(opts Options) (*Instruments, error) {
	i := &Instruments{tracer: opts.Tracer}
	if opts.Meter == nil {
		return i, nil
	}
	var failed [3]error
	i.calls, failed[0] = opts.Meter.Int64Counter("dsh.tool.calls",
		metric.WithDescription("Tool calls, by tool and outcome."))
	i.bodies, failed[1] = opts.Meter.Float64Histogram("dsh.tool.duration", metric.WithUnit("s"),
		metric.WithDescription("Time that the bodies of tools took."))
	i.handlers, failed[2] = opts.Meter.Float64Histogram("dsh.handler.duration", metric.WithUnit("s"),
		metric.WithDescription("Time that handlers of extensions took, without the handlers behind them."))
	return i, errors.Join(failed[:]...)
}

// Name implements [point.Extension].
func (*Instruments) Name() string { return "otel" }

// Install implements [point.Extension]. The span is the innermost wrapper of
// those attached so far, so that it is the body's alone.
func (i *Instruments) Install(in *point.Installer) error {
	if i.tracer != nil {
		tool.OnExecute.Handle(in, i.span)
	}
	if i.calls != nil {
		tool.OnResult.Handle(in, i.count)
	}
	return nil
}

// span is a wrapper around one run of a body.
func (i *Instruments) span(ctx context.Context, call tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
	ctx, span := i.tracer.Start(ctx, "tool "+nameOf(call), trace.WithAttributes(
		attribute.String("dsh.tool", nameOf(call)), attribute.String("dsh.call", call.ID), attribute.String("dsh.session", call.Session.ID)))
	defer span.End()
	r, err := next(ctx)
	switch f, failed := r.(tool.Failure); {
	case err != nil:
		span.SetStatus(codes.Error, err.Error())
	case failed:
		span.SetAttributes(attribute.String("dsh.code", string(f.Code)))
		span.SetStatus(codes.Error, f.Message)
	}
	return r, err
}

// count counts one call with its outcome.
func (i *Instruments) count(ctx context.Context, done tool.Done) error {
	outcome, code := "success", ""
	if f, failed := done.Result.(tool.Failure); failed {
		outcome, code = "failure", string(f.Code)
	}
	name := attribute.String("dsh.tool", nameOf(done.Call))
	i.calls.Add(ctx, 1, metric.WithAttributes(name, attribute.String("dsh.outcome", outcome), attribute.String("dsh.code", code)))
	if done.Ran {
		i.bodies.Record(ctx, float64(done.DurationMS)/1000, metric.WithAttributes(name))
	}
	return nil
}

// nameOf is the name of the tool. Names of tools that are not there are the
// model's invention; each would be a new series.
func nameOf(call tool.Call) string {
	if call.Fault == tool.FaultUnknown {
		return "(unknown)"
	}
	return call.Tool
}

// Handled implements [point.Observer].
func (i *Instruments) Handled(h point.Handled) {
	if i.handlers == nil {
		return
	}
	i.handlers.Record(context.Background(), h.Took.Seconds(), metric.WithAttributes(
		attribute.String("dsh.point", h.Point), attribute.String("dsh.extension", h.Extension),
		attribute.String("dsh.rule", h.Rule), attribute.Bool("dsh.failed", h.Err != nil)))
}
