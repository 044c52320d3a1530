package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// bounds are the ratios that dsh must not exceed.
var bounds = []struct {
	entry, base string
	most        float64
}{
	{onePolicy, nothing, 2.3},
	{onePolicy, decodes, 1.7},
	{twenty, nothing, 2.7},
}

// peakGoal is the most memory, in KiB, that either dsh entry may have resident.
const peakGoal = 8 << 10

// peakRuns is how often each entry's memory is measured; the largest counts.
const peakRuns = 5

// measurePeaks returns the peak memory in KiB by entry name.
func measurePeaks(ctx context.Context, peak string, entries []contestant) (map[string]int, error) {
	peaks := map[string]int{}
	for _, entry := range entries {
		wrapped := entry.Entry
		wrapped.Argv = slices.Concat([]string{peak}, entry.Argv)
		for range peakRuns {
			printed, err := wrapped.Answer(ctx, allowed)
			if err != nil {
				return nil, err
			}
			kib, err := strconv.Atoi(strings.TrimSpace(printed))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entry.Name, err)
			}
			peaks[entry.Name] = max(peaks[entry.Name], kib)
		}
	}
	return peaks, nil
}

func report(out io.Writer, entries []contestant, results rounds.Results, peaks map[string]int, n int) {
	fmt.Fprintf(out, "whole processes, %d rounds in shuffled order; ratios are medians over the rounds\n", n)
	fmt.Fprintf(out, "%-26s %10s %10s %8s %18s %9s\n", "", "median ms", "least ms", nothing, decodes, "peak MiB")
	for _, entry := range entries {
		fmt.Fprintf(out, "%-26s %10.2f %10.2f %8.2f %18.2f %9.1f\n", entry.Name,
			rounds.Milli(results.Median(entry.Name)), rounds.Milli(results.Least(entry.Name)),
			results.Ratio(entry.Name, nothing), results.Ratio(entry.Name, decodes),
			float64(peaks[entry.Name])/1024)
	}
}

// goals compares what was measured with the bounds.
func goals(results rounds.Results, peaks map[string]int) (list []rounds.Goal) {
	for _, b := range bounds {
		list = append(list, rounds.Goal{What: b.entry, Measured: results.Ratio(b.entry, b.base), Bound: b.most, Unit: "times " + b.base})
	}
	most := max(peaks[onePolicy], peaks[twenty])
	return append(list, rounds.Goal{What: "peak memory", Measured: float64(most) / 1024, Bound: peakGoal >> 10, Unit: "MiB"})
}
