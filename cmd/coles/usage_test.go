package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coles/internal/peak"
	"coles/internal/race"
)

// The nearest of many ids is found at once.
func TestDidYouMeanOneOfMany(t *testing.T) {
	var vectors strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&vectors, "Lámpara grand %d, pack of 3\t1\n", i)
	}
	before := peak.Time()
	refused(t, t.TempDir(), exitFailure, ": did you mean Lámpara grand 12345, pack of 3?\n", vectors.String(), "similar", "lampara grande 12345, pack of 3")
	if took := peak.Time() - before; took > race.Slowdown*time.Second { // 0.1 s alone
		t.Errorf("it took %v of work", took)
	}
}
