package spec_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// notedEntries reads a log in the short notation.
func notedEntries(list value.Value) ([]session.Entry, error) {
	var out []session.Entry
	for i, v := range items(list) {
		ev, err := noted(v, int64(i))
		if err != nil {
			return nil, err
		}
		out = append(out, session.Entry{Event: ev, Seq: int64(i), Time: int64(i)})
	}
	return out, nil
}

// unchecked makes a log of entries that need not fit each other.
func unchecked(list value.Value) (*session.Log, error) {
	entries, err := notedEntries(list)
	if err != nil {
		return nil, err
	}
	log, err := session.NewLog(session.Header{ID: "parent", Cwd: "/proj"}, session.LogOptions{Unchecked: true})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type == session.EventInbox { // the notation leaves out where removed messages came from
			n := intOf(e.Data.Get("removed"))
			for i := range n {
				if log.PendingLen(session.Target(e.Data.Get("target").String())) >= n {
					break
				}
				m := session.Message{ID: fmt.Sprintf("fill-%d-%d", e.Seq, i), Role: session.RoleUser, Content: []session.Part{session.Text{Text: "x"}}, Source: session.User{}}
				if _, err := log.Append(context.Background(), session.Spliced(session.Target(e.Data.Get("target").String()), 0, 0, []session.Message{m}, false)); err != nil {
					return nil, err
				}
			}
		}
		if _, err := log.Append(context.Background(), e.Event); err != nil {
			return nil, err
		}
	}
	return log, nil
}

func runRepair(c loopScenario) []string {
	var d mismatches
	log, err := unchecked(c.given.Get("log"))
	if err != nil {
		return []string{err.Error()}
	}
	var want, got []string
	for _, e := range items(c.then.Get("closers")) {
		want = append(want, withoutCitation(recordedLine(e)))
	}
	w := newLoopWorld(value.Value{})
	for _, ev := range log.Closers() {
		line, err := w.eventLine(session.Entry{Event: ev}, map[int64]string{})
		if err != nil {
			return []string{err.Error()}
		}
		got = append(got, withoutCitation(line))
	}
	d.compare("closers", want, got)
	return d
}

func withoutCitation(line string) string {
	line, _, _ = strings.Cut(line, " cites=")
	return line
}

func runConsumedWork(c loopScenario) []string {
	var d mismatches
	log, err := unchecked(c.given.Get("log"))
	if err != nil {
		return []string{err.Error()}
	}
	work := log.Work()
	got := "none"
	if work.Turn > 0 {
		got = fmt.Sprintf("%d %s", work.Turn, endText(work.End))
	}
	want := "none"
	if end := c.then.Get("end"); end.Kind() == value.Object {
		want = fmt.Sprintf("%s %s", end.Get("turn"), recordedEnd(end.Get("reason")))
	}
	dropped, _ := c.then.Get("droppedUnrun").Bool()
	d.compare("work", []string{want, fmt.Sprint(dropped)}, []string{got, fmt.Sprint(work.Dropped)})
	return d
}

func runFinalOutput(c loopScenario) []string {
	var d mismatches
	log, err := unchecked(c.given.Get("log"))
	if err != nil {
		return []string{err.Error()}
	}
	d.compare("output", []string{flat(foreignMessage(value.OfObject(value.Member{Key: "content", Value: c.then.Get("output")})).Content)}, []string{flat(log.Output())})
	return d
}

func runLogInvariant(c loopScenario) []string {
	var d mismatches
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	got := []string{"ok"}
	accepted := 0
	for i, v := range items(c.given.Get("log")) {
		ev, err := noted(v, int64(i))
		if err == nil {
			_, err = log.Append(context.Background(), ev)
		}
		if err != nil {
			got = []string{"refused"}
			var relation *session.RelationError
			if !errors.As(err, &relation) {
				got = []string{err.Error()}
			}
			break
		}
		accepted++
	}
	want := []string{"refused"}
	if ok, _ := c.then.Get("ok").Bool(); ok {
		want, got = []string{"ok", c.then.Get("accepted").String()}, append(got, fmt.Sprint(accepted))
	}
	d.compare("relations", want, got)
	return d
}

func runSurface(c loopScenario) []string {
	var d mismatches
	entries, err := notedEntries(c.given.Get("log"))
	if err != nil {
		return []string{err.Error()}
	}
	log, err := session.SeedLog(session.Header{ID: "s"}, entries, session.LogOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	ev := session.Said(session.Message{ID: "new", Role: session.RoleUser, Source: session.User{}, Content: []session.Part{session.Text{Text: c.when.Get("text").String()}}})
	ev.Surface = foreignSurface(c.when.Get("surfaceOp"))
	ev.Sources = foreignSources(c.when.Get("sourceEventSeqs"))
	_, err = log.Append(context.Background(), ev)
	ok, _ := c.then.Get("ok").Bool()
	d.compare("accepted", []string{fmt.Sprint(ok)}, []string{fmt.Sprint(err == nil)})
	if list := c.then.Get("messages"); !list.IsAbsent() && err == nil {
		d.compare("conversation", recordedMessages(list), messageLines(log.History()))
	}
	return d
}

func runFork(c loopScenario) []string {
	var d mismatches
	if c.given.Get("log").Kind() == value.Null || !c.given.Get("childId").IsAbsent() {
		return runForkOfFile(c)
	}
	log, err := unchecked(c.given.Get("log"))
	if err != nil {
		return []string{err.Error()}
	}
	boundary := session.Last
	if b := c.given.Get("boundary"); b.Kind() == value.Number {
		n, whole := b.Int()
		if !whole {
			return nil // Go has no such boundary
		}
		boundary = n
	}
	child, err := log.Fork("", boundary, session.Header{ID: "child"}, session.LogOptions{})
	if ok, _ := c.then.Get("ok").Bool(); !ok {
		var fork *session.ForkError
		if !errors.As(err, &fork) {
			return []string{fmt.Sprintf("want code %s, got %v", c.then.Get("code"), err)}
		}
		d.compare("code", []string{c.then.Get("code").String()}, []string{fork.Code})
		return d
	}
	if err != nil {
		return []string{err.Error()}
	}
	d.compare("types", stringsOf(c.then.Get("types")), typesOf(child))
	h, header := c.then.Get("header"), child.Header()
	d.compare("header", []string{h.Get("cwd").String(), h.Get("parentSession").String(), h.Get("seedLength").String(), c.then.Get("firstLiveSeq").String()},
		[]string{header.Cwd, header.Parent, fmt.Sprint(header.Seed), fmt.Sprint(child.FirstLive())})
	return d
}

// runForkOfFile is about sessions by name; the name of a session is its file.
func runForkOfFile(c loopScenario) []string {
	dir, err := os.MkdirTemp("", "fork")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	parent, taken := filepath.Join(dir, "parent"), filepath.Join(dir, "taken")
	want := map[string]error{"SESSION_ALREADY_EXISTS": fs.ErrExist, "SESSION_NOT_FOUND": fs.ErrNotExist}[c.then.Get("code").String()]
	if c.given.Get("log").Kind() == value.List {
		if err := errors.Join(store(parent, value.OfList()), store(taken, value.OfList())); err != nil {
			return []string{err.Error()}
		}
	}
	log, err := session.OpenLog(parent, session.LogOptions{})
	if err == nil {
		defer log.Close()
		_, err = log.Fork(taken, session.Last, session.Header{ID: "taken"}, session.LogOptions{})
	}
	if want == nil || !errors.Is(err, want) {
		return []string{fmt.Sprintf("want %s, got %v", c.then.Get("code"), err)}
	}
	return nil
}

func typesOf(log *session.Log) []string {
	out := []string{}
	for e, err := range log.Entries() {
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, string(e.Type))
	}
	return out
}

func runAssembler(c loopScenario) []string {
	var d mismatches
	var asm model.Assembler
	for _, v := range items(c.given.Get("chunks")) {
		asm.Add(foreignChunk(v))
	}
	parts, replay := asm.Content()
	foreign := func(v value.Value) string {
		return flat(foreignMessage(value.OfObject(value.Member{Key: "content", Value: v})).Content)
	}
	d.compare("blocks", []string{foreign(c.then.Get("blocks"))}, []string{flat(parts)})
	d.compare("interrupted", []string{foreign(c.then.Get("interrupted"))}, []string{flat(asm.Interrupted())})
	d.compare("finish", []string{c.then.Get("finish").Get("kind").String()}, []string{string(asm.Finish().Reason)})
	u, reported := asm.Usage()
	usage := c.then.Get("usage")
	d.compare("usage", []string{fmt.Sprint(usage.Kind() == value.Object, intOf(usage.Get("inputTokens")), intOf(usage.Get("outputTokens")))}, []string{fmt.Sprint(reported, u.Input, u.Output)})
	want := c.then.Get("replayState")
	if want.Kind() == value.Null {
		want = value.Value{}
	}
	d.compare("replay", []string{want.String()}, []string{replay.String()})
	return d
}

func foreignChunk(v value.Value) model.Chunk {
	index, text := intOf(v.Get("index")), v.Get("text").String()
	switch v.Get("type").String() {
	case "block-start":
		return model.BlockStart{Index: index, Kind: v.Get("blockType").String()}
	case "text-delta":
		return model.TextDelta{Index: index, Text: text}
	case "reasoning-delta":
		return model.ReasoningDelta{Index: index, Text: text}
	case "tool-call-delta":
		return model.CallDelta{Index: index, ID: v.Get("id").String(), Tool: v.Get("name").String(), Arguments: v.Get("argumentsDelta").String()}
	case "block-end":
		return model.BlockEnd{Index: index, Block: foreignPart(v.Get("block"))}
	case "usage":
		u := v.Get("usage")
		return model.Usage{Input: intOf(u.Get("inputTokens")), Output: intOf(u.Get("outputTokens"))}
	default:
		r := v.Get("reason")
		return model.Finish{Reason: model.FinishReason(r.Get("kind").String()), Replay: v.Get("replayState")}
	}
}
