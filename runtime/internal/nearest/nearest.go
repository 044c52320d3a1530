// Package nearest finds the known name that a misspelt one most likely meant.
//
// Every "no such field" and "unknown global" message ends in a suggestion, and
// all of them come from here, so that the same slip gets the same answer in a
// script, in a payload and in a configuration file.
package nearest

import "strings"

// maxName bounds the work: nothing longer is a slip of the finger.
const maxName = 64

// Name returns the candidate closest to name, or "" if none is close enough to
// be a plausible slip: about one edit in three letters. Letter case and the
// difference between "_" and "-" cost nothing. Of equally close candidates the
// first wins, so callers pass them sorted.
func Name(name string, candidates []string) string {
	if name == "" || len(name) > maxName {
		return ""
	}
	best, bestCost := "", 1+limit(name)
	folded := fold(name)
	for _, c := range candidates {
		if c == "" || len(c) > maxName {
			continue
		}
		if d := distance(folded, fold(c)); d < bestCost {
			best, bestCost = c, d
		}
	}
	return best
}

// limit is how many edits still count as a slip.
func limit(name string) int { return max(1, len(name)/3) }

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance counts insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	var rows [3][maxName + 1]int
	prev2, prev, row := rows[0][:], rows[1][:], rows[2][:]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
