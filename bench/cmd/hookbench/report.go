package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// goals are the ratios that dsh must not exceed.
var goals = []struct {
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
			ms(results.Median(entry.Name)), ms(results.Least(entry.Name)),
			results.Ratio(entry.Name, nothing), results.Ratio(entry.Name, decodes),
			float64(peaks[entry.Name])/1024)
	}
}

// judge prints how each goal was met and returns how many were missed.
func judge(out io.Writer, results rounds.Results, peaks map[string]int) (missed int) {
	word := map[bool]string{true: "ok", false: "MISSED"}
	for _, goal := range goals {
		ratio := results.Ratio(goal.entry, goal.base)
		met := ratio > 0 && ratio <= goal.most
		fmt.Fprintf(out, "%-6s %s: %.2f of %s, goal %.1f\n", word[met], goal.entry, ratio, goal.base, goal.most)
		if !met {
			missed++
		}
	}
	most := max(peaks[onePolicy], peaks[twenty])
	met := most > 0 && most <= peakGoal
	fmt.Fprintf(out, "%-6s peak memory: %.1f MiB, goal %d MiB\n", word[met], float64(most)/1024, peakGoal>>10)
	if !met {
		missed++
	}
	return missed
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
