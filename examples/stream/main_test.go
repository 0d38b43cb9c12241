package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
)

// Every row says that an update is what a fit from scratch is, to the promised
// 1e-9, and that a newcomer's vector is near.
func TestStreamFollows(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-nodes", "2000", "-features", "32", "-batches", "3"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != 4+3 {
		t.Fatalf("%d lines, want a title, a head of two and three rows:\n%s", len(lines), stdout.String())
	}
	for k, line := range lines[4:] {
		fields := strings.Split(strings.Trim(line, "| "), " | ")
		value := func(column int) float64 {
			v, err := strconv.ParseFloat(fields[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if nodes := value(0); nodes != float64(2000+5*(k+1)) {
			t.Errorf("%v nodes after batch %d", nodes, k)
		}
		if moved := value(1); moved < 10 || moved > 500 {
			t.Errorf("%v nodes moved", moved)
		}
		if turned := value(5); turned < 1e-9 || turned > 1 {
			t.Errorf("P has turned by %v", turned)
		}
		if equal := value(6); equal > 1e-9 {
			t.Errorf("eigenvalues differ by %v", equal)
		}
		if off := value(8); off > 0.5 {
			t.Errorf("a newcomer is %v off", off)
		}
	}
}

func TestStreamSaysWhatIsWrong(t *testing.T) {
	for _, args := range [][]string{{"-nodes", "9"}, {"-features", "1"}, {"-dim", "65"}, {"-batches", "0"}, {"-batch", "0"}, {"stray"}, {"-nosuch"}} {
		var stdout, stderr bytes.Buffer
		if err := run(context.Background(), args, &stdout, &stderr); err == nil || !strings.Contains(err.Error(), strings.TrimLeft(args[0], "-")) {
			t.Errorf("%q: error %v", args, err)
		}
	}
}

func TestStreamStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if err := run(ctx, nil, &stdout, &stderr); err == nil {
		t.Error("no error")
	}
}
