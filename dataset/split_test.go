package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallSplits = `{"dataset": "toy", "nodes": 6, "train": [[0, 1], [5]], "val": [[2], []], "test": [[3, 4, 5], [0]]}`

func TestReadSplits(t *testing.T) {
	got, err := ReadSplits(strings.NewReader(smallSplits), 6)
	if err != nil {
		t.Fatal(err)
	}
	want := []Split{{Train: []int{0, 1}, Val: []int{2}, Test: []int{3, 4, 5}}, {Train: []int{5}, Val: []int{}, Test: []int{0}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := (Split{Train: []int{4}, Val: []int{0}}).TestNodes(6); !slices.Equal(got, []int{1, 2, 3, 5}) {
		t.Errorf("the other nodes are %v", got)
	}
}

func TestSplitsMalformed(t *testing.T) {
	for _, c := range []struct {
		name, json string
		cause      error
		place      string
	}{
		{"empty", "", ErrTruncated, "splits: byte 0"},
		{"cut short", smallSplits[:40], ErrTruncated, "splits: byte"},
		{"not JSON", `{"train": [[0;1]]}`, ErrFormat, "byte 14"},
		{"a list, not an object", `[[0, 1]]`, ErrFormat, "splits: byte"},
		{"fractional node", `{"train": [[0.5]], "val": [[]]}`, ErrFormat, "splits: byte"},
		{"number past 64 bits", `{"train": [[99999999999999999999]], "val": [[]]}`, ErrFormat, "splits: byte"},
		{"null for a node", `{"train": [[1]], "val": [[null]]}`, ErrFormat, "null where a node"},
		{"a part twice", `{"train": [[0, 1]], "train": [[2]], "val": [[]]}`, ErrFormat, "given twice"},
		{"flat list", `{"train": [0, 1], "val": [2]}`, ErrFormat, "splits: byte"},
		{"bytes after the end", smallSplits + "{}", ErrFormat, "splits: byte"},
		{"no train", `{"val": [[1]]}`, ErrMissing, "splits"},
		{"no val", `{"train": [[1]]}`, ErrMissing, "splits"},
		{"more train than val", `{"train": [[1], [2]], "val": [[3]]}`, ErrShape, "2 train, 1 val"},
		{"another graph", `{"nodes": 7, "train": [[1]], "val": [[2]]}`, ErrShape, "7 nodes for a graph of 6"},
		{"node out of range", `{"train": [[1], [2]], "val": [[3], [4, 6]]}`, ErrIndex, "split 1: val[1]: node 6 of 6"},
		{"negative node", `{"train": [[-1]], "val": [[3]]}`, ErrIndex, "split 0: train[0]: node -1"},
		{"node twice", `{"train": [[1, 2, 1]], "val": [[3]]}`, ErrDuplicate, "split 0: train[2]: node 1"},
		{"train in val", `{"train": [[1]], "val": [[3, 1]]}`, ErrDuplicate, "split 0: val[1]: node 1 is in train"},
		{"train in test", `{"train": [[1]], "val": [[3]], "test": [[1]]}`, ErrDuplicate, "split 0: test[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadSplits(strings.NewReader(c.json), 6)
			wantError(t, err, c.cause, c.place)
		})
	}
	_, err := ReadSplits(strings.NewReader(smallSplits), -1)
	wantError(t, err, ErrOption, "-1")
}

func TestSplitsFailAtEveryByte(t *testing.T) {
	for k := range len(smallSplits) {
		_, err := ReadSplits(strings.NewReader(smallSplits[:k]), 6)
		wantError(t, err, ErrTruncated, "splits: byte")
		_, err = ReadSplits(failAfter([]byte(smallSplits[:k])), 6)
		wantError(t, err, errDisk, fmt.Sprint("splits: byte ", k))
	}
}

func TestSplitsRoundTrip(t *testing.T) {
	labels := make([]int, 90)
	for i := range labels {
		labels[i] = i % 3
	}
	want, err := RandomSplits(labels, 5, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.json.gz")
	var b bytes.Buffer
	if err := WriteSplits(&b, 90, want); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, gzipped(b.Bytes()), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := OpenSplits(path, 90)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err = WriteSplits(&b, 10, want)
	wantError(t, err, ErrIndex, "write split 0")
	err = WriteSplits(&b, 90, []Split{{Train: []int{1}}, {Train: []int{1}, Test: []int{2}}})
	wantError(t, err, ErrShape, "write split 1")
	err = WriteSplits(failing{}, 90, want)
	wantError(t, err, errDisk, "write splits")
	_, err = OpenSplits(filepath.Join(t.TempDir(), "none.json"), 1)
	wantError(t, err, os.ErrNotExist, "none.json")
}

// The draw of the protocol: n a class, at most a third of it, as many for
// validation, never a node without a label.
func TestRandomSplitsDrawByClass(t *testing.T) {
	labels := slices.Concat(repeat(0, 100), repeat(1, 10), repeat(2, 2), repeat(-1, 50), repeat(3, 7))
	splits, err := RandomSplits(labels, 5, 30, 42)
	if err != nil {
		t.Fatal(err)
	}
	want := []int{5, 3, 0, 2}
	hits := make([]int, len(labels))
	for s, split := range splits {
		if err := split.check(len(labels)); err != nil {
			t.Fatalf("split %d: %v", s, err)
		}
		for _, part := range [][]int{split.Train, split.Val} {
			got := make([]int, 4)
			for _, i := range part {
				got[labels[i]]++ // panics for a label of -1
				hits[i]++
			}
			if !slices.Equal(got, want) {
				t.Errorf("split %d: %v a class, want %v", s, got, want)
			}
		}
	}
	// Nodes of class 0 are drawn 30·10/100 = 3 times on average, and each with
	// probability 1/10 a split: over 100 nodes the sum of squares about the mean, divided
	// by its variance 30·0.1·0.9, is χ² with some 99 degrees of freedom; 149 is
	// its 99.9 % point.
	chi := 0.0
	for _, h := range hits[:100] {
		chi += (float64(h) - 3) * (float64(h) - 3) / 2.7
	}
	if chi > 149 {
		t.Errorf("χ² = %v: the draws are not uniform", chi)
	}
	again, _ := RandomSplits(labels, 5, 3, 42)
	if diff := cmp.Diff(splits[:3], again); diff != "" {
		t.Error("the first splits depend on how many are asked for:\n", diff)
	}
	other, _ := RandomSplits(labels, 5, 3, 43)
	if cmp.Equal(again, other) {
		t.Error("another seed draws the same splits")
	}
}

func repeat(v, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func TestRandomSplitsOptions(t *testing.T) {
	for _, c := range []struct{ perClass, count int }{{0, 1}, {1, 0}, {-1, 1}} {
		_, err := RandomSplits([]int{0, 0, 0}, c.perClass, c.count, 1)
		wantError(t, err, ErrOption, "at least 1")
	}
	_, err := RandomSplits([]int{0, 0, 0}, 1, math.MaxInt, 1)
	wantError(t, err, ErrTooLarge, "splits")
	_, err = RandomSplits([]int{0, min(1<<40, math.MaxInt)}, 1, 1, 1)
	wantError(t, err, ErrIndex, "node 1")
	_, err = (&Dataset{Name: "x"}).RandomSplits(1, 1, 1)
	wantError(t, err, ErrMissing, "labels")
	_, err = (&Dataset{Labels: []int{0}, Unlabeled: []int{1}}).RandomSplits(1, 1, 1)
	wantError(t, err, ErrIndex, "unlabeled node 1 of 1")
	if s, err := RandomSplits(nil, 1, 2, 1); err != nil || len(s) != 2 || len(s[0].Train) != 0 {
		t.Errorf("no nodes: %v, %v", s, err)
	}
}

func FuzzSplits(f *testing.F) {
	f.Add([]byte(smallSplits), 6)
	f.Add([]byte(`{"train": [[0]], "val": [[]]}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		splits, err := ReadSplits(bytes.NewReader(data), n)
		if err != nil {
			var place *ParseError
			if !errors.As(err, &place) {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		for _, s := range splits {
			if n < 1<<16 && s.Test == nil && len(s.TestNodes(n)) != n-len(s.Train)-len(s.Val) {
				t.Errorf("%d nodes are divided into %v and %v", n, s, s.TestNodes(n))
			}
		}
	})
}
