package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Repeat reminds a model that makes the same call over and over. It counts, for
// each agent, how often the last call came in a row; calls are the same if tool
// and arguments are, the order of members aside. What is denied counts too. Each
// turn counts anew, because its user may want the call again; one who speaks within
// a turn is for [Repeat.Reset]. Make one with [NewRepeat].
type Repeat struct {
	opts RepeatOptions

	mu     sync.Mutex
	chains map[chainOwner]chain
}

// RepeatOptions say when a model is reminded.
type RepeatOptions struct {
	// Thresholds are the counts at which it is, each at least 2; nil means 3, 5
	// and 8. The reminder of the lowest is a short one.
	Thresholds []int
	// Include and Exclude are patterns on tool names that say which tools are
	// counted; no Include means all. Other calls neither count nor break a chain.
	Include, Exclude []*regexp.Regexp
	// Preview is how many characters of the arguments a reminder shows; 0 means
	// 500.
	Preview int
}

// maxChains bounds what is remembered: a process may serve many sessions, and
// their ends are nobody's duty to tell.
const maxChains = 4096

type chainOwner struct{ session, agent string }

type chain struct {
	turn, tool, arguments string
	count                 int
}

// NewRepeat checks the options.
func NewRepeat(opts RepeatOptions) (*Repeat, error) {
	if opts.Thresholds == nil {
		opts.Thresholds = []int{3, 5, 8}
	}
	opts.Thresholds = slices.Clone(opts.Thresholds)
	slices.Sort(opts.Thresholds)
	switch {
	case len(opts.Thresholds) == 0 || opts.Thresholds[0] < 2 || len(slices.Compact(slices.Clone(opts.Thresholds))) != len(opts.Thresholds):
		return nil, errors.New("thresholds must be distinct whole numbers of at least 2")
	case opts.Preview < 0:
		return nil, errors.New("a preview has at least one character")
	}
	opts.Preview = cmp.Or(opts.Preview, 500)
	return &Repeat{opts: opts, chains: map[chainOwner]chain{}}, nil
}

// Name implements [point.Extension].
func (*Repeat) Name() string { return "repeat" }

// Install implements [point.Extension].
func (r *Repeat) Install(in *point.Installer) error {
	tool.PostExecute.Handle(in, r.handle)
	return nil
}

// Reset forgets the chain of an agent, for when its user has said something within
// a turn.
func (r *Repeat) Reset(ref session.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.chains, ownerOf(ref))
}

func ownerOf(ref session.Ref) chainOwner {
	owner := chainOwner{session: ref.ID}
	if ref.Agent != nil {
		owner.agent = ref.Agent.ID
	}
	return owner
}

func (r *Repeat) handle(ctx context.Context, done tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
	text := r.remind(done.Call)
	d, err := next(ctx)
	if err != nil || text == "" {
		return d, err
	}
	own := []session.Context{{Text: text, Extension: r.Name()}}
	switch d := d.(type) {
	case tool.Accept:
		d.Contexts = slices.Concat(own, d.Contexts)
		return d, nil
	case tool.Block:
		d.Contexts = slices.Concat(own, d.Contexts)
		return d, nil
	}
	return d, nil
}

// remind counts a call and returns what the model is told, if anything.
func (r *Repeat) remind(call tool.Call) string {
	owner := ownerOf(call.Session)
	if owner == (chainOwner{}) || !r.counts(call.Tool) {
		return ""
	}
	arguments := sorted(call.Arguments).String()
	r.mu.Lock()
	last := chain{turn: call.Session.Turn, tool: call.Tool, arguments: arguments, count: r.chains[owner].count}
	if r.chains[owner] != last {
		last.count = 0
	}
	last.count++
	if len(r.chains) >= maxChains {
		clear(r.chains)
	}
	r.chains[owner] = last
	r.mu.Unlock()
	switch at := slices.Index(r.opts.Thresholds, last.count); {
	case at < 0:
		return ""
	case at == 0:
		return fmt.Sprintf("You have made this call of %s %d times in a row. If it does not get you further, try something else.", call.Tool, last.count)
	}
	return fmt.Sprintf("You have called %s %d times in a row with the same arguments: %s\nThe result will not change. Change the arguments, use another tool, or say what stands in the way.",
		call.Tool, last.count, r.preview(arguments))
}

func (r *Repeat) counts(name string) bool {
	fits := func(p *regexp.Regexp) bool { return p.MatchString(name) }
	return (len(r.opts.Include) == 0 || slices.ContainsFunc(r.opts.Include, fits)) && !slices.ContainsFunc(r.opts.Exclude, fits)
}

func (r *Repeat) preview(arguments string) string {
	runes := []rune(arguments)
	if len(runes) <= r.opts.Preview {
		return arguments
	}
	return fmt.Sprintf("%s… (+%d more chars)", string(runes[:r.opts.Preview]), len(runes)-r.opts.Preview)
}

// sorted returns v with the members of all objects in the order of their keys.
func sorted(v value.Value) value.Value {
	switch v.Kind() {
	case value.List:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, sorted(item))
		}
		return value.OfList(items...)
	case value.Object:
		byKey := maps.Collect(v.Members())
		members := make([]value.Member, 0, len(byKey))
		for _, key := range slices.Sorted(maps.Keys(byKey)) {
			members = append(members, value.Member{Key: key, Value: sorted(byKey[key])})
		}
		return value.OfObject(members...)
	default:
		return v
	}
}
