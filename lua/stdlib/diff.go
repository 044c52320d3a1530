package stdlib

import "slices"

// A change is one line of a comparison; a number is 0 on the side that lacks it.
type change struct {
	kind          string
	line          string
	before, after int
}

const (
	maxDiffLines   = 5000
	maxDifferences = 500
)

// diffLines compares two lists of lines. charge is told of the work.
func diffLines(a, b []string, charge func(int)) []change {
	charge(len(a) + len(b))
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	d := diff{a: a[head : len(a)-tail], b: b[head : len(b)-tail], charge: charge}
	var out []change
	for i := range head {
		out = append(out, change{"same", a[i], i + 1, i + 1})
	}
	for _, c := range d.changes() {
		if c.before > 0 {
			c.before += head
		}
		if c.after > 0 {
			c.after += head
		}
		out = append(out, c)
	}
	for i := range tail {
		x, y := len(a)-tail+i, len(b)-tail+i
		out = append(out, change{"same", a[x], x + 1, y + 1})
	}
	return out
}

// diff is the greedy search of Myers for the fewest changes. It keeps how far it
// got on each diagonal k = x - y, where x lines of a and y of b are dealt with.
type diff struct {
	a, b   []string
	charge func(int)
}

// reached is how far each diagonal got, from that of -n to that of n.
type reached struct {
	n  int
	at []int32
}

func newReached(n int) reached { return reached{n, make([]int32, 2*n+1)} }

func (r reached) get(k int) int    { return int(r.at[k+r.n]) }
func (r reached) set(k int, x int) { r.at[k+r.n] = int32(x) }

// from returns the diagonal from which k is reached with one change more.
func (r reached) from(k, n int) int {
	if k == -n || k != n && r.get(k-1) < r.get(k+1) {
		return k + 1 // a line of b is added
	}
	return k - 1 // a line of a is removed
}

// search returns how far the diagonals got before each number of changes, until
// the end is reached; false if that would be too much work.
func (d diff) search() (trace []reached, ok bool) {
	if len(d.a)+len(d.b) > 2*maxDiffLines {
		return nil, false
	}
	before := newReached(1)
	for n := 0; n <= maxDifferences; n++ {
		trace = append(trace, before)
		after := newReached(n + 2)
		for k := -n; k <= n; k += 2 {
			from := before.from(k, n)
			x := before.get(from)
			if from < k {
				x++
			}
			start := x
			for x < len(d.a) && x-k < len(d.b) && d.a[x] == d.b[x-k] {
				x++
			}
			d.charge(1 + x - start)
			after.set(k, x)
			if x >= len(d.a) && x-k >= len(d.b) {
				return trace, true
			}
		}
		before = after
	}
	return nil, false
}

func (d diff) changes() []change {
	trace, ok := d.search()
	if !ok {
		return d.replaced()
	}
	var out []change
	x, y := len(d.a), len(d.b)
	for n := len(trace) - 1; n >= 0; n-- {
		from := trace[n].from(x-y, n)
		startX := trace[n].get(from)
		startY := startX - from
		for x > startX && y > startY && x > 0 && y > 0 {
			out = append(out, change{"same", d.a[x-1], x, y})
			x, y = x-1, y-1
		}
		switch {
		case n == 0:
		case x == startX:
			out = append(out, change{"added", d.b[y-1], 0, y})
			y--
		default:
			out = append(out, change{"removed", d.a[x-1], x, 0})
			x--
		}
	}
	slices.Reverse(out)
	return out
}

// replaced says that everything changed.
func (d diff) replaced() (out []change) {
	for i, line := range d.a {
		out = append(out, change{"removed", line, i + 1, 0})
	}
	for i, line := range d.b {
		out = append(out, change{"added", line, 0, i + 1})
	}
	return out
}
