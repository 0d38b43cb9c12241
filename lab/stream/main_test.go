package main

import (
	"strconv"
	"strings"
	"testing"

	"coles/examples/shared/clitest"
)

// In every row an update equals a fit from scratch, to the promised 1e-9, and a
// newcomer's vector is near.
func TestStreamFollows(t *testing.T) {
	text, _ := clitest.Run(t, run, "-nodes", "2000", "-features", "32", "-batches", "3")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 4+3 {
		t.Fatalf("%d lines, want a title, a head of two and three rows:\n%s", len(lines), text)
	}
	for k, line := range lines[4:] {
		fields := strings.Split(strings.Trim(line, "| "), " | ")
		nodes := float64(2000 + 5*(k+1))
		for _, c := range []struct {
			column    int
			what      string
			low, high float64
		}{
			{0, "nodes", nodes, nodes},
			{1, "moved", 10, 500},
			{5, "turned", 1e-9, 1},
			{6, "equal", 0, 1e-9},
			{8, "off", 0, 0.5},
		} {
			v, err := strconv.ParseFloat(fields[c.column], 64)
			if err != nil || v < c.low || v > c.high {
				t.Errorf("batch %d: %s is %q, want %g to %g", k, c.what, fields[c.column], c.low, c.high)
			}
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	var rows []clitest.Refusal
	for _, args := range [][]string{{"-nodes", "9"}, {"-features", "1"}, {"-dim", "65"}, {"-batches", "0"}, {"-batch", "0"}, {"stray"}, {"-nosuch"}} {
		rows = append(rows, clitest.Refusal{Name: args[0], Args: args, Text: strings.TrimLeft(args[0], "-")})
	}
	clitest.Refuses(t, run, rows)
}

func TestStreamStopsWhenInterrupted(t *testing.T) { clitest.Stops(t, run) }
