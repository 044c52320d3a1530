package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// How a payload ended, beside the Decision that a policy made.
const (
	noOpinion = "no opinion" // no policy decided
	fault     = "fault"      // dsh failed
)

// answer is what the tour reads of the JSON that dsh prints.
type answer struct {
	Kind    string `json:"kind"`
	Decided bool   `json:"decided"`
	Rule    string `json:"rule"`
	At      string `json:"at"`
}

// evaluator puts payloads to dsh, each in a process of its own.
type evaluator struct {
	dsh      string
	policies []string
}

// judge returns the answer; a fault is an answer too, with what dsh said of it
// as its place. An error means that dsh could not be run at all.
func (e evaluator) judge(ctx context.Context, c call) (answer, error) {
	args := []string{"eval", "--json", "--from", c.client, "--payload", "-"}
	for _, policy := range e.policies {
		args = append(args, "--policy", policy)
	}
	command := exec.CommandContext(ctx, e.dsh, args...)
	command.Stdin = bytes.NewReader(c.payload)
	var told bytes.Buffer
	command.Stderr = &told
	printed, err := command.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return answer{Kind: fault, At: oneLine(told.String())}, context.Cause(ctx)
	}
	if err != nil {
		return answer{}, err
	}
	var read answer
	if err := json.Unmarshal(printed, &read); err != nil {
		return answer{Kind: fault, At: err.Error() + ": " + oneLine(string(printed))}, nil
	}
	if !read.Decided {
		return answer{Kind: noOpinion}, nil
	}
	return read, nil
}

// row is the layout of the table: client, event, call, decision, rule, place.
const row = "%-12s %-20s %-52s %-11s %-16s %s\n"

// show prints a row for every call and counts how the calls ended.
func show(ctx context.Context, out io.Writer, judge evaluator, calls []call, count tally) error {
	fmt.Fprintf(out, row, "CLIENT", "EVENT", "CALL", "DECISION", "RULE", "AT")
	for _, c := range calls {
		answered, err := judge.judge(ctx, c)
		if err != nil {
			return err
		}
		count[answered.Kind]++
		line := fmt.Sprintf(row, c.client, c.Event, c.summary(), answered.Kind, answered.Rule, answered.At)
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintln(out)
	return nil
}

// telling are the members of a tool's input that say most about a call, the
// first that is there being the one shown.
var telling = []string{"command", "file_path", "path", "url", "query", "name", "subject", "message", "description"}

const summaryWidth = 52

func (c call) summary() string {
	text := c.Tool
	for _, name := range telling {
		if value, ok := c.Input[name].(string); ok {
			text += " " + value
			break
		}
	}
	runes := []rune(oneLine(text))
	if len(runes) > summaryWidth {
		runes = append(runes[:summaryWidth-1], '…')
	}
	return string(runes)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// tally counts payloads by how they ended.
type tally map[string]int

func (t tally) String() string {
	kinds := make([]string, 0, len(t))
	total := 0
	for kind, n := range t {
		kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		total += n
	}
	slices.Sort(kinds)
	return fmt.Sprintf("%d payloads: %s", total, strings.Join(kinds, ", "))
}
