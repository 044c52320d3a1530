package scripttest

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
)

// Options say how tests run. The zero Options run all tests, one file at a time.
type Options struct {
	// Load loads the policies of one file of tests; nil means [Load].
	Load Loader
	// Run selects tests by their full name, see [Test.Name]; nil runs all.
	Run *regexp.Regexp
	// Parallel is how many files run at once; 0 means one.
	Parallel int
	// Shuffle runs files, and the tests of each, in an order that Seed decides.
	Shuffle bool
	// Seed decides the order, and what properties generate.
	Seed uint64
	// FailFast starts no further test once one has failed.
	FailFast bool
	// Update writes snapshots instead of comparing with them.
	Update bool
	// Coverage counts which parts of the policies run; nil counts nothing.
	Coverage *luavm.Coverage
	// Done is told of every file when it is done, one at a time; it may be nil.
	Done func(File)
}

// A File is what came of one file of tests.
type File struct {
	// Path is the file as it was given.
	Path string
	// Fault is why the file could not be run; nil if it could.
	Fault *Failure
	// Warnings are what is doubtful about the file and its policies.
	Warnings []string
	// Tests are those that ran, in the order in which they are written.
	Tests []Test
	// Left is how many tests were not selected or not started any more.
	Left int
	// Rules are those of the policies.
	Rules []Rule
	// Took is how long the file took.
	Took time.Duration
}

// Failed reports whether the file or any of its tests failed.
func (f File) Failed() bool {
	return f.Fault != nil || slices.ContainsFunc(f.Tests, func(t Test) bool { return t.Failure != nil })
}

// A Test is what came of one test.
type Test struct {
	// Path is the names of its groups and its own.
	Path []string
	// At is the "file:line" that declares it.
	At string
	// Failure is what went wrong; nil if nothing did.
	Failure *Failure
	// Log is what policies and the test printed.
	Log []string
	// Took is how long it took.
	Took time.Duration
}

// A Failure is what went wrong in a test or a file.
type Failure struct {
	// At is the "file:line" in the test file, or of source that cannot be compiled the
	// "file:line:column" there; empty if it is not known.
	At string
	// Text says in one line what went wrong.
	Text string
	// Diff shows the expected and the actual, a line each with "- ", "+ " or "  "
	// in front; empty if there is nothing to compare.
	Diff []string
	// Notes are further lines: who answered, or where an error came from.
	Notes []string
}

// A Rule is one registration of a policy under test.
type Rule struct {
	// Name is the name of the rule.
	Name string
	// At is the "file:line" that registers it.
	At string
	// Spoke is how often it had something to say. Of a notification it is how often
	// it was told.
	Spoke int
}

// A Report is what came of a run.
type Report struct {
	// Files are in the order in which they were given.
	Files []File
	// Took is how long all took.
	Took time.Duration
}

// Count returns how many tests passed, how many failed, and how many were left
// out. A file that could not be run counts as one that failed.
func (r Report) Count() (passed, failed, left int) {
	for _, f := range r.Files {
		left += f.Left
		if f.Fault != nil {
			failed++
		}
		for _, t := range f.Tests {
			if t.Failure != nil {
				failed++
			} else {
				passed++
			}
		}
	}
	return passed, failed, left
}

// A Loader loads policies from their paths, in this order.
type Loader func(ctx context.Context, paths []string, with Loading) (*Loaded, error)

// A suite is one run of files.
type suite struct {
	Options

	stop atomic.Bool
	mu   sync.Mutex
}

// Run runs files of tests. It always returns a report of every file; the error is
// that of a cancelled context.
func Run(ctx context.Context, files []string, o Options) (Report, error) {
	start := time.Now()
	if o.Load == nil {
		o.Load = func(ctx context.Context, paths []string, with Loading) (*Loaded, error) {
			return Load(ctx, paths, with, script.Options{})
		}
	}
	s := &suite{Options: o}
	report := Report{Files: make([]File, len(files))}
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	if o.Shuffle {
		s.random("files").Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range max(1, min(o.Parallel, len(files))) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(order)); i = next.Add(1) - 1 {
				at := order[i]
				report.Files[at] = s.file(ctx, files[at])
			}
		})
	}
	workers.Wait()
	report.Took = time.Since(start)
	return report, context.Cause(ctx)
}

// random returns the source of randomness for what, which is the same for a seed.
func (s *suite) random(what string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, b := range []byte(what) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(s.Seed, h))
}

func (s *suite) done(f File) {
	if s.FailFast && f.Failed() {
		s.stop.Store(true)
	}
	if s.Done != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.Done(f)
	}
}
