package scripttest

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// A Coverage says which parts of the policies ran during a report.
type Coverage struct {
	// Files are the policies and the files that they require.
	Files []Covered
	// Rules are those of all policies, each once.
	Rules []Rule
}

// A Covered is what ran of one file.
type Covered struct {
	// Path is the name of the file.
	Path string
	// Source is its text.
	Source string
	// Lines are how often each line with code ran, see [luavm.Covered.LineHits].
	Lines map[int]int64
	// Branches are its conditions, in the order of the text.
	Branches []Branch
}

// A Branch is one condition.
type Branch struct {
	// Line is the line of the if.
	Line int
	// True and False are how often it held and how often not.
	True, False int64
}

// Measure sums up what was counted during the run that report is of.
func Measure(counted *luavm.Coverage, report Report) Coverage {
	var c Coverage
	for _, p := range counted.Programs() {
		f := Covered{Path: p.Name, Source: p.Source, Lines: p.LineHits()}
		for _, b := range p.Branches {
			yes, no := p.Taken(b)
			f.Branches = append(f.Branches, Branch{b.Line, yes, no})
		}
		c.Files = append(c.Files, f)
	}
	for _, f := range report.Files {
		for _, r := range f.Rules {
			c.add(r)
		}
	}
	return c
}

func (c *Coverage) add(r Rule) {
	i := slices.IndexFunc(c.Rules, func(known Rule) bool { return known.Name == r.Name && known.At == r.At })
	if i < 0 {
		c.Rules = append(c.Rules, r)
		return
	}
	c.Rules[i].Spoke += r.Spoke
}

// Count returns how many lines ran, of how many, and the same of the outcomes of
// conditions.
func (f Covered) Count() (lines, ofLines, branches, ofBranches int) {
	for _, hits := range f.Lines {
		ofLines++
		lines += oneIf(hits > 0)
	}
	for _, b := range f.Branches {
		ofBranches += 2
		branches += oneIf(b.True > 0) + oneIf(b.False > 0)
	}
	return lines, ofLines, branches, ofBranches
}

// Percent is the share of lines and of outcomes of conditions that ran, of all
// files together; 100 if there are none.
func (c Coverage) Percent() float64 {
	done, of := 0, 0
	for _, f := range c.Files {
		lines, ofLines, branches, ofBranches := f.Count()
		done, of = done+lines+branches, of+ofLines+ofBranches
	}
	return Share(done, of)
}

// Spoke returns how many of the rules had something to say, of how many.
func (c Coverage) Spoke() (rules, of int) {
	for _, r := range c.Rules {
		rules += oneIf(r.Spoke > 0)
	}
	return rules, len(c.Rules)
}

// Share is a part in percent.
func Share(part, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(part) / float64(of)
}
